"""Every release has the same figures after it is read back from its file."""

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.releases.test_foreign import ESTIMATED, same
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.reading.value_types import MARKERS
from workbench.data.table import Table
from workbench.disclosure import audit
from workbench.disclosure.audit import audit_release
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign

DONATIONS = Path(__file__).parents[3] / "shared" / "data" / "donations-2008.csv.gz"

AWKWARD = ["a", "b", "c, d", "c", "d", "{a, b}", "{a", "a}", '"', '"a"', "'a'", '", "', "a or missing", "missing"]
AWKWARD += ["a .. b", "{a .. b: 9 values}", "c: 9 values}", "*", "**", "1*", "a*", "1", "01", "1.0", "12", "[1-2]"]
AWKWARD += ["1-2", "<5", "5+", "=1", "+a", "a|b", "a;b", "a/b", "A, a", "x\ry", "x\ny", "x\u2028y", "\f.", "é", "😀"]
AWKWARD += ["(values 1 to 2)", "a (values 1 to 1)", "frozenset({'a'})", "unknown", "[a", "(1, 2]", "2024-01", "1930s"]
WORDS = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4))
TEXT = WORDS.map(str.strip).filter(lambda word: word not in MARKERS)
BLANKS = st.one_of(
    TEXT, TEXT.map(" {}".format), TEXT.map("{} ".format), TEXT.map("\u00a0{}".format), st.sampled_from(MARKERS)
)
BLANKS = BLANKS | st.sampled_from(MARKERS[1:]).map(" {}".format)
METHODS = {
    "strict": Mondrian(),
    "relaxed": Mondrian(strict=False),
    "information gain": Mondrian("information_gain", "s"),
    "information gain, best": Mondrian("information_gain", "s", cuts="best"),
    "keep": Keep(),
    "remove": Remove(),
    "remove one": Remove("word"),
    "remove sensitive": Remove("s"),
}


@st.composite
def tables(draw):
    """Draw tables of 30 to 60 people with awkward text, numbers and dates, some with hierarchies."""
    words = draw(st.lists(BLANKS, min_size=2, max_size=24, unique=True))
    names = draw(st.lists(TEXT, min_size=3, max_size=3, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    records = draw(st.integers(30, 60))
    rank = rng.beta(1, 2, records)
    numbers = rng.choice([-0.5, 1.25, 7, 1e6] if draw(st.booleans()) else [-3, 0, 1, 20, 21, 35], records)
    days = np.array(["1999-12-31", "2024-01-30", "2024-02-29", "2025-01-01"], "datetime64[s]")
    frame = pd.DataFrame(
        {
            "word": np.array(words, object)[(rank * len(words)).astype(int)],
            "number": numbers,
            "day": days[rng.integers(0, 4, records)],
            "s": np.array(names, object)[np.minimum(2, (rank * 3 + rng.random(records)).astype(int))],
        }
    )
    frame.loc[:1, "s"] = names[:2]
    frame.loc[:1, "word"] = words[:2]
    if draw(st.booleans()):
        for name in (
            ("word", "number", "day") if "" not in words else ("number", "day")
        ):  # in CSV both are an empty cell
            frame.loc[rng.random(records) < 0.15, name] = None
    frame.loc[:1, ["word", "number"]] = [[words[0], 1], [words[1], 1]]
    hierarchies = {}
    if draw(st.booleans()):
        groups = draw(st.lists(TEXT, min_size=1, max_size=3, unique=True))
        above = [groups[i * len(groups) // len(words)] for i in range(len(words))]
        hierarchies["word"] = Columns([(word, group, "*") for word, group in zip(words, above, strict=True)])
    if draw(st.booleans()):
        ends = draw(st.sampled_from([{}, {"top": 20}, {"bottom": 1, "top": 30}]))
        hierarchies["number"] = Intervals(widths=(10, 50), **ends)
    roles = (["word", "number", "day"], "s", (), hierarchies)
    return Table.from_frame(frame, *roles, types={"word": "text", "s": "text"}, missing=[])


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
@examples(12)
@given(table=tables(), k=st.integers(2, 12), ending=st.sampled_from(["csv", "parquet"]))
def test_every_release_is_read_back_with_the_same_figures(tmp_path_factory, name, table, k, ending):
    method = METHODS[name]
    release = method(table, KAnonymity(k) if isinstance(method, Mondrian) else None)
    path = tmp_path_factory.mktemp("out") / f"release.{ending}"
    release.export(path, giveaways=True)
    if set(table.quasi) <= release.unpublished_columns:
        return  # nothing to audit: no quasi-identifier is published
    same(release, foreign(path, original=table))


def test_a_value_named_missing_is_read_back_as_a_value(tmp_path):
    """The table also has missing values and a group named like another value."""
    words = ["a"] * 9 + ["missing"] * 5 + [None] * 2
    frame = pd.DataFrame({"word": words, "s": ["x", "y"] * 8})
    groups = {"word": Columns([("a", "a", "*"), ("missing", "a", "*")])}
    table = Table.from_frame(frame, ["word"], "s", (), groups, types={"word": "text"})
    release = Mondrian(publish="bucketized")(table, KAnonymity(2))
    read = foreign(release.export(tmp_path / "release.csv", giveaways=True)[0], original=table)
    same(Remove("s")(table), read)


@examples(20)
@given(table=tables(), k=st.integers(2, 12))
def test_the_records_of_a_bucketized_release_are_read_back(tmp_path_factory, table, k):
    release = Mondrian(publish="bucketized")(table, KAnonymity(k))
    path = tmp_path_factory.mktemp("out") / "release.csv"
    read = foreign(release.export(path, giveaways=True)[0], original=table)
    same(Remove("s")(table), read)


@pytest.mark.slow
@pytest.mark.skipif(not DONATIONS.exists(), reason="the donations are not there")
@pytest.mark.parametrize("quasi", [["state", "zip", "employer"], ["zip", "amount"]])
def test_releases_of_many_records_and_long_labels_are_read_back_in_seconds(tmp_path, monkeypatch, quasi):
    types = {"zip": "text"}
    began = time.process_time()
    table = Table.read(DONATIONS, quasi=quasi, sensitive="party", types=types)
    reading = time.process_time() - began
    release = Mondrian()(table, KAnonymity(10))
    release.export(tmp_path / "release.csv", giveaways=True)
    began = time.process_time()
    read = foreign(tmp_path / "release.csv", original=table)
    labels = time.process_time() - began
    same(release, read)
    asked = audit._measures
    monkeypatch.setattr(audit, "_measures", lambda o: [one for one in asked(o) if one.symbol not in ESTIMATED])
    first, second = (
        {one["measure"]: one["value"] for one in audit_release(every)["measures"]} for every in (release, read)
    )
    assert len(first) > 5 and first == {key: pytest.approx(value, rel=1e-9) for key, value in second.items()}
    assert labels < 10 * reading  # about twice as long; days where a label is held against each run of its length
