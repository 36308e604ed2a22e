"""Record what miners predict from the releases of Brickell & Shmatikov (2008), for the notebook and its tests.

Some minutes on two cores: table 2 and figures 1 to 4, with every cut considered and with each attribute's best alone.

    .venv/bin/python scripts/record_brickell_shmatikov.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from workbench.data.datasets import adult  # noqa: E402
from workbench.data.table import Table  # noqa: E402
from workbench.measures import AccuracyGain  # noqa: E402
from workbench.methods import Mondrian  # noqa: E402
from workbench.miners import DecisionTree, Miner, NaiveBayes, RandomForest  # noqa: E402
from workbench.miners.cross_fitting import original_release, predict_target  # noqa: E402
from workbench.models import DeltaDisclosure, KAnonymity, Model, RecursiveLDiversity, TCloseness  # noqa: E402
from workbench.releases.base import Release  # noqa: E402

RECORD = ROOT / "data" / "papers" / "brickell_shmatikov_2008.csv"
COLUMNS = ["age", "workclass", "education", "marital_status", "occupation", "race", "sex", "native_country", "salary"]
MINERS: dict[str, Miner] = {  # as Weka had them: its forest had ten trees, grown until their leaves are pure
    "decision tree": DecisionTree(),
    "random forest": RandomForest(trees=10, leaf=1),
    "naive bayes": NaiveBayes(),
}
TABLE_2 = ("workclass", "education", "marital_status", "occupation", "native_country", "salary")
TRIVIAL = ("original", "without quasi-identifiers", "without sensitive columns")


class Experiment(NamedTuple):
    quasi: tuple[str, ...]
    sensitive: str
    workload: str
    diverse: tuple[int, ...]

    @cache  # noqa: B019
    def table(self) -> Table:
        """The nine columns of the paper's table 1."""
        table = adult(quasi=self.quasi, sensitive=self.sensitive)
        return table.drop(name for name in table.names if name not in COLUMNS)

    def models(self) -> dict[str, Model]:
        """Return the models of table 3; the whole table of marital status is at most (3,3)-diverse."""
        found: dict[str, Model] = {f"k={k}": KAnonymity(k) for k in (10, 100, 1000)}
        found |= {f"l={n}": RecursiveLDiversity(3, n) for n in self.diverse}
        found |= {f"t={t}": TCloseness(t) for t in (0.4, 0.3, 0.2)}
        return found | {f"delta={d}": DeltaDisclosure(d) for d in (1.2, 1.0, 0.8)}

    def release(self, name: str, cuts: str) -> Release:
        """Make a release by Mondrian with the researcher's target."""
        how = Mondrian(split="information_gain", target=self.workload, cuts=cuts)
        return how(self.table(), self.models()[name])

    def tasks(self) -> list[tuple[str, str]]:
        """Target and miner: a tree learns the sensitive column (figures 1 and 2), three the workload (3 and 4)."""
        return [(self.sensitive, "decision tree"), *((self.workload, name) for name in MINERS)]


EXPERIMENTS = {
    "Marital": Experiment(("age", "occupation", "education"), "marital_status", "salary", (2, 3)),
    "Occupation": Experiment(("age", "sex", "race"), "occupation", "marital_status", (2, 5, 10)),
}


def accuracy(release: Release, target: str, miner: str, gone: tuple[str, ...] = ()) -> float:
    """Return the share of records that the miner predicts correctly, without the columns `gone`."""
    given = [name for name in COLUMNS if name not in (target, *gone)]
    found = predict_target(release, target, MINERS[miner], given=given)
    return round(float((found.predicted == found.true).mean()), 5)


def plain(name: str) -> Iterator[dict[str, object]]:
    """Yield the accuracy on the original and on both trivial sanitizations."""
    one = EXPERIMENTS[name]
    before, gone = original_release(one.table()), dict(zip(TRIVIAL, ((), one.quasi, (one.sensitive,)), strict=True))
    more = [(target, "decision tree") for target in TABLE_2 if name == "Occupation"]
    for (target, miner), what in product(dict.fromkeys(one.tasks() + more), TRIVIAL):
        if target not in gone[what] and (what != TRIVIAL[2] or target == one.workload):
            found = accuracy(before, target, miner, gone[what])
            yield {"dataset": name, "release": what, "target": target, "miner": miner, "accuracy": found}


def sanitised(name: str, cuts: str) -> Iterator[dict[str, object]]:
    """Yield the accuracy on each release, with the attacker's gain."""
    one = EXPERIMENTS[name]
    for label in one.models():
        release = one.release(label, cuts)
        told = {"classes": len(release.classes), "A_acc": round(AccuracyGain()(release).value, 5)}
        for target, miner in one.tasks():
            found = accuracy(release, target, miner)
            yield {"dataset": name, "cuts": cuts, "release": label, **told} | {
                "target": target, "miner": miner, "accuracy": found
            }  # fmt: skip


def main() -> None:
    rows = [row for name in EXPERIMENTS for row in plain(name)]
    rows += [row for name, cuts in product(EXPERIMENTS, ("all", "best")) for row in sanitised(name, cuts)]
    order = ["dataset", "cuts", "release", "classes", "A_acc", "target", "miner", "accuracy"]
    pd.DataFrame(rows)[order].astype({"classes": "Int64"}).to_csv(RECORD, index=False)


if __name__ == "__main__":
    main()
