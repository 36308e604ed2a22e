"""A study whose data contain planted markers, which must occur only in the releases."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.studies.study import Study

PLACE = "secret-place-of-the-data"
RARE_TOWN, RARE_DISEASE = "Markerville", "Markeritis"
TOWNS = ("Ash", "Birch", "Cedar", "Dale", "Elm", "Fir")

BUCKETIZED = {
    "method": {"name": "mondrian", "publish": "bucketized"},
    "model": {"name": "l-diversity", "l": [1.2, 1.5]},
}


def people(count: int = 600) -> pd.DataFrame:
    """Return people: the old have ulcers, the young the flu; each has a name, a few a higher wage."""
    rng = random.Random(7)
    rows = []
    for i in range(count):
        age = rng.randint(20, 69)
        rows.append(
            {
                "name": f"planted-{i:04d}",
                "age": age,
                "town": RARE_TOWN if i == 17 else rng.choice(TOWNS),
                "sex": rng.choice(("F", "M")),
                "disease": RARE_DISEASE
                if i < 3
                else rng.choices(("Ulcer", "Flu", "Cold", "Gout"), [6, 1, 2, 2] if age > 45 else [1, 6, 2, 1])[0],
                "wage": 11_003.7 if i % 200 == 0 else 10_003.7,
            }
        )
    rng.shuffle(rows)
    return pd.DataFrame(rows)


def planted(folder: Path, **changes: Any) -> Study:
    """Return a study of these people; the name of its data file is a marker, too."""
    (folder / PLACE).mkdir(exist_ok=True)
    people().to_csv(folder / PLACE / "people.csv", index=False)
    described: dict[str, Any] = {
        "study": "Who is ill",
        "data": {"path": f"{PLACE}/people.csv"},
        "roles": {"quasi": ["age", "town", "sex"], "sensitive": ["disease"], "identifiers": ["name"]},
        "hierarchies": {"age": {"builder": "intervals", "widths": [10, 20]}},
        "recipes": [
            {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [4, 12, 40, 120]}},
            {
                "method": {"name": "mondrian"},
                "model": {"name": "t-closeness", "t": [0.05, 0.1, 0.2, 0.3], "distance": "js"},
            },
        ],
        "measures": [
            {"name": "privacy loss"},
            {"name": "utility loss"},
            {"name": "adversary's accuracy gain"},
            {"name": "re-identification risk"},
        ],
        "axes": ["P_loss", "U_loss"],
    }
    return Study.from_dict({**described, **changes}, folder)
