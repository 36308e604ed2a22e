"""All privacy figures of a release of about 1,500 classes (k = 15 on Adult), beside pycanon's; attacks; subsets."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TypeVar

from benchmarks.measuring import HERE, Figure, NotInstalled, child, cpu, environment
from workbench.base.errors import Undefined
from workbench.base.parameters import Choice
from workbench.base.variants import Variant, catalog
from workbench.data import datasets
from workbench.disclosure.any_subset import uniqueness_by_subset
from workbench.measures import LEARNERS, LEARNING, AttributeInference, Linkability, Measure, PrivacyLoss, SinglingOut
from workbench.measures.privacy.achieved import Achieved
from workbench.methods import Mondrian
from workbench.models import KAnonymity, Model
from workbench.releases.base import Release

PYCANON = ("pycanon==1.3.6",)
ATTACKS = (SinglingOut, Linkability, AttributeInference)
EIGHT = ("age", "workclass", "education", "marital_status", "race", "sex", "hours_per_week", "native_country")
V = TypeVar("V", bound=Variant)


def measure(runs: int = 15, peer: bool = True) -> list[Figure]:
    release = Mondrian()(datasets.adult(), KAnonymity(15))
    measures = variants(Measure, "workbench.measures")
    models = variants(Model, "workbench.models")
    # a copy of a release remembers nothing: its classes are counted again
    (seconds,) = cpu(lambda: everything(replace(release), measures, models), runs=runs)
    count = len(everything(release, measures, models))
    attacks = [kind() for kind in ATTACKS]
    names = ", ".join(dict.fromkeys(kind.name for kind in (*measures, *models)))
    lines = [
        Figure("classes", len(release.classes), "", 1500, at_least=True),
        Figure(f"all privacy figures, {count} with their variants, CPU", 1000 * seconds, "ms", 60, note=names),
    ]
    (attacked,) = cpu(lambda: [one(replace(release)) for one in attacks], runs=min(runs, 3))
    lines.append(Figure("three attacks on 1,000 people each, CPU", attacked, "s", 5))
    (learnt,) = cpu(lambda: PrivacyLoss(adversary=LEARNING)(replace(release)), runs=min(runs, 3))
    lines.append(Figure("the adversary who learns from all classes, CPU", learnt, "s", 5))
    table = datasets.adult(quasi=EIGHT)
    table.cells()
    (subsets,) = cpu(lambda: uniqueness_by_subset(table), runs=min(runs, 3))
    unique = uniqueness_by_subset(table)["unique"]
    note = f"on {(unique > 0).sum()} of {len(unique)} somebody is unique; {unique.max():,} records on all"
    lines.append(
        Figure("uniqueness on all subsets of eight quasi-identifiers, from cells, CPU", subsets, "s", 1, note=note)
    )
    return [*lines, *_pycanon(release, seconds)] if peer else lines


def variants(base: type[V], package: str) -> list[V]:
    """Every kind of the catalog with every choice of its parameters; of measures, those of privacy."""
    found = []
    for kind in catalog(package, base).values():
        mined = not getattr(kind, "by_default", True)
        if kind in (Achieved, *ATTACKS) or mined or getattr(kind, "side", "privacy") != "privacy":
            continue  # achieved figures come from the models; attacks, miners and learning attackers are timed alone
        choices = {
            name: declared.choices for name, declared in kind.parameters().items() if isinstance(declared, Choice)
        }
        bare = kind.with_loosest_parameters() if issubclass(kind, Model) else kind()
        every = (replace(bare, **dict(zip(choices, chosen, strict=True))) for chosen in product(*choices.values()))
        found += [one for one in every if getattr(one, "adversary", "") not in LEARNERS]
    return found


def everything(release: Release, measures: list[Measure], models: list[Model]) -> list[float]:
    """The value of each figure."""
    classes, found = release.classes, list[float]()
    for figure in (*(lambda one=one: one(release).value for one in measures),
                   *(lambda one=one: one.achieved(classes) for one in models)):  # fmt: skip
        try:
            found.append(figure())
        except Undefined:  # asked of a population, and there is none
            continue
    return found


def _pycanon(release: Release, ours: float) -> list[Figure]:
    what = "pycanon 1.3.6's nine figures on the same release, CPU"
    try:
        python = environment(*PYCANON)
    except NotInstalled as error:
        return [Figure(what, None, "s", note=str(error))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.csv"
        release.frame()[[*release.table.quasi, *release.table.sensitive]].to_csv(path, index=False)
        said = json.loads(child([python, HERE / "in_pycanon.py", path]).printed.splitlines()[-1])
    figures = ", ".join(f"{name} {value:.4g}" for name, value in said["figures"].items())
    return [Figure(what, said["cpu"], "s", note=figures), Figure("times faster than pycanon", said["cpu"] / ours)]
