"""Each notebook runs from top to bottom in an empty folder, is kept without outputs, and shows what it promises."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from papermill.inspection import inspect_notebook
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from tests.project.tracked import ROOT, tracked_files

NOTEBOOKS = sorted(path for path in tracked_files() if path.suffix == ".ipynb")


def run(path: Path, folder: Path, **given: int | str) -> nbformat.NotebookNode:
    """The executed notebook; it works in a folder of its own, so that nothing is written into the project.

    What is given is its parameters, as papermill has them.
    """
    notebook = load_notebook_node(str(path))
    if given:
        assert set(given) <= set(inspect_notebook(str(path)))
        notebook = parameterize_notebook(notebook, given)
    work = folder / "notebooks"
    work.mkdir()
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(work)}}).execute()
    return notebook


def shown(notebook: nbformat.NotebookNode, mime: str) -> str:
    """Return the outputs of the notebook of one type."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error"]
    return "\n".join(str(o.data[mime]) for o in outputs if "data" in o and mime in o.data)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_is_kept_without_outputs(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in cells)


@pytest.mark.slow
def test_in_python_draws_the_frontier_and_writes_the_release(tmp_path):
    notebook = run(ROOT / "notebooks" / "in_python.ipynb", tmp_path)
    html = shown(notebook, "text/html")
    assert html.count("data:image/svg+xml") >= 3
    assert "knee" in html
    assert (tmp_path / "adult-release.csv").exists()
    assert oct((tmp_path / "explore.results").stat().st_mode)[-3:] == "700"


@pytest.mark.slow
def test_li_li_stands_beside_the_published_figures(tmp_path):
    html = shown(run(ROOT / "notebooks" / "papers" / "li_li_2009.ipynb", tmp_path), "text/html")
    assert html.count("data:image/svg+xml") >= 5
    for figure in ("0.692", "0.488", "0.0288", "0.0258", "0.086", "0.0835", "10 of 10", "5.76", "2.05", "5.35"):
        assert figure in html


VISITS = ROOT.parent / "shared" / "data" / "namcs-2011.csv.gz"
WHOLE = {"visits_file": str(VISITS)} if VISITS.exists() else {}


@pytest.mark.slow
@pytest.mark.parametrize("given", [{"records": 2_500}, pytest.param(WHOLE, marks=pytest.mark.exhaustive)], ids=str)
def test_below_the_frontier_shows_the_region_and_both_adversaries(tmp_path, given):
    html = shown(run(ROOT / "notebooks" / "below_the_frontier.ipynb", tmp_path, **given), "text/html")
    assert "data:image/svg+xml" in html
    for said in ("raked, dealt", "least possible", "boxes at random", "U_loss, learned", "It stopped after 12"):
        assert said in html
    for figure in () if "records" in given else ("0.00098", "0.00707", "0.2743", "0.00061"):
        assert figure in html
    assert "largest, naive Bayes" in html and "one flat file" in html and "the population alone" in html


@pytest.mark.slow
def test_sramka_stands_beside_the_published_figures(tmp_path):
    html = shown(run(ROOT / "notebooks" / "papers" / "sramka_2010.ipynb", tmp_path), "text/html")
    for figure in ("36972", "36982", "0.1084", "0.1094", "0.2763", "44729", "nearest centroid"):
        assert figure in html


@pytest.mark.slow
def test_brickell_shmatikov_stands_beside_the_published_figures(tmp_path):
    notebook = run(ROOT / "notebooks" / "papers" / "brickell_shmatikov_2008.ipynb", tmp_path)
    html = shown(notebook, "text/html")
    assert html.count("data:image/svg+xml") >= 4
    for figure in ("46.56", "13.31", "0.1034", "0.2492", "Suppressed", "69.36", "58.30", "77.12", "77.93", "79.47"):
        assert figure in html
    for figure in ("l=3, cuts = all", "t=0.2, cuts = all", "half the information"):
        assert figure in html
    printed = "".join(
        o.text for c in notebook.cells if c.cell_type == "code" for o in c.outputs if o.output_type == "stream"
    )
    assert "14 values" in printed


@pytest.mark.slow
@pytest.mark.parametrize("fewer", [{"many": 12_000}, pytest.param({}, marks=pytest.mark.exhaustive)], ids=str)
def test_srivastava_weis_stands_beside_the_slides(tmp_path, fewer):
    """The figures of all donations, to the digits that are printed: tests/papers/test_srivastava_weis_2005.py."""
    html = shown(run(ROOT / "notebooks" / "papers" / "srivastava_weis_2005.ipynb", tmp_path, **fewer), "text/html")
    assert html.count("data:image/svg+xml") >= 2
    for figure in ("277,274", "164,649", "29,102", "9,678", "generated donations", "serves random values", "therapy"):
        assert figure in html
    for figure in () if fewer else ("82,661", "12.16", "92.83", "0.0303"):
        assert figure in html


@pytest.mark.slow
@pytest.mark.parametrize("fewer", [{"limit": 2_000}, pytest.param({}, marks=pytest.mark.exhaustive)], ids=str)
def test_loukides_shao_says_which_orders_come_out(tmp_path, fewer):
    """All records take minutes; what comes out of them: tests/papers/test_loukides_shao_2008.py."""
    html = shown(run(ROOT / "notebooks" / "papers" / "loukides_shao_2008.ipynb", tmp_path, **fewer), "text/html")
    for figure in ("Figure 5", "Figures 15 and 16", "Figure 17", "Figure 18", "Figure 19", "Figure 20"):
        assert figure in html
    for figure in ("0.733", "0.467", "0.644", "k-members-p", "TGCU best or level on both types of queries"):
        assert figure in html
