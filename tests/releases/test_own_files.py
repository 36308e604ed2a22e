"""Every kind of release has the same figures after export and reading with its codebook."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame
from tests.releases.test_foreign import ESTIMATED
from workbench.base.errors import BadInput, Undefined
from workbench.base.variants import catalog
from workbench.data.hierarchies.builders import Columns
from workbench.data.table import Table
from workbench.disclosure.audit import audit_release
from workbench.measures import PrivacyLoss, UtilityLoss, default_measures
from workbench.measures.privacy.achieved import MODELS, Achieved
from workbench.methods import FullDomain, KMember, Laplace, Mondrian, OptimalResponse, RakedBuckets, RandomizedResponse
from workbench.methods import Method as AnyMethod
from workbench.models import KAnonymity, TCloseness
from workbench.queries.populations import large_populations
from workbench.releases.foreign import Foreign, foreign
from workbench.releases.own_files import read_release, roles_of

KINDS = catalog("workbench.methods", AnyMethod)
WITHOUT = ("keep", "remove")  # every value as it is, or none
PAY = {"columns": ("pay",), "bounds": {"pay": (0, 40)}}


def people(records=300, seed=3):
    rng = np.random.default_rng(seed)
    rank = rng.beta(1, 3, records)
    ill = np.array(["flu", "cold", "cough", "rash", "burn"])
    return pd.DataFrame(
        {
            "age": (rank * 40).astype(int) + 20,
            "town": rng.choice(["north", "south", "east", "west", "mid"], records, p=[0.4, 0.3, 0.15, 0.1, 0.05]),
            "job": rng.choice(["a1", "a2", "b1", "b2"], records, p=[0.5, 0.2, 0.2, 0.1]),
            "ill": ill[np.minimum(4, ((rank + rng.normal(0, 0.15, records)).clip(0, 0.99) * 5).astype(int))],
            "pay": (rank * 30 + rng.integers(0, 5, records)).astype(int),
        }
    )


def table(sensitive="ill", **options):
    rows = [("a1", "A", "*"), ("a2", "A", "*"), ("b1", "B", "*"), ("b2", "B", "*")]
    quasi = ["age", "town", "job"]
    return Table.from_frame(
        people(**options)[[*quasi, sensitive]], quasi, sensitive, hierarchies={"job": Columns(rows)}
    )


def variants():
    """Every method, with each way in which it can publish."""
    for name, kind in KINDS.items():
        if name in WITHOUT:
            continue
        declared = kind.parameters()
        ways = [{}]
        for parameter in ("publish", "files"):
            if parameter in declared:
                ways = [{**way, parameter: one} for way in ways for one in declared[parameter].choices]
        yield from (pytest.param(kind, way, id=" ".join([name, *way.values()])) for way in ways)


def made(kind, way):
    given = table("pay") if kind is Laplace else table()
    method = kind(**way, **(PAY if kind is Laplace else {}))
    model = (TCloseness(0.3) if kind is RakedBuckets else KAnonymity(5)) if method.supports_models else None
    return method(given, model, 1)


def figures(release):
    """Every measure that is no estimate of people drawn at random."""
    found = {}
    for one in (one for one in default_measures() if one.symbol not in ESTIMATED):
        for measure in [Achieved(model=name) for name in MODELS] if isinstance(one, Achieved) else [one]:
            try:
                found[measure.key] = measure(release).value
            except Undefined:
                found[measure.key] = None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(("kind", "way"), [*variants()])
def test_a_release_read_with_its_codebook_has_its_figures(kind, way, ending, tmp_path):
    release = made(kind, way)
    [path, *_] = release.export(tmp_path / f"out.{ending}", giveaways=True)
    read = read_release(path, original=release.table)
    expected, found = figures(release), figures(read)
    if way.get("files") == "flat":  # counted from the rows of the file, which are dealt again for each file
        for by_rows in ("U_loss", "Q_err"):
            assert (found.pop(by_rows, None) is None) == (expected.pop(by_rows, None) is None)
    close = 1e-4 if kind is OptimalResponse else 1e-9  # its codebook lists chances with six digits
    assert found.keys() == expected.keys() and len(found) > 5
    for key, value in expected.items():
        assert found[key] == (None if value is None else pytest.approx(value, rel=close, abs=1e-12)), key


@pytest.mark.parametrize("publish", ["dealt", "exchanged"])
def test_estimates_from_one_file_are_counts_of_its_rows(publish, tmp_path):
    release = RakedBuckets(publish=publish, files="flat")(table(), TCloseness(0.3), 1)
    [path, *_] = release.export(tmp_path / "out.csv")
    read, rows = read_release(path, original=release.table), pd.read_csv(path)
    labels = {name: release.table.columns[name].labels for name in release.table.quasi}
    codes = {name: rows[name].astype(str).map(known.index) for name, known in labels.items()}
    populations = large_populations(release.table, 0.1)
    told = read.estimate(populations, "ill")
    for runs, counts in zip(populations.runs, told, strict=True):
        inside = np.ones(len(rows), bool)
        for name, (low, high) in zip(release.table.quasi, runs.tolist(), strict=True):
            inside &= codes[name].between(low, high).to_numpy()
        naive = rows["ill"][inside].value_counts()
        assert counts.tolist() == pytest.approx([naive.get(ill, 0) for ill in release.table.sensitive["ill"].labels])


@pytest.mark.parametrize("kind", [RandomizedResponse, OptimalResponse])
def test_noise_is_not_read_as_certainty(kind, tmp_path):
    release = kind()(table())
    [path, *_] = release.export(tmp_path / "out.csv")
    before = audit_release(release)["measures"]
    after = audit_release(read_release(path, original=release.table), [KAnonymity(2)])
    loss = [next(one["value"] for one in every if one["measure"] == "P_loss") for every in (before, after["measures"])]
    assert loss[1] == pytest.approx(loss[0], rel=1e-4)
    assert loss[1] < next(
        one["value"]
        for one in audit_release(foreign(path, original=release.table))["measures"]
        if one["measure"] == "P_loss"
    )
    assert not after["holds"] and "no classes" in after["asked"][0]["reason"]


def test_buckets_are_read_without_an_original(tmp_path):
    release = Mondrian(publish="bucketized")(table(), KAnonymity(6))
    [path, *_] = release.export(tmp_path / "out.csv")
    read = read_release(tmp_path / "out.csv", ["age", "town", "job"], "ill")  # the name of the release as a whole
    assert sorted(read.classes.sizes) == sorted(release.classes.sizes) and not read.about.has_original
    expected, found = figures(release), figures(read)
    for key in ("P_loss", "k (k-anonymity)", "t (t-closeness)", "R_id"):
        assert found[key] == pytest.approx(expected[key])
    assert path.name == "out-records.csv"


def test_a_codebook_elsewhere_is_named(tmp_path):
    release = RakedBuckets(files="flat")(table(), TCloseness(0.3), 1)
    [path, _, book] = release.export(tmp_path / "out.csv")
    elsewhere = tmp_path / "books" / "book.json"
    elsewhere.parent.mkdir()
    book.rename(elsewhere)
    path.with_name("out-codebook.csv").unlink()
    assert isinstance(read_release(path, original=release.table), Foreign)
    assert not isinstance(read_release(path, original=release.table, codebook=elsewhere), Foreign)
    with pytest.raises(BadInput, match="not the codebook of a release"):
        read_release(path, original=release.table, codebook=path)


def test_suppressed_records_are_in_no_bucket(tmp_path):
    release = Mondrian(publish="bucketized", suppress=0.1)(table(records=200), KAnonymity(9))
    [path, *_] = release.export(tmp_path / "out.csv")
    read = read_release(path, original=release.table)
    assert read.suppressed == release.suppressed
    assert figures(read) == pytest.approx(figures(release), nan_ok=True)


def test_files_of_other_people_are_refused(tmp_path):
    release = Mondrian(publish="bucketized")(table(), KAnonymity(6))
    [path, *_] = release.export(tmp_path / "out.csv")
    with pytest.raises(BadInput, match=r"no record of the original has|no such value"):
        read_release(path, original=table(seed=4))
    noise = RandomizedResponse()(table())
    [path, *_] = noise.export(tmp_path / "noise.csv")
    with pytest.raises(BadInput, match=r"no record of the original|have no row|no such value"):
        read_release(path, original=table(records=310))


def test_generalized_files_are_read_by_their_labels(tmp_path):
    for method in (KMember(), FullDomain()):
        release = method(table(), KAnonymity(4))
        [path, *_, book] = release.export(tmp_path / "out.csv")
        roles = {"quasi": ["age", "town", "job"], "sensitive": ["ill"]}
        assert json.loads(book.read_text())["release"] == {"kind": "generalized", **roles}
        assert roles_of(path) == (roles["quasi"], roles["sensitive"])
        assert isinstance(read_release(path, original=release.table), Foreign)


ANYBODY = {
    "buckets": (Mondrian(publish="bucketized"), KAnonymity(5)),
    "relaxed buckets": (Mondrian(publish="bucketized", strict=False), KAnonymity(5)),
    "suppressed": (Mondrian(publish="bucketized", suppress=0.1), KAnonymity(9)),
    "exchanged": (RakedBuckets(publish="exchanged"), TCloseness(0.4)),
    "one file": (RakedBuckets(files="flat"), TCloseness(0.4)),
    "noise": (RandomizedResponse(), None),
    "noise on a quasi-identifier": (RandomizedResponse(columns=("plain", "s")), None),
    "clusters": (KMember(), KAnonymity(4)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANYBODY)
@pytest.mark.parametrize("seed", range(3))
def test_releases_of_any_people_are_read_back(name, seed, tmp_path):
    """Numbers, dates and text with missing values, neutral columns, one or two sensitive columns."""
    sensitive, quasi = ["s", "s2"][: 1 + seed % 2], [["whole", "word", "plain"], ["real", "day", "plain"]][seed % 2]
    frame = random_frame(seed, 120, missing=(0, 0.15)[seed % 2])[[*quasi, *sensitive, "one"]]
    table = Table.from_frame(frame, quasi, sensitive)
    if seed == 2:
        table = table.with_settings(regions={})
    method, model = ANYBODY[name]
    try:
        release = method(table, model, 1)
    except BadInput:
        pytest.skip("the method takes one sensitive column without missing values")
    [path, *_] = release.export(tmp_path / "out.csv", giveaways=True)
    expected, found = figures(release), figures(read_release(path, original=table))
    for key, value in expected.items():
        if name == "one file" and key in ("U_loss", "Q_err", "KL"):
            continue
        assert found[key] == (None if value is None else pytest.approx(value, rel=1e-7, abs=1e-12)), key


def test_weights_are_not_in_a_file(tmp_path):
    frame = people().assign(w=np.arange(300) % 4 + 1)[["age", "town", "ill", "w"]]
    given = Table.from_frame(frame, ["age", "town"], "ill", weight="w")
    release = RandomizedResponse()(given)
    [path, *_] = release.export(tmp_path / "out.csv")
    read = read_release(path, original=given)
    assert PrivacyLoss()(read).value == pytest.approx(PrivacyLoss()(release).value)
    with pytest.raises(Undefined, match="weights of its records"):
        UtilityLoss(0.1)(read)
