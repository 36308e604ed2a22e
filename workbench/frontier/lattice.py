"""The lattice as a frame: every combination of one level a column, what it costs, and which are efficient."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, said
from workbench.data.column import spare as spare_name
from workbench.data.table import Table
from workbench.frontier.frontier import undominated
from workbench.measures import Measure
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.geometric_loss import GeometricLoss
from workbench.methods import allowance, refuse_impossible
from workbench.methods.full_domain.choice import measured, named
from workbench.methods.full_domain.scores import figure, follows, scored
from workbench.models import Model

BREAKING, LEFT_OUT, CLASSES, KEEPS, EFFICIENT = "breaking", "left out", "classes", "keeps", "efficient"


def lattice(
    table: Table, model: Model | None = None, measures: Iterable[Measure] | None = None, *, suppress: float = 0.0
) -> pd.DataFrame:
    """One row a node, every one scored: `Recipe(FullDomain(suppress, levels=node), model)` is its recipe.

    The index names the node; then come its levels, a column for each quasi-identifier; the figures of the model's
    parts; `classes`; `breaking`, the records of classes that break the model; `left out`, how many of them are;
    whether the node `keeps` the model where a share of `suppress` may be left out; the measures; and whether it is
    `efficient`: of those that keep the model, no other is at least as good on every measure and better on one.
    Of a node that does not keep the model figures are of the release of all records.

    A measure that does not follow from the classes one by one, such as U_loss, takes longer than all the others
    together: it is taken of the nodes that are efficient without it, and has no value elsewhere.
    """
    chosen = _checked(table, model, measures, suppress)
    fast = [measure for measure in chosen if follows(measure, table)]
    if not any(measure.side == "utility" for measure in fast):
        fast.insert(0, GeometricLoss())
    scores, spare = scored(table, model, fast, figures=True), allowance(table, suppress)
    keeps = scores.keeps(spare)
    told = {key: scores.of(key, spare) for key in scores.figures}
    efficient = _efficient({measure: told[measure.key] for measure in fast}, keeps)
    columns: list[tuple[str, np.ndarray]] = list(zip(table.quasi, scores.lattice.levels.T, strict=True))
    columns += [(figure(part), told[figure(part)]) for part in (model.parts if model else ())]
    columns.append((CLASSES, np.where(keeps, scores.classes[:, 1], scores.classes[:, 0])))
    columns += [(BREAKING, scores.breaking), (LEFT_OUT, np.where(keeps, scores.breaking, 0)), (KEEPS, keeps)]
    for measure in dict.fromkeys([*fast, *chosen]):
        values = told.get(measure.key)
        if values is None:
            values = np.full(len(keeps), np.nan)
            values[efficient] = measured(scores, model, measure, np.flatnonzero(efficient))
        columns.append((measure.key, values))
    columns.append((EFFICIENT, efficient))
    nodes = table.remember("names of nodes", lambda: pd.Index([named(table, one) for one in scores.lattice.levels]))
    frame = pd.DataFrame(index=nodes.rename("node"))
    for name, values in columns:  # a column of the data may be called like one of ours
        frame[spare_name(name, frame.columns)] = values
    return frame


def _efficient(figures: Mapping[Measure, np.ndarray], keeps: np.ndarray) -> np.ndarray:
    """Which nodes no other dominates, of those that keep the model."""
    losses = [values if measure.better == "lower" else -values for measure, values in figures.items()]
    found = np.zeros(len(keeps), bool)
    found[keeps] = undominated(np.column_stack(losses)[keeps])
    return found


def _checked(table: Table, model: Model | None, measures: Iterable[Measure] | None, suppress: float) -> list[Measure]:
    """The measures, by default geometric loss and, where something is sensitive, P_loss; BadInput for what is wrong."""
    for given, kind, what in ((table, Table, "table"), (model, Model | None, "model")):
        if not isinstance(given, kind):
            raise BadInput(f"lattice: {said(given)} is no {what}; call lattice(table, model, [measures])")
    if isinstance(suppress, bool) or not isinstance(suppress, Real) or not 0 <= suppress <= 1:
        raise BadInput(f"lattice: suppress = {said(suppress)} must be a share of the records, from 0 to 1")
    if measures is None:
        return [GeometricLoss(), *([PrivacyLoss()] if table.sensitive else [])]
    chosen = list(measures) if isinstance(measures, Iterable) else [measures]
    for measure in chosen:
        if not isinstance(measure, Measure):
            raise BadInput(f"lattice: {said(measure)} is not a measure; write, for example, GeometricLoss()")
        measure.check(table)
    for part in model.parts if model else ():
        refuse_impossible(table, part, suppress=1.0)
    return list(dict.fromkeys(chosen))
