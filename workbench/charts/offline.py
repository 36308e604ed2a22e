"""Charts that show with no network: a still picture at once, and a live one on top where scripts may run.

The library that draws live charts is 0.9 MB. It goes into the first chart's output of a kernel; the page keeps it for
the others, whichever is shown first. Without it (output cleared, notebook not trusted) the still picture remains.
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
from platformdirs import user_cache_path

from workbench.base.errors import BadInput
from workbench.base.files import whole
from workbench.base.templates import Templates

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

TEMPLATES = Templates("workbench.charts")
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
    named = Markup('<svg role="img" aria-label="{}" color="{}" ').format(described(spec), color)  # it escapes both
    return str(drawn).replace("<svg ", str(named), 1)


def fragment(spec: dict[str, Any], live: bool = True) -> Markup:
    """HTML of one chart: a picture, and a script that replaces it once the library is on the page."""
    drawn = svg(spec)
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', drawn)
    width, height = size.groups() if size else ("", "")
    return TEMPLATES.render(
        "chart.html",
        live=live,
        id=secrets.token_hex(8),
        label=described(spec),
        width=width,
        height=height,
        picture=base64.b64encode(drawn.encode()).decode(),
        spec=spec,
    )


def library() -> Markup:
    """The library as an element of a page: our own script, with nothing of a study in it."""
    return Markup(f"<script>{bundle()}</script>")


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
    return user_cache_path("privacy-utility-workbench", appauthor=False)


def page(spec: dict[str, Any], title: str) -> str:
    """A whole, self-contained HTML file."""
    return page_of(title, fragment(spec), library())


def page_of(title: str, *parts: Markup) -> str:
    """A page of charts, the library among them."""
    return str(TEMPLATES.render("page.html", title=title, body=Markup("").join(parts)))


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
