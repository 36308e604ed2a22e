"""Changes of a study (measures, axes, caps, recipes) when a workload is renamed or removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.base.errors import BadInput, safe_repr
from workbench.base.parameters import WorkloadChoice
from workbench.frontier.frontier import SIDES
from workbench.frontier.recipe import variant, variants
from workbench.studies.study import Study

Names = Mapping[str, str]  # old and new names of workloads; empty for removed ones


def update_references(study: Study, workloads: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the next study; raise BadInput if a removed workload is still needed."""
    gone = [name for name in study.workloads if name not in workloads]
    if not gone:
        return {"workloads": dict(workloads)}
    new = [name for name in workloads if name not in study.workloads]
    renamed = len(gone) == len(new) == 1 and study.workloads[gone[0]] == workloads[new[0]]
    names = {name: new[0] if renamed else "" for name in gone}
    return {
        "workloads": dict(workloads),
        **_measured(study, names),
        "recipes": tuple(_recipe(ranges, names) for ranges in study.recipes),
        "chosen": _chosen(study, names),
    }


def _chosen(study: Study, names: Names) -> Mapping[str, Any]:
    try:
        return _recipe(study.chosen, names) if study.chosen else {}
    except BadInput:
        return {}  # the chosen release needs the removed workload


def _recipe(ranges: Mapping[str, Any], names: Names) -> dict[str, Any]:
    method = _rename_in("method", ranges["method"], names)
    if method is None:
        raise BadInput("a method of this study uses that workload: choose another in Methods and measures first")
    return {**ranges, "method": method}


def _rename_in(kind: str, given: Mapping[str, Any], names: Names) -> dict[str, Any] | None:
    """Return a measure or method with the new name of its workload; None if that is gone."""
    found = dict(given)
    for key, declared in variants(kind)[given["name"]].parameters().items():
        if not isinstance(declared, WorkloadChoice) or key not in given:
            continue
        several = kind == "method" and isinstance(given[key], list)  # for a measure, a list contains queries
        old = given[key] if several else [given[key]]
        now = [names.get(one, one) if isinstance(one, str) else one for one in old]
        if "" in now:
            return None
        found[key] = now if several else now[0]
    return found


def _measured(study: Study, names: Names) -> dict[str, Any]:
    measures, keys = list[Mapping[str, Any]](), dict[str, str]()
    for one in study.measures:
        now = _rename_in("measure", one, names)
        if now is not None:
            measures.append(now)
            keys[variant("measure", one).key] = variant("measure", now).key
    axes = _axes(study, measures, keys, names)
    return {
        "measures": tuple(measures),
        "axes": axes,
        "caps": {keys[key]: cap for key, cap in study.caps.items() if key in keys},
    }


def _axes(
    study: Study, measures: Sequence[Mapping[str, Any]], keys: Mapping[str, str], names: Names
) -> tuple[str, ...]:
    """Return the axes with new names; a removed measure is replaced by the first one of its side."""
    found = []
    for side, key in zip(SIDES, study.axes, strict=False):
        first = next((one.key for one in map(lambda m: variant("measure", m), measures) if one.side == side), None)
        if first is None:
            raise BadInput(
                f"the only measure of {side} uses {safe_repr(next(iter(names)))}: choose another measure first"
            )
        found.append(keys.get(key, first))
    return tuple(found)
