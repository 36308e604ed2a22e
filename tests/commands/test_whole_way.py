"""An awkward table keeps its figures through init, check, anonymize and audit."""

import csv
import json
import random
import warnings

import pytest

from workbench.base.jsonable import jsonable
from workbench.commands import main
from workbench.commands.anonymize import find_recipe
from workbench.disclosure.audit import audit_release
from workbench.studies.study import Study

TEXT = ["a", " a", "a ", "b, c", 'q"q', "x\ny", "{a, b}", "*", "[1-2]", "1-2", "<5", "é", "NA", "null", "unknown"]
TEXT += ["a;b", "a/b", "a|b", "1930s", "=1+1", "-", "Ü b", "over 3", "missing", "20~30"]
KINDS = {
    "age": lambda rng: str(min(99, max(0, int(rng.gauss(45, 18))))),
    "codes": lambda rng: rng.choice(["1E10", "2E3", "007", "1.0", "12", "3D", "A1"]),
    "zip": lambda rng: f"{rng.randint(1, 40):05}",
    "text": lambda rng: rng.choice(TEXT),
    "fraction": lambda rng: f"{rng.random() * 100:.2f}",
    "comma": lambda rng: f"{rng.random() * 100:.1f}".replace(".", ","),
    "date": lambda rng: f"{rng.randint(1990, 2020)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
    "german": lambda rng: f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.{rng.randint(1990, 2020)}",
    "gaps": lambda rng: rng.choice(["", "NA", "5", "6", "7", "8", "99"]),
    "big": lambda rng: str(9007199254740993 + rng.randint(0, 9)),
    "negative": lambda rng: str(rng.randint(-9, 9)),
    "time": lambda rng: f"2020-01-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:30:00",
    "nothing": lambda rng: "",
    "same": lambda rng: "x",
}
HEADS = ["{}", " {} ", "{} (x)", "Größe {}", 'say "{}"', "{}\nline", "class {}", "{}: y", "=sum({})", "{}#", "{}, b"]
ATTACKS = {"R_single", "R_link", "R_infer"}  # use people of the original, who are not in the file
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"]


def write_table(path, rng):
    """Write a table of quirks in some encoding; return the columns that can be quasi-identifiers."""
    records, count = rng.choice([30, 120, 400]), rng.choice([3, 6, 9, 200])
    kinds = [rng.choice([*KINDS]) for _ in range(count)]
    names = [
        rng.choice(HEADS if rng.random() < 0.5 else HEADS[:1]).format(f"{kind}{i}") for i, kind in enumerate(kinds)
    ]
    columns = [[KINDS[kind](rng) for _ in range(records)] for kind in kinds]
    columns += [[KINDS["age"](rng) for _ in range(records)], rng.choices(["flu", "HIV", "a, b"], [5, 1, 3], k=records)]
    encoding = rng.choice(ENCODINGS)
    with path.open("w", encoding=encoding, newline="", errors="replace") as file:
        end = rng.choice(["\n", "\r\n"])
        rows = csv.writer(file, delimiter=rng.choice(",;\t|"), lineterminator=end)
        rows.writerow([*names, "age", "disease"])
        rows.writerows(zip(*columns, strict=True))
    fit = [name for name, kind in zip(names, kinds, strict=True) if kind not in ("nothing", "same")]
    return encoding, ["age", *[name for name in fit if name == name.strip(' ="')][:3]]


def run_command(capsys, *arguments):
    code = main.main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    assert code == 0, err
    return out


def quoted(name):
    """Return a name as written in a list."""
    return f'"{name}"' if "," in name else name


def overlapping(classes):
    """Return whether regions of several classes overlap, as those of nodes and open ranges may."""
    low, high = classes.low[:, None], classes.high[:, None]
    both = ((low <= high.swapaxes(0, 1)) & (low.swapaxes(0, 1) <= high)).all(axis=2)
    return both.sum() > len(classes)


def figures(found):
    every = {one["model"]: one["value"] for one in found["achieved"]}
    every |= {one["measure"]: one["value"] for one in found["measures"]}
    return {name: float(value) if isinstance(value, str) else value for name, value in every.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(4, 30))]
)
def test_an_awkward_table_keeps_its_figures_in_every_command(tmp_path, monkeypatch, capsys, seed):
    monkeypatch.chdir(tmp_path)
    encoding, quasi = write_table(tmp_path / "table.csv", random.Random(seed))
    listed = ",".join(quoted(name) for name in quasi)
    more = ["--encoding", encoding] if encoding in ("cp1252", "latin-1") else []
    more += ["--quasi", listed] if seed % 4 else []
    run_command(capsys, "init", "table.csv", "-o", "study.yaml", "--sensitive", "disease", *more)
    run_command(capsys, "check", "study.yaml")
    run_command(capsys, "anonymize", "study.yaml", "--recipe", "1", "-o", "release.csv", "--giveaways")
    study = Study.open(tmp_path / "study.yaml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = study.table(study.read())
    release = find_recipe(study, "1").release(table)
    own = jsonable(audit_release(release))
    read = json.loads(run_command(capsys, "audit", "release.csv", "--study", "study.yaml", "--json"))
    same = {name: pytest.approx(value, rel=1e-9, abs=1e-12) for name, value in figures(own).items()}
    unknown = ATTACKS if overlapping(release.classes) else set()  # the file does not contain the class of a person
    assert {name: one for name, one in figures(read).items() if name not in unknown} == {
        name: one for name, one in same.items() if name not in unknown
    }
    for key in ("records", "classes", "beside", "left_out"):
        assert read[key] == own[key], key
    roles = ["--sensitive", "disease", *(f"--quasi={quoted(name)}" for name in table.quasi)]
    alone = figures(json.loads(run_command(capsys, "audit", "release.csv", *roles, "--json")))
    assert alone == {name: None if name in ATTACKS else same[name] for name in alone}
