"""A published folder is read, and nothing else is taken for one."""

import math

import pytest

from workbench import BadInput
from workbench.publication.publish import publish
from workbench.publication.reader import Published


@pytest.mark.parametrize("cap", ["lots", None, True, math.nan, math.inf, -1, 0, 5, [0.1], {"a": 1}, "0.1; drop"])
def test_a_cap_that_is_none_is_refused(read, cap):
    with pytest.raises(BadInput, match="is not a number from"):
        read.checked_cap(cap)


def test_published_again_it_is_another_edition_and_a_reader_of_the_old_one_is_told(study, tmp_path):
    place = tmp_path / "out"
    old = Published(publish(study, place))
    told = []
    publish(study.with_(recipes=study.recipes[:1]), place, progress=lambda *said: told.append(said))
    assert (told[0][:2], told[-1][:2]) == ((1, 6), (2, 2)) and all(isinstance(words, str) for *_, words in told)
    with pytest.raises(BadInput, match="load this page again"):
        old.exposures(old.efficient[0])
    assert len(Published(place).points) == 6 and [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("content", ["", "[]", "{", '"edition"', '{"points": []}'])
def test_a_folder_that_holds_no_published_study_is_no_such_thing(tmp_path, content):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path)
    with pytest.raises(BadInput, match="no study has been published there"):
        Published(tmp_path / "nowhere")
