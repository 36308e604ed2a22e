"""Charts are displayed without a network."""

import base64
import json
import os
import re
import subprocess
import sys

import altair as alt
import pytest

from tests.charts.drawn import frontier
from workbench import charts
from workbench.base import files
from workbench.base.errors import BadInput
from workbench.charts import offline
from workbench.publication.report import batch

CHROMIUM = batch.chromium()


def test_the_library_is_sent_once_per_notebook():
    charts.show_offline()
    spec = frontier().chart().to_dict()
    first, second = (offline.renderer(spec)["text/html"] for _ in range(2))
    assert len(first) > 500_000 > len(second)
    charts.show_offline()
    assert len(offline.renderer(spec)["text/html"]) > 500_000
    assert "<script" not in offline.renderer(spec, live=False)["text/html"]


def test_a_static_picture_needs_no_network_and_has_a_description(release):
    for chart in (frontier().chart(), charts.loss_chart(release), charts.populations_chart(release)):
        html = offline.fragment(chart.to_dict())
        (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
        picture = base64.b64decode(data).decode()
        assert set(re.findall(r'https?://[^"]+', picture)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1999/xlink",
        }
        assert 'fill="currentColor"' in picture and f'color="{offline.STILL}"' in picture and 'role="img"' in picture
        assert len(re.findall(r'alt="([^"]+)"', html)[0]) > 40


def test_data_cannot_end_the_script():
    chart = alt.Chart(alt.Data(values=[{"x": "</script><script>alert(1)</script><!--"}])).mark_text().encode(text="x:N")
    html = offline.fragment(chart.properties(description='"><script>alert(2)</script>').to_dict())
    assert html.count("<script") == html.count("</script") == 1 and "<!--" not in html and "alert(2)" in html


@pytest.mark.slow
def test_the_format_of_a_saved_chart_follows_from_the_extension(tmp_path):
    chart = frontier().chart()
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<svg "), (".json", b"{"), (".html", b"<!doctype html>")):
        assert charts.save(chart, tmp_path / f"chart{ending}").read_bytes().startswith(start)
    assert json.loads((tmp_path / "chart.json").read_text())["description"].startswith("Frontier of privacy loss")
    with pytest.raises(BadInput, match=r"cannot write \.gif; use one of \.png, \.svg, \.json, \.html"):
        charts.save(chart, tmp_path / "chart.gif")
    with pytest.raises(BadInput, match="does not exist"):
        charts.save(chart, tmp_path / "nowhere" / "chart.svg")
    assert len(list(tmp_path.iterdir())) == 4


def test_the_library_is_built_once_per_machine(tmp_path, monkeypatch):
    built = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        offline.vl_convert, "javascript_bundle", lambda snippet: built.append(snippet) or "/* </script */"
    )
    assert offline.library() == offline.library()
    assert built == [offline.ARRIVED] and offline.library().count("</script") == 1
    assert files.cache_folder().stat().st_mode & 0o077 == 0
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))  # no folder can be made there
    assert "/* " in offline.library() and len(built) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [("default", "workbench"), ("mimetype", "mimetype")])
def test_a_chosen_renderer_is_not_replaced(before, after):
    code = (
        f"import altair; altair.renderers.enable({before!r}); import workbench.charts; print(altair.renderers.active)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout.strip() == after


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_a_browser_without_a_network_draws_it_live(tmp_path):
    """The chart precedes the library, as in a notebook; the second copy waits for the library of the first."""
    spec = frontier().chart().to_dict()
    page = tmp_path / "page.html"
    page.write_text(offline.page("two", offline.fragment(spec), offline.library(), offline.fragment(spec)), "utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    command = [
        str(CHROMIUM),
        *flags.split(),
        "--disable-component-update",
        "--disable-sync",
        "--virtual-time-budget=20000",
    ]
    command += [
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
        page.as_uri(),
    ]
    drawn = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert drawn.count('class="marks"') == 2
    assert "data:image/svg+xml" not in drawn.split("</head>")[1].split("<script")[0]
