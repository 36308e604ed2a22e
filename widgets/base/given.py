"""What the workbench, or a part alone, is given: a study, a table, a frame or a path; and the study to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from workbench.base.errors import BadInput, safe_repr
from workbench.data.datasets import ADULT_HIERARCHIES
from workbench.data.hierarchies.recovery import recover
from workbench.data.table import Table
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
AT_LEAST = {"name": "k-anonymity", "k": 5}  # models of distributions alone allow classes of two or three records
# the curves of Li & Li (2009), figure 2(a), with a smallest class size, and a few points more
RECIPES: tuple[dict[str, Any], ...] = tuple(
    {"method": {"name": "mondrian"}, "model": model}
    for model in (
        {"name": "k-anonymity", "k": [5, 10, 50, 100, 200, 500, 1000, 2000, 5000]},
        [AT_LEAST, {"name": "l-diversity", "l": [2, 2.5, 3, 3.5, 4, 4.5, 5]}],
        [AT_LEAST, {"name": "t-closeness", "t": [0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4], "distance": "js"}],
    )
)
STUDIES = (".yaml", ".yml")


def begin(given: Any) -> tuple[Study, Any, Path | None]:
    """The study to begin with, the data if they were handed over, and the study's file if that was given."""
    if isinstance(given, Study):
        return given, None, None
    if isinstance(given, Table):
        return _asking(_as_it_is(given)), given.without_hierarchies(given.names).unassigned(), None
    if isinstance(given, pd.DataFrame):
        return _asking(Study(name="from the notebook", data={"given": "frame"})), given, None
    if isinstance(given, str) and given == "adult":
        return proposed(_asking(ADULT), ()), None, None
    if isinstance(given, str | Path):
        path = Path(given)
        if path.suffix.lower() in STUDIES:
            return Study.open(path), None, path
        return _asking(Study(name=path.name.split(".")[0], data={"path": str(path)})), None, None
    raise BadInput(f"{safe_repr(given)} is not a data frame, table, path, study or 'adult'")


def table_of(given: Any) -> Table | None:
    """The table of what a workbench may be given: in the roles of its study, in none where it names no quasi."""
    if given is None or isinstance(given, Table):
        return given
    study, handed, _ = begin(given)
    base = study.read(handed)
    return study.table(base) if study.quasi else base


def _as_it_is(table: Table) -> Study:
    """The study that a table's roles and hierarchies make."""
    hierarchies = {n: recover(column).to_dict() for n, column in table.columns.items() if column.hierarchy}
    study = Study(name="from the notebook", data={"given": "table"}, hierarchies=hierarchies)
    weight = (table.weight,) if table.weight else ()
    return study.with_(quasi=table.quasi, sensitive=tuple(table.sensitive), weight=weight, levels=table.levels)


def _asking(study: Study) -> Study:
    return study.with_(recipes=RECIPES, measures=MEASURES, axes=AXES)


def proposed(study: Study, before: tuple[str, ...], base: Table | None = None) -> Study:
    """The study with a hierarchy for every quasi-identifier that was none before, and every level, that has none."""
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


def followed(before: Study, was: Table | None, after: Study, table: Table) -> Study:
    """Recipes, measures and axes that nobody has chosen are those that are proposed for the table."""
    recipes, (measures, axes) = (RECIPES, (MEASURES, AXES)) if was is None else (recipes_for(was), measures_for(was))
    changes: dict[str, Any] = {}
    if tuple(before.recipes) == recipes == tuple(after.recipes):
        changes["recipes"] = recipes_for(table)
    if tuple(before.measures) == measures == tuple(after.measures) and before.axes == axes == after.axes:
        changes["measures"], changes["axes"] = measures_for(table)
    return after.with_(**changes)


def used(study: Study) -> dict[str, Any]:
    """The hierarchies of columns that have them in use: those of identifiers would only keep their values."""
    return {name: spec for name, spec in study.hierarchies.items() if name in (*study.quasi, *study.sensitive)}


def renamed(before: Study, after: Study) -> Study:
    """A study that was called after its data is called after the new ones."""
    if origin(before) == origin(after) or before.name != called(before):
        return after
    return after.with_(name=called(after))


def called(study: Study) -> str:
    """Return the default name of a study."""
    if BUNDLED in study.data:
        return ADULT.name
    if "path" in study.data:
        return Path(str(study.data["path"])).name.split(".")[0]
    given = str(study.data.get("given", ""))
    return given.removeprefix("upload: ").split(".")[0] if given.startswith("upload: ") else "from the notebook"


def origin(study: Study) -> dict[str, Any]:
    """Return the settings that decide which data are read; filters come later."""
    return {key: value for key, value in study.data.items() if key not in LEAVES_OUT}
