"""The inputs of the workbench and its parts: a study, a table, a data frame or a path; and the initial study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from workbench.base.errors import BadInput, safe_repr
from workbench.data.datasets import ADULT_HIERARCHIES
from workbench.data.hierarchies.proposal import recover
from workbench.data.table import Table, without_assigned_roles
from workbench.studies.proposal import AXES as AXES
from workbench.studies.proposal import MEASURES as MEASURES
from workbench.studies.proposal import hierarchy_of, measures_for, quasi_hierarchy, recipes_for
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import BUNDLED, Study

ADULT = Study(
    name="Adult census data",
    data={BUNDLED: "adult", "drop_missing": True},
    quasi=("age", "workclass", "education", "marital_status", "race", "sex"),
    sensitive=("occupation",),
    # published unchanged, they would identify people or reveal what a release generalizes
    dropped=(
        "fnlwgt", "education_num", "relationship", "capital_gain", "capital_loss", "hours_per_week", "native_country",
        "salary",
    ),
)  # fmt: skip
MIN_CLASS_SIZE = {"name": "k-anonymity", "k": 5}  # models of distributions allow classes of two or three records
# the curves of Li & Li (2009), figure 2(a), with a minimum class size and a few more points
RECIPES: tuple[dict[str, Any], ...] = tuple(
    {"method": {"name": "mondrian"}, "model": model}
    for model in (
        {"name": "k-anonymity", "k": [5, 10, 50, 100, 200, 500, 1000, 2000, 5000]},
        [MIN_CLASS_SIZE, {"name": "l-diversity", "l": [2, 2.5, 3, 3.5, 4, 4.5, 5]}],
        [MIN_CLASS_SIZE, {"name": "t-closeness", "t": [0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4], "distance": "js"}],
    )
)
STUDIES = (".yaml", ".yml")


def study_from_input(given: Any) -> tuple[Study, Any, Path | None]:
    """Return the initial study, the data if they were passed directly, and the study's file if one was given."""
    if isinstance(given, Study):
        return given, None, None
    if isinstance(given, Table):
        return (
            _with_defaults(_study_from_table(given)),
            without_assigned_roles(given.without_hierarchies(given.names)),
            None,
        )
    if isinstance(given, pd.DataFrame):
        return _with_defaults(Study(name="from the notebook", data={"given": "frame"})), given, None
    if isinstance(given, str) and given == "adult":
        return propose_hierarchies(_with_defaults(ADULT), ()), None, None
    if isinstance(given, str | Path):
        path = Path(given)
        if path.suffix.lower() in STUDIES:
            return Study.open(path), None, path
        return _with_defaults(Study(name=path.name.split(".")[0], data={"path": str(path)})), None, None
    raise BadInput(f"{safe_repr(given)} is not a data frame, table, path, study or 'adult'")


def table_from_input(given: Any) -> Table | None:
    """Return the table of an input, with the roles of its study; without roles if there are no quasi-identifiers."""
    if given is None or isinstance(given, Table):
        return given
    study, handed, _ = study_from_input(given)
    base = study.read(handed)
    return study.table(base) if study.quasi else base


def _study_from_table(table: Table) -> Study:
    """Return a study with a table's roles and hierarchies."""
    hierarchies = {n: recover(column).to_dict() for n, column in table.columns.items() if column.hierarchy}
    study = Study(name="from the notebook", data={"given": "table"}, hierarchies=hierarchies)
    weight = (table.weight,) if table.weight else ()
    return study.with_(quasi=table.quasi, sensitive=tuple(table.sensitive), weight=weight, levels=table.levels)


def _with_defaults(study: Study) -> Study:
    return study.with_(recipes=RECIPES, measures=MEASURES, axes=AXES)


def propose_hierarchies(study: Study, before: tuple[str, ...], base: Table | None = None) -> Study:
    """Propose a hierarchy for each new quasi-identifier, and for each sensitive column with a level, that has none."""
    found = dict(study.hierarchies)
    for name in (*study.quasi, *study.levels):
        if name in before or name in found:
            continue
        if study.data.get(BUNDLED) == "adult" and name in ADULT_HIERARCHIES:
            found[name] = BUNDLED
        elif base is not None and name in base.columns:
            quasi = name in study.quasi
            given, _ = quasi_hierarchy(base, name, study.quasi) if quasi else hierarchy_of(base.columns[name])
            if given is not None:
                found[name] = given
    return study.with_(hierarchies=found)


def update_proposals(before: Study, was: Table | None, after: Study, table: Table) -> Study:
    """Replace proposed recipes, measures and axes that the user kept with the proposals for the new table."""
    recipes, (measures, axes) = (RECIPES, (MEASURES, AXES)) if was is None else (recipes_for(was), measures_for(was))
    changes: dict[str, Any] = {}
    if tuple(before.recipes) == recipes == tuple(after.recipes):
        changes["recipes"] = recipes_for(table)
    if tuple(before.measures) == measures == tuple(after.measures) and before.axes == axes == after.axes:
        changes["measures"], changes["axes"] = measures_for(table)
    return after.with_(**changes)


def used_hierarchies(study: Study) -> dict[str, Any]:
    """Return the hierarchies of quasi-identifiers and sensitive columns; other columns do not use theirs."""
    return {name: spec for name, spec in study.hierarchies.items() if name in (*study.quasi, *study.sensitive)}


def rename_after_data(before: Study, after: Study) -> Study:
    """Rename a study that still has the default name of its previous data."""
    if data_settings(before) == data_settings(after) or before.name != default_name(before):
        return after
    return after.with_(name=default_name(after))


def default_name(study: Study) -> str:
    """Return the default name of a study."""
    if BUNDLED in study.data:
        return ADULT.name
    if "path" in study.data:
        return Path(str(study.data["path"])).name.split(".")[0]
    given = str(study.data.get("given", ""))
    return given.removeprefix("upload: ").split(".")[0] if given.startswith("upload: ") else "from the notebook"


def data_settings(study: Study) -> dict[str, Any]:
    """Return the settings that decide which data are read; filters come later."""
    return {key: value for key, value in study.data.items() if key not in LEAVES_OUT}
