"""Charts that show with no network: a still picture at once, and a live one on top where scripts may run.

The library that draws live charts is 0.9 MB. It goes into the first chart's output of a kernel; the page keeps it for
the others, whichever is shown first. Without it (output cleared, notebook not trusted) the still picture remains.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
import secrets
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert

from workbench.base.errors import BadInput
from workbench.base.files import whole

if TYPE_CHECKING:
    import altair

STILL = "#767676"  # readable on white and on black: a picture does not know the page it lies on
ARRIVED = "window.workbenchCharts.arrived(vegaEmbed);"
ENDINGS = (".png", ".svg", ".json", ".html")

# runs once a page: draws what waits for the library
LIBRARY = """(() => {
  const page = window.workbenchCharts ??= {waiting: []};
  if (page.embed) return;
  page.arrived = embed => { page.embed = embed; page.waiting.splice(0).forEach(draw => draw()); };
  %s
})();"""

# the container is the element before the script, unless the front end runs scripts elsewhere
CHART = """<div data-workbench-chart="%(id)s">%(still)s</div>
<script>(() => {
  const page = window.workbenchCharts ??= {waiting: []};
  const all = [document.currentScript?.previousElementSibling, ...document.querySelectorAll("[data-workbench-chart]")];
  const here = all.find(element => element?.dataset?.workbenchChart === "%(id)s");
  const spec = %(spec)s;
  const options = {renderer: "svg", actions: {export: true, source: false, compiled: false, editor: false}};
  const draw = () => {
    const live = document.createElement("div");
    page.embed(live, spec, options).then(() => here.replaceChildren(live)).catch(console.warn);
  };
  if (here) page.embed ? draw() : page.waiting.push(draw);
})();</script>"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'unsafe-eval' 'unsafe-inline'"
><style>body { font-family: sans-serif; margin: 2em } img { max-width: 100%% }</style></head>
<body>%s</body></html>
"""

_sent = {"library": False}  # to this kernel's notebook


def show_offline(live: bool = True) -> None:
    """Show every Altair chart of this kernel without a network; `live=False` gives still pictures only.

    The next chart brings the library, also where an earlier one has: call it first in a notebook that is run again.
    """
    import workbench.base.startup  # noqa: F401 (before Altair)

    # isort: split
    import altair as alt  # whoever has a chart has it already

    _sent["library"] = False
    alt.renderers.register("workbench", renderer)
    alt.renderers.enable("workbench", live=live)


def renderer(spec: dict[str, Any], live: bool = True, **_: Any) -> dict[str, str]:
    """What a notebook shows for a chart."""
    body = fragment(spec, live)
    if live and not _sent["library"]:
        _sent["library"] = True
        body += library()
    return {"text/html": body, "text/plain": described(spec)}


def described(spec: dict[str, Any]) -> str:
    """What is in the chart, for those who cannot see it."""
    return str(spec.get("description") or "A chart.")


def svg(spec: dict[str, Any], color: str = STILL) -> str:
    """A still picture; text and axes take the colour given, or that of the page that the picture is put into."""
    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    label = html.escape(described(spec))
    return str(drawn).replace("<svg ", f'<svg role="img" aria-label="{label}" color="{color}" ', 1)


def fragment(spec: dict[str, Any], live: bool = True) -> str:
    """HTML of one chart: a picture, and a script that replaces it once the library is on the page."""
    drawn = svg(spec)
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    width, height = size.groups() if size else ("", "")
    data = base64.b64encode(drawn.encode()).decode()
    label = html.escape(described(spec))
    still = f'<img alt="{label}" width="{width}" height="{height}" src="data:image/svg+xml;base64,{data}">'
    if not live:
        return still
    return CHART % {"id": secrets.token_hex(8), "still": still, "spec": _in_script(spec)}


def _in_script(spec: dict[str, Any]) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(spec).replace("<", "\\u003c")


def library() -> str:
    """The library as an element of a page."""
    return f"<script>{bundle()}</script>"


def bundle() -> str:
    """The script with what draws live charts; building it takes a second or two, so it is kept in the user's cache."""
    snippet = hashlib.sha256(ARRIVED.encode()).hexdigest()[:8]
    kept = cache_folder() / f"vega-{version('vl-convert-python')}-{snippet}.js"
    try:
        return LIBRARY % kept.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        pass
    built = str(vl_convert.javascript_bundle(ARRIVED)).replace("</script", "<\\/script")
    try:
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole(kept) as aside:
            aside.write_text(built, "utf-8")
    except OSError:  # a home that cannot be written to: built again next time
        pass
    return LIBRARY % built


def cache_folder() -> Path:
    """Where this user's programs keep what they can make again."""
    home = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    root = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / home
    return Path(root) / "privacy-utility-workbench"


def page(spec: dict[str, Any], title: str) -> str:
    """A whole HTML file that asks for nothing else."""
    return PAGE % (html.escape(title), fragment(spec) + library())


def save(chart: altair.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart as PNG, SVG, JSON or self-contained HTML, by the ending of the name."""
    path, spec = Path(path), chart.to_dict()
    if path.suffix not in ENDINGS:
        raise BadInput(
            f"{path}: cannot write {path.suffix or 'a name without an ending'}; end it in {', '.join(ENDINGS)}"
        )
    with whole(path) as aside:
        if path.suffix == ".png":
            opaque = svg({**spec, "background": "white"}, color="#222222")
            aside.write_bytes(vl_convert.svg_to_png(opaque, scale=2))
        elif path.suffix == ".svg":
            aside.write_text(svg(spec), "utf-8")
        elif path.suffix == ".json":
            aside.write_text(json.dumps(spec, indent=1), "utf-8")
        else:
            aside.write_text(page(spec, path.stem), "utf-8")
    return path
