"""Record what pycanon 1.3.6 says about some partitions, for tests/models/test_pycanon.py to compare with.

It wants older pandas and numpy than the workbench, so it gets an environment of its own, in a temporary folder.

    .venv/bin/python scripts/record_pycanon.py
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from workbench.base.variants import catalog, from_dict  # noqa: E402
from workbench.data import datasets  # noqa: E402
from workbench.data.table import Table  # noqa: E402
from workbench.methods import Keep, Mondrian  # noqa: E402
from workbench.models import Model  # noqa: E402
from workbench.releases.base import Release  # noqa: E402

VERSION = "1.3.6"
RECORD = ROOT / "tests" / "records" / "pycanon.json"
QUASI = ["age", "workclass", "education", "marital_status", "race", "sex"]
MODELS = catalog("workbench.models", Model)


def on_adult(model: dict[str, Any], sensitive: Any = "occupation", quasi: list[str] = QUASI) -> dict[str, Any]:
    return {"quasi": quasi, "sensitive": sensitive, "model": model}


PARTITIONS: dict[str, dict[str, Any]] = {
    "adult, k=10": on_adult({"name": "k-anonymity", "k": 10}),
    "adult, k=100": on_adult({"name": "k-anonymity", "k": 100}),
    "adult, k=1000": on_adult({"name": "k-anonymity", "k": 1000}),
    "adult, t=0.2": on_adult({"name": "t-closeness", "t": 0.2}),
    "adult, enhanced beta=1": on_adult({"name": "beta-likeness", "beta": 1.0, "enhanced": True}),
    "adult, hours a week": on_adult({"name": "k-anonymity", "k": 100}, "hours_per_week", ["age", "sex", "race"]),
    "adult, two columns": on_adult({"name": "k-anonymity", "k": 500}, ["occupation", "salary"]),
    # the counts of each value in each class
    "counts 2, 2, 2": {"counts": [[2, 2, 2], [3, 3, 3]]},
    "skewed": {"counts": [[40, 3, 1, 1], [5, 5, 0, 0], [1, 1, 1, 0], [0, 2, 7, 2]]},
    "one record alone": {"counts": [[1, 0], [3, 4], [2, 2]]},
    "all alike": {"counts": [[2, 4, 6], [1, 2, 3]]},
    "mild": {"counts": [[12, 9, 8], [9, 12, 9], [20, 20, 23]]},
}


def release_of(partition: dict[str, Any]) -> Release:
    """Return a release with the recorded classes."""
    if "counts" in partition:
        counted = [(f"c{i}", f"v{v}", n) for i, row in enumerate(partition["counts"]) for v, n in enumerate(row)]
        rows = [(name, value) for name, value, n in counted for _ in range(n)]
        return Keep()(Table.from_frame(pd.DataFrame(rows, columns=["class", "value"]), ["class"], "value"))
    table = datasets.adult(partition["quasi"], partition["sensitive"])
    return Mondrian()(table, from_dict("model", MODELS, partition["model"]))


def digest(release: Release) -> str:
    """Return a digest of the class histograms that does not depend on their order."""
    counts = [release.classes.histograms[name].tolist() for name in sorted(release.classes.histograms)]
    return hashlib.sha256(json.dumps(sorted(zip(*counts, strict=True))).encode()).hexdigest()


ASK = """
import json, sys, warnings
import pandas as pd
from pycanon import anonymity as a
warnings.simplefilter("ignore")
path, quasi, sensitive = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
data = pd.read_csv(path, dtype={name: str for name in quasi}, keep_default_na=False)
alpha, k = a.alpha_k_anonymity(data, quasi, sensitive)
c, l = a.recursive_c_l_diversity(data, quasi, sensitive)
answers = dict(
    k=k, alpha=alpha, l=a.l_diversity(data, quasi, sensitive), entropy_l=a.entropy_l_diversity(data, quasi, sensitive),
    recursive_c=None if c != c else c, recursive_l=l, beta=a.basic_beta_likeness(data, quasi, sensitive),
    enhanced_beta=a.enhanced_beta_likeness(data, quasi, sensitive), delta=a.delta_disclosure(data, quasi, sensitive),
    t=a.t_closeness(data, quasi, sensitive),
)
print(json.dumps(answers, default=float))
"""


def main() -> None:
    """Ask about every partition and write the record."""
    record = {}
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder) / "venv", with_pip=True)
        python = str(Path(folder) / "venv" / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"pycanon=={VERSION}"], check=True)
        for name, partition in PARTITIONS.items():
            release = release_of(partition)
            release.frame().to_csv(Path(folder) / "release.csv", index=False)
            columns = [json.dumps(list(names)) for names in (release.table.quasi, release.table.sensitive)]
            command = [python, "-c", ASK, str(Path(folder) / "release.csv"), *columns]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            answers = json.loads(answer.stdout)
            record[name] = {**partition, "classes": digest(release), "answers": answers}
            print(name, len(release.classes), answers)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in record.items())
    RECORD.write_text(f'{{"pycanon": "{VERSION}", "partitions": {{\n{lines}\n}}}}\n')


if __name__ == "__main__":
    main()
