"""Random small studies: skewed, correlated, of several kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from workbench.studies.study import Study

MORE_MEASURES = (
    "adversary's accuracy gain", "adversary's knowledge gain", "re-identification risk", "information loss",
    "discernibility", "largest quotient", "average class size", "information gain", "number of classes",
)  # fmt: skip
KINDS = ("two values", "several values", "two columns", "nothing sensitive", "numbers", "missing")
TOWNS = ("Ash", "Birch", "Cedar", "Dale")
WARDS = {"ward": ("north", "south")}
WINGS = {**WARDS, "wing": ("east", "west")}


def random_frame(kind: str, rng: np.random.Generator) -> pd.DataFrame:
    count = int(rng.integers(60, 260))
    age = np.minimum(20 + rng.geometric(0.06, count), 79)
    towns = rng.choice(TOWNS, count, p=[0.5, 0.3, 0.15, 0.05])
    frame = pd.DataFrame({"age": age, "sex": rng.choice(["F", "M"], count), "town": towns})
    old = (age > 35).astype(int)
    draw = rng.random(count)
    frame["ill"] = np.where(draw < np.where(old, 0.45, rng.uniform(0.02, 0.15)), "yes", "no")
    if kind in ("several values", "missing"):
        frame["ill"] = np.array(["flu", "cold", "ulcer", "gout"])[np.minimum((draw * 3 + old).astype(int), 3)]
    if kind == "two columns":
        frame["rich"] = np.where(rng.random(count) < 0.2 + 0.4 * old, "rich", "poor")
    if kind == "numbers":
        frame["ill"] = np.minimum(rng.geometric(np.where(old, 0.25, 0.5)), 8) * 10
    if kind == "missing":
        frame.loc[rng.random(count) < 0.08, "town"] = None
        frame.loc[rng.random(count) < 0.08, "ill"] = None
    return frame


def batch_with_parts(
    study: Study, frame: pd.DataFrame, rng: np.random.Generator, by: Mapping[str, tuple[str, str]]
) -> tuple[list[Study], pd.DataFrame]:
    """Return a study of all records and one per part by one or several columns, and the frame with these columns."""
    frame = frame.assign(**{name: rng.permutation(np.resize(list(parts), len(frame))) for name, parts in by.items()})
    whole = Study.from_dict({**study.to_dict(), "roles": {**study.to_dict()["roles"], "dropped": list(by)}})
    only = [{name: part} for name, parts in by.items() for part in parts]
    return [whole, *(whole.with_(data={**whole.data, "only": one}) for one in only)], frame


def random_study(kind: str, rng: np.random.Generator) -> Study:
    sensitive = {"nothing sensitive": [], "two columns": ["ill", "rich"]}.get(kind, ["ill"])
    ks = sorted({int(k) for k in rng.integers(2, 30, 2)})
    recipes: list[dict[str, Any]] = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": ks}}]
    measures: list[dict[str, Any]] = [{"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.2}]
    axes = ["P_loss", "U_loss(min_support=0.2)"]
    if sensitive:
        model = rng.choice(["t-closeness", "l-diversity"])
        parameters = {"t": round(float(rng.uniform(0.1, 0.5)), 2)} if model == "t-closeness" else {"l": 1.3}
        recipes.append({"method": {"name": "mondrian"}, "model": {"name": str(model), **parameters}})
        measures += [{"name": str(name)} for name in rng.choice(MORE_MEASURES, 3, replace=False)]
        measures.append({"name": "re-identification risk", "statistic": str(rng.choice(["average", "unique"]))})
    else:
        measures = [{"name": "re-identification risk"}, {"name": "information loss"}, {"name": "discernibility"}]
        axes = ["R_id", "NCP"]
    return Study.from_dict(
        {
            "study": "Small", "data": {"given": "small"}, "measures": measures, "axes": axes, "recipes": recipes,
            "roles": {"quasi": ["age", "sex", "town"], "sensitive": sensitive},
            "hierarchies": {"age": {"builder": "intervals", "widths": [10, 20]}},
            "smallest": int(rng.choice([5, 10])),
            "workloads": {"mine": ["age >= 30", "age >= 31 and sex = 'F'", "avg(age) where sex = 'M'"]},
        }
    )  # fmt: skip


def random_queries(rng: np.random.Generator, count: int) -> tuple[pd.DataFrame, list[str]]:
    """Return people and overlapping queries about them: adjacent cuts, nested conditions and complements."""
    frame = pd.concat([random_frame("several values", rng) for _ in range(1 + count // 60)], ignore_index=True)[:count]
    cut, town, ill = int(rng.integers(25, 45)), str(rng.choice(TOWNS)), str(rng.choice(["flu", "cold", "ulcer"]))
    texts = [
        f"age >= {cut}", f"age >= {cut + 1}", f"age < {cut}", "sex = 'F'", "sex = 'M'", f"town = '{town}'",
        f"town != '{town}' and sex = 'F'", f"ill = '{ill}'", f"ill = '{ill}' and age >= {cut}",
        f"ill = '{ill}' and age >= {cut + 2}", f"ill = '{ill}' and town != 'Dale'", f"avg(age) where town = '{town}'",
    ]  # fmt: skip
    return frame, [str(text) for text in rng.permutation(texts)]
