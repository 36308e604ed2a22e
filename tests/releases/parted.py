"""Random tables whose cells are declared too large for memory, and the same tables in memory; column names are
awkward."""

import warnings

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import HIERARCHIES, random_frame
from workbench import models
from workbench.base.errors import Undefined, Unsatisfiable
from workbench.data import engines
from workbench.data.table import Table
from workbench.disclosure.exposure import disclosure_table
from workbench.measures import (
    AverageClassSize,
    Discernibility,
    GroupProtection,
    InformationLoss,
    LargestQuotient,
    NumberOfClasses,
    PopulationUniques,
    PrivacyLoss,
    ReidentificationRisk,
    UtilityLoss,
)
from workbench.releases.in_parts import InParts

NAMES = {
    "whole": 'who"le; --',
    "word": "séléct",
    "real": "c0",
    "day": " part",
    "plain": "number",
    "s": "n",
    "s2": "code",
}
QUASI = [NAMES[name] for name in ("whole", "word", "real", "day", "plain")]
SENSITIVE = [NAMES["s"], NAMES["s2"]]
MODELS = [
    models.KAnonymity(3),
    None,
    models.DistinctLDiversity(2),
    models.EntropyLDiversity(1.5),
    models.ProbabilisticLDiversity(1.4),
    models.RecursiveLDiversity(2.0, 2),
    models.TCloseness(0.35),
    models.AlphaK(0.9, 3),
    models.BetaLikeness(2.0),
    models.DeltaDisclosure(2.0),
    models.KMap(15),
    models.DeltaPresence(0.0, 0.6),
    models.KAnonymity(2) & models.TCloseness(0.5, "js"),
    models.KMap(10) & models.DistinctLDiversity(2),
]


def awkward(frame):
    return frame.rename(columns=NAMES).drop(columns=["person", "one"])


def with_cells_outside_memory(table):
    """Return the same table, declared not to fit in memory."""
    most, engines.MOST = engines.MOST, 0
    try:
        assert not table.engine.cells_fit
    finally:
        engines.MOST = most
    return table


def pair(seed, read=None):
    """Return a random table in memory, and an equal one whose cells do not fit into memory."""
    rng = np.random.default_rng(seed)
    records = int(rng.integers(20, 250))
    frame = awkward(random_frame(seed, records, int(rng.integers(2, 6)), missing=float(rng.choice([0, 0.1]))))
    everybody = pd.concat([frame, awkward(random_frame(seed + 1, 2 * records))])
    quasi = [QUASI[0], *map(str, rng.permutation(QUASI[1:])[: rng.integers(0, 5)])]
    hierarchies = {NAMES[name]: build for name, build in HIERARCHIES.items() if rng.random() < 0.5}
    found = []
    for engine in (None, read or "duckdb"):
        data, options = (frame, {"engine": engine}) if not callable(engine) else (engine(frame), {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # in a small table everything is different in every record
            table = Table.read(data, quasi, SENSITIVE, (), hierarchies, **options)
        found.append(table.with_settings(population=everybody[[*quasi]]))
    return found[0], with_cells_outside_memory(found[1])


RISK = [
    ReidentificationRisk(), ReidentificationRisk("average"), ReidentificationRisk("unique"),
    ReidentificationRisk("above", threshold=0.3),
]  # fmt: skip
RISKS = [measure.key for measure in RISK]
MEASURES = [
    PrivacyLoss(), PrivacyLoss("hierarchical"), InformationLoss(), *RISK, NumberOfClasses(), AverageClassSize(),
    Discernibility(), GroupProtection(), LargestQuotient(), PopulationUniques(1.0),
]  # fmt: skip


def try_call(work, *given):
    try:
        return work(*given)
    except (Unsatisfiable, Undefined) as error:
        return str(error)


def figures(release):
    found = {}
    for measure in MEASURES:
        try:
            one = measure(release)
            found[measure.key] = one.value, one.sentence, one.interval
        except Undefined as error:
            found[measure.key] = str(error)
    return found


def large(release):
    return UtilityLoss(0.15)(release).value


def assert_same_classes(memory, parts):
    assert isinstance(parts, InParts) and repr(parts).partition(" of ")[2] == repr(memory).partition(" of ")[2]
    for array in ("sizes", "low", "high"):
        one, other = getattr(memory.classes, array), getattr(parts.classes, array)
        assert one.dtype == other.dtype and np.array_equal(one, other)
    assert list(memory.classes.histograms) == list(parts.classes.histograms)
    for name, histogram in memory.classes.histograms.items():
        assert np.array_equal(histogram, parts.classes.histograms[name])


def assert_same_figures(memory, parts):
    """Compare classes, all measures, audits, and exposed people."""
    assert_same_classes(memory, parts)
    expected, found = figures(memory), figures(parts)
    losses = [try_call(large, release) for release in (memory, parts)]
    if memory.exact:  # its groups are all combinations of quasi-identifiers, and sums are added in another order
        losses[1] = pytest.approx(losses[1], abs=1e-12)
        for one, other in ((expected.pop(key), found.pop(key)) for key in RISKS):
            assert other[1:] == one[1:] and other[0] == pytest.approx(one[0], rel=1e-12)
    assert found == expected and losses[0] == losses[1]
    assert str(memory.audit(models.KAnonymity(3))) == str(parts.audit(models.KAnonymity(3)))
    assert disclosure_table(memory).equals(disclosure_table(parts))
