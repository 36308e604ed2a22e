"""The generalization lattice as a data frame: the figures of every combination of one level per column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, safe_repr
from workbench.data.column import unused_name as spare_name
from workbench.data.table import Table
from workbench.frontier.frontier import undominated
from workbench.measures import Measure
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.geometric_loss import GeometricLoss
from workbench.methods import allowance, refuse_impossible
from workbench.methods.full_domain.full_domain import figure, is_scored_by_class, measure_nodes, node_name, score_nodes
from workbench.models import Model

BREAKING, LEFT_OUT, CLASSES, KEEPS, EFFICIENT = "breaking", "left out", "classes", "keeps", "efficient"


def lattice(
    table: Table, model: Model | None = None, measures: Iterable[Measure] | None = None, *, suppress: float = 0.0
) -> pd.DataFrame:
    """Evaluate every node of the generalization lattice.

    Parameters
    ----------
    table
        The original records, with hierarchies.
    model
        The privacy model that nodes should satisfy.
    measures
        By default geometric loss and, with a sensitive column, P_loss. A measure that cannot be computed class by
        class, such as U_loss, takes longer than all the others: it is evaluated only on the nodes that are efficient
        without it, and is missing elsewhere.
    suppress
        Share of the records that may be suppressed.

    Returns
    -------
    pandas.DataFrame
        One row per node: `Recipe(FullDomain(suppress, levels=node), model)` is its recipe. The index names the node.
        The columns are its levels, one for each quasi-identifier; the figures of the model's parts; `classes`;
        `breaking`, the records of classes that violate the model; `left out`, the suppressed ones of these; whether the
        node `keeps` the model if a share of `suppress` may be suppressed; the measures; and whether the node is
        `efficient`: of the nodes that satisfy the model, no other is at least as good on every measure and better on
        one. The figures of a node that does not satisfy the model are those of the release of all records.

    Examples
    --------
    >>> import pandas as pd
    >>> from workbench import Table, builders, lattice, models
    >>> people = pd.DataFrame({"age": [30, 31, 60, 61] * 5, "ill": ["flu", "none", "none", "none"] * 5})
    >>> ages = builders.Intervals(widths=[10, 50])
    >>> table = Table.from_frame(people, quasi=["age"], sensitive="ill", hierarchies={"age": ages})
    >>> lattice(table, models.KAnonymity(10))["keeps"].tolist()
    [False, True, True, True]
    """
    chosen = _checked(table, model, measures, suppress)
    fast = [measure for measure in chosen if is_scored_by_class(measure, table)]
    if not any(measure.side == "utility" for measure in fast):
        fast.insert(0, GeometricLoss())
    scores, spare = score_nodes(table, model, fast, figures=True), allowance(table, suppress)
    keeps = scores.keeps(spare)
    figures = {key: scores.released_figure(key, spare) for key in scores.figures}
    efficient = _efficient({measure: figures[measure.key] for measure in fast}, keeps)
    columns: list[tuple[str, np.ndarray]] = list(zip(table.quasi, scores.lattice.levels.T, strict=True))
    columns += [(figure(part), figures[figure(part)]) for part in (model.parts if model else ())]
    columns.append((CLASSES, np.where(keeps, scores.classes[:, 1], scores.classes[:, 0])))
    columns += [(BREAKING, scores.breaking), (LEFT_OUT, np.where(keeps, scores.breaking, 0)), (KEEPS, keeps)]
    for measure in dict.fromkeys([*fast, *chosen]):
        values = figures.get(measure.key)
        if values is None:
            values = np.full(len(keeps), np.nan)
            values[efficient] = measure_nodes(scores, model, measure, np.flatnonzero(efficient))
        columns.append((measure.key, values))
    columns.append((EFFICIENT, efficient))
    nodes = table.remember("names of nodes", lambda: pd.Index([node_name(table, one) for one in scores.lattice.levels]))
    frame = pd.DataFrame(index=nodes.rename("node"))
    for name, values in columns:  # a column of the data may have the same name
        frame[spare_name(name, frame.columns)] = values
    return frame


def _efficient(figures: Mapping[Measure, np.ndarray], keeps: np.ndarray) -> np.ndarray:
    """Return which nodes no other dominates, of those that satisfy the model."""
    losses = [values if measure.better == "lower" else -values for measure, values in figures.items()]
    found = np.zeros(len(keeps), bool)
    found[keeps] = undominated(np.column_stack(losses)[keeps])
    return found


def _checked(table: Table, model: Model | None, measures: Iterable[Measure] | None, suppress: float) -> list[Measure]:
    """Return the measures (by default geometric loss and, with sensitive columns, P_loss); raise BadInput for invalid
    input.
    """
    for given, kind, what in ((table, Table, "table"), (model, Model | None, "model")):
        if not isinstance(given, kind):
            raise BadInput(f"lattice: {safe_repr(given)} is not a {what}; call lattice(table, model, [measures])")
    if isinstance(suppress, bool) or not isinstance(suppress, Real) or not 0 <= suppress <= 1:
        raise BadInput(f"lattice: suppress = {safe_repr(suppress)} must be a share of the records, from 0 to 1")
    if measures is None:
        return [GeometricLoss(), *([PrivacyLoss()] if table.sensitive else [])]
    chosen = list(measures) if isinstance(measures, Iterable) else [measures]
    for measure in chosen:
        if not isinstance(measure, Measure):
            raise BadInput(f"lattice: {safe_repr(measure)} is not a measure; write, for example, GeometricLoss()")
        measure.check(table)
    for part in model.parts if model else ():
        refuse_impossible(table, part, suppress=1.0)
    return list(dict.fromkeys(chosen))
