"""Reports made by papermill or in one step contain the figures of the engine and no record."""

import csv
import errno
import json
import math
from html import unescape

import pytest

from tests.planted import PLACE, RARE_DISEASE, planted
from workbench import BadInput
from workbench.frontier.decision import decide
from workbench.frontier.sweep import sweep
from workbench.publication.report import reporting
from workbench.publication.report.page import SECTIONS
from workbench.publication.report.parameters import ReportParameters
from workbench.publication.report.reporting import build_report
from workbench.studies.study import Study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    planted(folder, caps={"P_loss": 0.1}, workloads={"mine": ["sex = 'M'"]}).save(folder / "ill.yaml")
    return folder / "ill.yaml"


@pytest.fixture(scope="module")
def made(study):
    return build_report(Study.open(study), release=True)


def test_the_points_are_those_of_the_engine(made, study, tmp_path):
    opened = Study.open(study)
    table = opened.table(opened.read())
    exact = sweep(table, opened.candidates(), opened.measured())
    made.write(tmp_path / "a")
    points = json.loads((tmp_path / "a-points.json").read_text())
    rows = list(csv.DictReader((tmp_path / "a-points.csv").open()))
    assert len(points["points"]) == len(exact.measured) == len(rows)
    for point, one, row in zip(exact.measured, points["points"], rows, strict=True):
        assert one["recipe"] == str(point.recipe) == row["recipe"]
        for key, value in one["values"].items():
            told, found = float(value), point.values[key]
            assert told == float(row[key])
            if key == "U_loss":  # of 600 people: the next step that the threshold of people moves, then a preferred one
                assert found - 1e-9 <= told <= 1.5 * (found + 0.003) + 1e-9
            else:
                assert told == pytest.approx(found, rel=0.1, abs=0.01) or key in ("P_loss", "R_id")
    number = decide(exact.on(*opened.axes), {"P_loss": 0.1}).recommended
    assert points["recommended"] == points["shown"]["number"] == number and points["nearest"] is None
    assert points["shown"]["recipe"] == str(exact.measured[number - 1].recipe) == str(opened.candidates()[number - 1])
    assert [one["number"] for one in points["points"]] == list(range(1, len(rows) + 1))
    assert [row["number"] for row in rows if row["recommended"] == "1"] == [str(number)]


def test_requested_intervals_are_on_the_chart_on_the_page_and_in_the_files(study, tmp_path):
    made = build_report(Study.open(study).with_(intervals={"over": "records", "times": 3}))
    made.write(tmp_path / "a")
    rows = list(csv.DictReader((tmp_path / "a-points.csv").open()))
    points = json.loads((tmp_path / "a-points.json").read_text())["points"]
    assert [row["U_loss low"] for row in rows] == [str(one["intervals"].get("U_loss", [""])[0]) for one in points]
    low, high = made.published.points[made.index]["intervals"]["U_loss"]
    for name in ("release", "frontier", "computed"):
        assert f" ({low:g} to {high:g})" in made[name].body, name
    lines = made.published.chart()["datasets"]["intervals"]
    assert len(lines) == sum("U_loss" in one["intervals"] for one in points) and "P_loss low" not in rows[0]


def test_every_figure_of_the_page_is_in_the_points(made):
    """The last table lists all measures of the proposed release."""
    from workbench.base.figures import format_number

    page = made["computed"].body
    point = made.published.points[made.index]
    for key, value in point["values"].items():
        assert f"({key})" in page and f">{format_number(float(value))}<" in page


def test_the_same_study_gives_the_same_bytes(made, study, tmp_path):
    made.write(tmp_path / "a")
    build_report(Study.open(study)).write(tmp_path / "b.html")
    for kind in ("-points.json", "-points.csv"):
        assert (tmp_path / f"a{kind}").read_bytes() == (tmp_path / f"b{kind}").read_bytes()
    assert "Infinity" not in (tmp_path / "a-points.json").read_text()


