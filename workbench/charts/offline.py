"""Charts that work without a network: a static picture, replaced by a live chart if scripts may run.

The library for live charts is 0.9 MB. It is part of the first chart's output of a kernel, and the page keeps it for the
others, in any order. Without it (output cleared, notebook not trusted) the static picture remains.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import vl_convert
from markupsafe import Markup

from workbench.base.errors import BadInput
from workbench.base.files import atomic_write, cached_text
from workbench.base.templates import Templates

if TYPE_CHECKING:
    import altair

STILL = "#767676"  # readable on white and on black, since the background is unknown
ARRIVED = "window.workbenchCharts.arrived(vegaEmbed);"
ENDINGS = (".png", ".svg", ".json", ".html")

# runs once per page; draws the charts that wait for the library
LIBRARY = """(() => {
  const page = window.workbenchCharts ??= {waiting: []};
  if (page.embed) return;
  page.arrived = embed => { page.embed = embed; page.waiting.splice(0).forEach(draw => draw()); };
  %s
})();"""

TEMPLATES = Templates("workbench.charts")
_sent = {"library": False}  # whether this kernel's notebook has the library


def show_offline(live: bool = True) -> None:
    """Show every Altair chart of this kernel without a network; `live=False` shows static pictures only.

    The next chart contains the library, even if an earlier one does: call this first in a notebook that is run again.
    """
    import workbench.base.startup  # noqa: F401 (before Altair)

    # isort: split
    import altair as alt  # already loaded with any chart

    _sent["library"] = False
    alt.renderers.register("workbench", renderer)
    alt.renderers.enable("workbench", live=live)


def renderer(spec: dict[str, Any], live: bool = True, **_: Any) -> dict[str, str]:
    """Return a chart's output for notebooks."""
    body = fragment(spec, live)
    if live and not _sent["library"]:
        _sent["library"] = True
        body += library()
    return {"text/html": body, "text/plain": description_of(spec)}


def description_of(spec: dict[str, Any]) -> str:
    """Return the description of a chart for screen readers."""
    return str(spec.get("description") or "A chart.")


def svg(spec: dict[str, Any], color: str = STILL) -> str:
    """Return a static picture; text and axes have the given color, or that of the page around the picture."""
    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    named = Markup('<svg role="img" aria-label="{}" color="{}" ').format(
        description_of(spec), color
    )  # escapes both arguments
    return str(drawn).replace("<svg ", str(named), 1)


def fragment(spec: dict[str, Any], live: bool = True) -> Markup:
    """Return the HTML of one chart: a picture, and a script that replaces it once the library is loaded."""
    drawn = svg(spec)
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    width, height = size.groups() if size else ("", "")
    return TEMPLATES.render(
        "chart.html",
        live=live,
        id=secrets.token_hex(8),
        label=description_of(spec),
        width=width,
        height=height,
        picture=base64.b64encode(drawn.encode()).decode(),
        spec=spec,
    )


def library() -> Markup:
    """Return the library as an element of a page; it contains no data of a study."""
    return Markup(f"<script>{bundle()}</script>")


def bundle() -> str:
    """Return the script that draws live charts; building it takes seconds."""
    snippet = hashlib.sha256(ARRIVED.encode()).hexdigest()[:8]
    return LIBRARY % cached_text(f"vega-{version('vl-convert-python')}-{snippet}.js", _build_bundle)


def _build_bundle() -> str:
    return str(vl_convert.javascript_bundle(ARRIVED)).replace("</script", "<\\/script")


def page(title: str, *parts: Markup) -> str:
    """Return a complete, self-contained HTML file with these charts and scripts."""
    return str(TEMPLATES.render("page.html", title=title, body=Markup("").join(parts)))


def save(chart: altair.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart as PNG, SVG, JSON or self-contained HTML, depending on the extension.

    Parameters
    ----------
    chart
        Any Altair chart.
    path
        Name of the file, ending in .png, .svg, .json or .html.

    Returns
    -------
    Path
        The file.
    """
    path, spec = Path(path), chart.to_dict()
    if path.suffix not in ENDINGS:
        raise BadInput(
            f"{path}: cannot write {path.suffix or 'a name without an extension'}; use one of {', '.join(ENDINGS)}"
        )
    with atomic_write(path) as aside:
        if path.suffix == ".png":
            opaque = svg({**spec, "background": "white"}, color="#222222")
            aside.write_bytes(vl_convert.svg_to_png(opaque, scale=2))
        elif path.suffix == ".svg":
            aside.write_text(svg(spec), "utf-8")
        elif path.suffix == ".json":
            aside.write_text(json.dumps(spec, indent=1), "utf-8")
        else:
            aside.write_text(page(path.stem, fragment(spec), library()), "utf-8")
    return path
