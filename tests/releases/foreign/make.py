"""Make the nine tables in this folder with anjana: see README.md for the environment it runs in."""

import random
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity, l_diversity, t_closeness

HERE = Path(__file__).parent
QUASI = ["age", "zip", "work"]
WORK = {"Farm": "Outdoors", "Fishing": "Outdoors", "Shop": "Indoors", "Office": "Indoors", "Clinic": "Indoors"}


def people(count: int = 300) -> pd.DataFrame:
    """Return people: old farmers near 479 with ulcers, young shopkeepers near 130 with the flu; HIV is rare."""
    rng, rows = random.Random(2009), []
    for person in range(count):
        old = rng.random() < 0.35
        rows.append(
            {
                "name": f"person {person}",
                "age": min(89, max(18, round(rng.gauss(61, 9) if old else rng.gauss(29, 6)))),
                "zip": (rng.choice(["47901", "47905", "47906"]) if old else rng.choice(["13053", "13068", "14850"])),
                "work": rng.choices(list(WORK), [8, 3, 2, 1, 1] if old else [1, 1, 7, 5, 2])[0],
                "disease": rng.choices(
                    ["Ulcer", "Flu", "Asthma", "Gastritis", "HIV"], [6, 3, 2, 4, 1] if old else [1, 9, 4, 2, 1]
                )[0],
            }
        )
    return pd.DataFrame(rows)


def bands(ages: pd.Series, width: int) -> list[str]:
    return [f"[{age // width * width}, {age // width * width + width})" for age in ages]


def hierarchies(data: pd.DataFrame) -> dict:
    stars = ["*"] * len(data)
    ages = {0: data.age.values, 1: bands(data.age, 10), 2: bands(data.age, 20), 3: bands(data.age, 40), 4: stars}
    zips = {level: [zip[: 5 - level] + "*" * level for zip in data.zip] for level in range(6)}
    return {"age": ages, "zip": zips, "work": {0: data.work.values, 1: [WORK[w] for w in data.work], 2: stars}}


def main() -> None:
    data = people()
    data.to_csv(HERE / "original.csv", index=False)

    def write(name: str, made: pd.DataFrame) -> None:
        assert len(made), name
        made.drop(columns=["name", "index"], errors="ignore").to_csv(HERE / f"{name}.csv", index=False)
        print(name, len(made), made[QUASI].drop_duplicates().shape[0])

    levels = hierarchies(data)
    for k, share in ((3, 10), (5, 20), (15, 5)):
        write(f"k_{k}", k_anonymity(data.copy(), ["name"], QUASI, k, share, levels))
    for l, share in ((2, 10), (3, 30), (4, 10)):
        write(f"l_{l}", l_diversity(data.copy(), ["name"], QUASI, "disease", 3, l, share, levels))
    for t, share in ((0.6, 10), (0.45, 5), (0.25, 20)):
        write(f"t_{t:g}", t_closeness(data.copy(), ["name"], QUASI, "disease", 3, t, share, levels))


if __name__ == "__main__":
    main()
