"""A published folder contains what was promised and discloses no more than the releases."""

import errno
import json
import stat

import numpy as np
import pytest

from tests.planted import BUCKETIZED, PLACE, RARE_DISEASE, people
from tests.publication.published import included_files, study_release, texts_except_releases
from workbench import BadInput
from workbench.data import datasets
from workbench.measures import UtilityLoss
from workbench.publication import cost, published_folder
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.releases.side_information import find_giveaways
from workbench.studies.study import Study


def test_the_ready_study_is_figure_2a_and_its_releases_may_be_exported():
    ready = Study.open(datasets.DATA / "studies" / "li_li_2009.yaml")
    table = ready.table(ready.read())
    assert (table.records, len(ready.candidates()), table.neutral) == (46_033, 32, ())
    assert not find_giveaways(ready.candidates()[0].release(table))


# --- forbidden content


def test_planted_markers_occur_only_as_the_release_publishes_them(whole):
    wages = [repr(float(wage)) for wage in people()["wage"] if wage != int(wage)]
    for name, text in texts_except_releases(whole.folder).items():
        assert "planted-" not in text, name
        assert PLACE not in text and "people.csv" not in text, name
        assert RARE_DISEASE not in text, name
        assert not any(wage in text for wage in wages), name
    for path in whole.folder.rglob("*.csv"):
        assert "planted-" not in path.read_text() and PLACE not in path.read_text()


def test_the_published_study_has_no_path_to_the_data(read, study):
    kept = Study.open(read.folder / "study.yaml")
    assert (kept.quasi, kept.recipes, kept.measures) == (study.quasi, study.recipes, study.measures)
    assert kept.data == {"given": "Who is ill"} and kept.hierarchies == study.hierarchies
    with pytest.raises(BadInput, match="were in memory"):
        kept.read()


# --- content


def test_the_published_cost_agrees_with_the_ranking_and_is_never_too_low(read, table):
    """A more accurate release never shows a larger share under a wrong value."""
    opened = [i for i, point in enumerate(read.points) if point["opened"]]
    opened.sort(key=lambda i: read.loss(i, read.utility))
    said = [read.opened(i)["accuracy"]["wrong"] for i in opened]
    assert said == sorted(said) and len(set(said)) > 2
    for index, wrong in zip(opened, said, strict=True):
        detail = UtilityLoss()(study_release(read, index, table)).detail
        truth = np.abs(detail["told"] - detail["truth"]).sum(axis=1).mean() / 2
        assert truth <= wrong <= 4 * truth + 0.03, "at least the exact share, and informative"
        assert cost.cost(read, index)["figure"] == f"{100 * wrong:.0f} %"


# --- other tables, other measures


def test_a_study_with_two_sensitive_columns_and_a_bucketized_release_is_published(study, tmp_path):
    frame = people()
    frame["salary"] = np.where(frame["name"] > "planted-0270", "high", "low")
    both = study.with_(
        data={"given": "p"}, sensitive=("disease", "salary"), identifiers=("name", "wage"), recipes=[BUCKETIZED]
    )
    read = Published(publish(both, tmp_path / "out", given=frame, releases="all"))
    index = read.efficient[0]
    assert len(read.files(included_files(read)[0])) == 3
    _, rows = read.exposures(index, most=1000)
    assert {row["sensitive"] for row in rows} <= {"disease", "salary"}


# --- the folder


def test_only_the_owner_can_read_the_complete_folder(read):
    assert stat.S_IMODE(read.folder.stat().st_mode) == 0o700
    assert [path.name for path in read.folder.parent.iterdir()] == ["published"]
    assert json.loads((read.folder / "frontier.vl.json").read_text())["datasets"]["points"]


def test_a_failure_leaves_the_previous_folder(study, tmp_path):
    place = publish(study, tmp_path / "out")
    edition = Published(place).results["edition"]
    with pytest.raises(BadInput, match="nothing to publish"):
        publish(study.with_(recipes=[]), place)
    with pytest.raises(BadInput):
        publish(study.with_(measures=[{"name": "privacy loss"}], axes=[]), place)
    assert Published(place).results["edition"] == edition and [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_folder_with_other_content_is_refused(study, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    for place, why in (
        (other, "something other"),
        (other / "thesis.txt", "is a file"),
        (tmp_path / "no" / "out", "no folder"),
    ):
        with pytest.raises(BadInput, match=why):
            publish(study, place)
    assert (other / "thesis.txt").read_text() == "precious"


# --- small counts in words


@pytest.mark.parametrize("named", [None, "/aside/results.json"])
def test_the_error_of_a_full_disk_names_the_given_folder(study, tmp_path, monkeypatch, named):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", named)

    monkeypatch.setattr(published_folder, "write_chart", full)
    with pytest.raises(
        BadInput, match=r"cannot write the folder .No space left on device.; .* or free some space"
    ) as told:
        publish(study, tmp_path / "out")
    assert str(told.value).startswith(f"{tmp_path / 'out'}: ") and [*tmp_path.iterdir()] == []