CODEBOOK = ("a-release-codebook.csv", "a-release-codebook.json")


def test_the_release_is_written_on_request(made, study, tmp_path):
    files = {path.name for path in made.write(tmp_path / "a")}
    assert files == {"a.html", "a-points.json", "a-points.csv", "a-release.csv", *CODEBOOK}
    assert (tmp_path / "a-release.csv").read_text().count("\n") == 601
    files = {path.name for path in build_report(Study.open(study)).write(tmp_path / "b")}
    assert files == {"b.html", "b-points.json", "b-points.csv"}


def test_no_file_contains_a_marker_or_a_path(made, tmp_path):
    for path in made.write(tmp_path / "a"):
        text = path.read_text()
        assert "planted-" not in text and PLACE not in text and "people.csv" not in text, path.name
        assert path.suffix == ".csv" or RARE_DISEASE not in text, path.name


def test_the_page_has_every_part_and_the_study(made, tmp_path):
    made.write(tmp_path / "a")
    page = (tmp_path / "a.html").read_text()
    for name, (title, _) in SECTIONS.items():
        there = f'<section id="{name}">' in page
        assert there == bool(made[name].body) is True
        assert not there or name == "decision" or f"<h2>{title}</h2>" in made[name]._repr_html_()
    assert len(page) < 3_000_000
    kept = page[page.index("<pre>") + 5 : page.index("</pre>")]
    again = Study.from_yaml(unescape(kept))
    assert again.quasi == ("age", "town", "sex") and "path" not in again.data
    with pytest.raises(BadInput, match="no section 'nonsense'"):
        made["nonsense"]


def test_infinity_is_written_as_a_word(study, tmp_path):
    measures = ({"name": "privacy loss"}, {"name": "utility loss"}, {"name": "largest quotient"})
    endless = Study.open(study).with_(measures=measures)
    with pytest.raises(BadInput, match="A_quot is infinite for every release"):
        build_report(endless.with_(axes=("A_quot", "U_loss"), caps={}))
    build_report(endless).write(tmp_path / "a")
    values = [one["values"]["A_quot"] for one in json.loads((tmp_path / "a-points.json").read_text())["points"]]
    assert "inf" in values and all(value == "inf" or math.isfinite(value) for value in values)


def test_no_limit_is_claimed_if_none_is_set(study):
    made = build_report(Study.open(study).with_(caps={}))
    assert "No limit was set" in made["decision"].body and "No limit was set" in made["asked"].body
    assert "The line is the limit" not in made["frontier"].body and made.points["cap"] is None


def test_a_missing_folder_is_reported(made, tmp_path):
    with pytest.raises(BadInput, match="there is no folder"):
        made.write(tmp_path / "nowhere" / "a")


def test_a_store_that_cannot_be_used_is_reported_for_the_whole_and_for_a_part(study, tmp_path):
    (tmp_path / "ill.results").write_text("a file")
    for only in ("", "sex=F"):
        with pytest.raises(BadInput, match=r"^the folder of the study's results is a file, not a folder; choose"):
            build_report(ReportParameters(study=str(study), only=only).chosen()[0], store=tmp_path / "ill.results")


@pytest.mark.parametrize("ending", ["-points.csv", "-points.json", "-release.csv"])
def test_a_file_that_cannot_be_written_leaves_no_other_files(made, tmp_path, ending):
    (tmp_path / f"a{ending}").mkdir()
    with pytest.raises(BadInput, match="is a folder; name a file in it"):
        made.write(tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == [f"a{ending}"]


@pytest.mark.slow
def test_a_full_disk_leaves_the_previous_report(made, tmp_path, monkeypatch):
    made.write(tmp_path / "a")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(source, place):
        raise OSError(errno.ENOSPC, "No space left on device", str(place))

    monkeypatch.setattr(reporting.shutil, "copyfile", full)
    with pytest.raises(BadInput, match="cannot write the"):
        made.write(tmp_path / "a")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
