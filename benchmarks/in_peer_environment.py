"""One peer on one task. Runs in the peer's own environment, so it imports nothing of ours; prints JSON.

Times are the least of two runs: of the call alone, from a data frame to the released rows.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

warnings.simplefilter("ignore")
K, RUNS, SENSITIVE = 10, 2, "occupation"
Sizes = "pd.Series[int]"
Call = tuple[Callable[[], Any], Callable[[Any], Sizes]]  # what is timed; the sizes of the classes in what came back


def anonypy(frame: pd.DataFrame, quasi: list[str], folder: Path) -> Call:
    import anonypy

    def sizes(rows: list[dict[str, Any]]) -> Sizes:
        plain = [{n: ",".join(v) if isinstance(v, list) else v for n, v in row.items()} for row in rows]
        return pd.DataFrame(plain).groupby(quasi)["count"].sum()

    return lambda: anonypy.Preserver(frame, quasi, SENSITIVE).anonymize_k_anonymity(k=K), sizes


def anonypyx(frame: pd.DataFrame, quasi: list[str], folder: Path) -> Call:
    import anonypyx

    def run() -> pd.DataFrame:
        columns = {"feature_columns": quasi, "sensitive_column": SENSITIVE}
        return anonypyx.Anonymiser(frame, k=K, generalisation_strategy="human-readable", **columns).anonymise()

    return run, lambda rows: rows.groupby(quasi)["count"].sum()


def anonymity_api(frame: pd.DataFrame, quasi: list[str], folder: Path) -> Call:
    from anonymity_api import anonymity

    return lambda: anonymity.k_anonymity(frame.copy(), quasi, K), lambda rows: rows.groupby(quasi).size()


def anjana(frame: pd.DataFrame, quasi: list[str], folder: Path) -> Call:
    from anjana.anonymity import k_anonymity

    frame = frame.astype(str)
    levels = json.loads((folder / "hierarchies.json").read_text())

    def run() -> pd.DataFrame:
        hierarchies = {name: {j: pd.Series(level) for j, level in enumerate(levels[name])} for name in quasi}
        return k_anonymity(frame.copy(), [], quasi, K, 0, hierarchies)

    return run, lambda rows: rows.groupby(quasi).size()


# each with the forms of the data that it takes
PEERS: dict[Callable[[pd.DataFrame, list[str], Path], Call], tuple[str, ...]] = {
    anonypy: ("categories", "codes"),
    anonypyx: ("categories", "codes"),
    anonymity_api: ("codes",),  # leaves text alone
    anjana: ("values",),
}


def read(folder: Path, given: str) -> pd.DataFrame:
    frame = pd.read_csv(folder / ("codes.csv" if given == "codes" else "values.csv"))
    text = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    return frame.astype(dict.fromkeys(text, "category")) if given != "values" else frame


def main(peer: str, folder: Path) -> None:
    task, forms = next((task, forms) for task, forms in PEERS.items() if task.__name__ == peer)
    done = []
    for given in forms:
        frame = read(folder, given)
        run, sizes = task(frame, list(frame.columns[:-1]), folder)
        seconds = []
        for _ in range(RUNS):
            began = time.process_time()
            rows = run()
            seconds.append(time.process_time() - began)
        found = sizes(rows)
        found = found[found > 0]
        assert found.sum() == len(frame) and found.min() >= K, f"{peer} lost records or broke k"
        square = float((found.astype(float) ** 2).sum())
        about = {"peer": peer, "version": version(peer.replace("_", "-")), "given": given}
        done.append({**about, "cpu": min(seconds), "classes": len(found), "discernibility": square})
    print(json.dumps(done))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
