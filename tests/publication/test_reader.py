"""Published folders are read and other folders refused."""

import itertools
import math

import pytest

from workbench import BadInput
from workbench.publication.publish import publish
from workbench.publication.reader import Published


def test_a_cap_is_replaced_by_the_next_stricter_stop(read):
    assert read.checked_cap(None) is None and read.stops == sorted(read.stops)
    for one, after in itertools.pairwise(read.stops):
        assert read.checked_cap(one) == one == read.checked_cap((one + after) / 2)
    assert read.nearest(0) == read.stops[0] and read.nearest("99") == read.stops[-1] and read.nearest(None) is None


@pytest.mark.parametrize("cap", ["lots", True, math.nan, math.inf, -1, 0, 5, [0.1], {"a": 1}, "0.1; drop"])
def test_an_invalid_cap_is_refused(read, cap):
    with pytest.raises(BadInput, match="is not a number from"):
        read.checked_cap(cap)


def test_a_reader_of_an_old_edition_is_notified(study, tmp_path):
    place = tmp_path / "out"
    old = Published(publish(study, place))
    told = []
    publish(study.with_(recipes=study.recipes[:1]), place, progress=lambda *said: told.append(said))
    assert (told[0][:2], told[-1][:2]) == ((1, 6), (4, 4)) and all(isinstance(words, str) for *_, words in told)
    with pytest.raises(BadInput, match="reload this page"):
        old.exposures(old.efficient[0])
    assert len(Published(place).points) == 6 and [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("content", ["", "[]", "{", '"edition"', '{"points": []}'])
def test_a_folder_without_a_published_study_is_refused(tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path / "nowhere")
