// The page around the widgets: the theme, the text while it loads, and a message when the server is gone.
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const colours = () => {
    if (document.body.dataset.theme !== "auto") return;
    document.body.dataset.jpThemeLight = String(!dark.matches);
    document.body.dataset.jpThemeName = dark.matches ? "JupyterLab Dark" : "JupyterLab Light";
  };
  colours();
  dark.addEventListener("change", colours);

  // Both must be ready: the last cell, and the drawing script (which calls voila_finish as well)
  window.voila_process = () => {};
  window.voila_heartbeat = () => {};
  window.voila_finish = () => {
    window.cellLoaded = true;
    if (!window.themeLoaded) return;
    const main = document.getElementById("rendered_cells");
    main.classList.remove("wb-page-waiting");
    const drawn = () => {
      const waits = main.querySelector('script[type="application/vnd.voila.cell-output+json"]');
      if (waits && !main.querySelector(".jupyter-widgets *, .jp-OutputArea-output > *")) return false;
      document.getElementById("loading").hidden = true;
      return true;
    };
    if (!drawn()) {
      const watch = new MutationObserver(() => drawn() && watch.disconnect());
      watch.observe(main, { childList: true, subtree: true });
    }
  };
  window.display_cells = window.voila_finish;

  // Without a kernel the page shows a message, and its controls are inactive
  const lost = document.getElementById("lost");
  const setStopped = (stopped) => {
    lost.hidden = !stopped;
    document.getElementById("rendered_cells").inert = stopped;
  };
  const Socket = window.WebSocket;
  let open = 0;
  const gone = () => {
    if (open > 0 || !lost.hidden || leaving) return;
    lost.textContent = "This page has stopped: its session ended, or the server cannot be reached. ";
    const again = document.createElement("button");
    again.textContent = "Open it again";
    again.onclick = () => reopen(again);
    lost.append(again);
    setStopped(true);
  };
  // Check first whether the page would open: a failed reload would discard the current content
  const reopen = async (again) => {
    again.disabled = true;
    const words = await refused();
    if (!words) { window.location.reload(); return; }
    lost.firstChild.textContent = words;
    again.textContent = "Try again";
    again.disabled = false;
    again.focus();
  };
  const refused = async () => {
    const { baseUrl } = JSON.parse(document.getElementById("jupyter-config-data").textContent);
    const known = `${baseUrl}voila/templates/workbench/static/page.css${window.location.search}`;
    try {
      const answer = await fetch(known, { cache: "no-store", signal: AbortSignal.timeout(10000) });
      if (answer.ok) return "";
      if (answer.status === 403) return "The server was restarted and has a new link. Ask the person who sent you this one. ";
    } catch { /* no answer: see the message below */ }
    return "The server is not responding; it may have been stopped. Ask the person who sent you the link. ";
  };
  let leaving = false;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      let mine = false;
      this.addEventListener("open", () => { mine = true; open += 1; setStopped(false); });
      this.addEventListener("close", () => { if (mine) open -= 1; mine = false; window.setTimeout(gone, 5000); });
    }
  };

  // Shut down the kernel of a closed tab
  window.addEventListener("pagehide", (event) => {
    leaving = true;
    const config = document.getElementById("jupyter-config-data");
    if (event.persisted || !config) return;
    const { baseUrl, kernelId } = JSON.parse(config.textContent);
    navigator.sendBeacon(`${baseUrl}voila/api/shutdown/${kernelId}`);
  });
})();
