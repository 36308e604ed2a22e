"""Hundreds of bad inputs by family (wrong arguments, names and files) for every command and in Python."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECRETS = ("Marker-4711", "Marker-0815")  # values of the data, which no message may contain
ROWS = [
    f"{20 + i % 37},{('Farm', 'Shop', SECRETS[0])[i % 3]},{('Flu', 'Ulcer', SECRETS[1])[i * i % 3]},{1000 + 7 * i}"
    for i in range(60)
]
PEOPLE = "age,work,disease,pay\n" + "\n".join(ROWS) + "\n"
PARTS: dict[str, Any] = {
    "study": "People",
    "data": {"path": "people.csv"},
    "roles": {"quasi": ["age", "work"], "sensitive": ["disease"], "identifiers": ["pay"]},
    "hierarchies": {"age": {"builder": "intervals", "widths": [10, 20]}},
    "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [3, 6]}}],
    "measures": [{"name": "privacy loss"}, {"name": "utility loss"}],
    "axes": ["P_loss", "U_loss"],
}
WORK = f"Farm,out\nShop,in\n{SECRETS[0]},in\n"
Setup = Callable[[Path], object]


@dataclass(frozen=True)
class Bad:
    """A command line or a call with the files that it needs and the words that its error must contain."""

    name: str
    typed: tuple[str, ...] = ()
    call: Callable[[], object] | None = None
    setup: Setup | None = None
    says: str = ""
    piped: bytes | None = None
    keeps: str = ""  # files that may stay: finished points


def study(**parts: Any) -> str:
    """Return the text of a study with these parts as JSON, which is YAML; None omits a part."""
    return json.dumps({key: value for key, value in {**PARTS, **parts}.items() if value is not None}, indent=1)


def good(folder: Path) -> None:
    """Write a valid study with all of its files and a release."""
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "work.csv").write_text(WORK)
    (folder / "study.yaml").write_text(study())
    (folder / "released.csv").write_text("age,work,disease\n[20; 30),*,Flu\n[20; 30),*,Ulcer\n[30; 57),*,Flu\n")


def text(name: str, content: str | bytes) -> Setup:
    """Return a setup that writes a file."""
    return lambda folder: (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def replaced(**parts: Any) -> Setup:
    """Return a setup that writes the study with these parts."""
    return text("study.yaml", study(**parts))


def all_cases() -> list[Bad]:
    """Return all cases."""
    families = (
        options,
        files,
        parts,
        roles,
        builders,
        recipes,
        caps,
        stores,
        places,
        records,
        releases,
        published,
        calls,
    )
    return [one for family in families for one in family()]


# --- arguments

COMMANDS: dict[str, list[str]] = {  # a valid call
    "init": ["init", "people.csv", "-o", "new.yaml"],
    "check": ["check", "study.yaml"],
    "sweep": ["sweep", "study.yaml"],
    "search": ["search", "study.yaml", "--budget", "6 evaluations"],
    "frontier": ["frontier", "study.yaml"],
    "anonymize": ["anonymize", "study.yaml", "--recipe", "1", "-o", "out.csv"],
    "audit": ["audit", "released.csv", "--quasi", "age,work", "--sensitive", "disease"],
    "query": ["query", "study.yaml", "age >= 30", "--recipe", "1"],
    "compare": ["compare", "released.csv", "released.csv", "--quasi", "age,work"],
    "report": ["report", "study.yaml"],
    "dashboard": ["dashboard", "--publish", "study.yaml", "out"],
    "explore": ["explore"],
    "lab": ["lab"],
}
TABLE = ["anonymize", "people.csv", "--quasi", "age,work", "--model", "k-anonymity, k=3", "-o", "out.csv"]
VALUES = {  # options by type of their value, and invalid values
    "report --jobs": ["-1", "many", "1.5", ""],
    "report --cap": ["low", "nan", "-0.5", ""],
    "report --vary": ["cap", "cap=", "cap=x", "k=3", "=3", "seed=0.5", "seed=-1", "smallest=few", "measures=nothing"],
    "report --each": ["wrok", "disease", ""],
    "search --cap": ["P_loss", "P_loss=x", "P_los=0.1"],
    "search --budget": ["0", "soon", "-1", "5 days", ""],
    "search --family": ["mondrian", "k-anonymity", "k-anonymty (mondrian)", ""],
    "frontier --cap": ["P_loss", "P_loss=", "P_loss=x", "=0.1", "P_loss=nan", "P_loss=-1", "P_los=0.1", "0.1"],
    "frontier --privacy": ["U_loss", "P_los", ""],
    "frontier --utility": ["P_loss", "R_id", ""],
    "anonymize --cap": ["P_loss=0.1"],
    "anonymize --recipe": ["0", "-1", "99", "k-anonymty, k=3", "k-anonymity, k=x", "k-anonymity, k=600", "#", "k=3"],
    "audit --worst": ["-1", "many", "10000", "1.5"],
    "audit --suppressed": ["in", "0", ""],
    "audit --model": ["k", "k-anonymity, k=0", "k-anonymity, l=3", "mondrian", "t-closeness, t=2", ""],
    "query --recipe": ["0", "99", "k-anonymty, k=3", "k-anonymity, k=x"],
    "query --cap": ["P_loss=0.1"],
    "query --worst": ["-1", "many", "10000"],
    "dashboard --port": ["0", "70000", "http", "-1"],
    "dashboard --preheat": ["-1", "21", "x"],
    "dashboard --most": ["0", "1001", "x"],
    "dashboard --theme": ["blue", ""],
    "explore --port": ["0", "70000", "x"],
    "explore --theme": ["blue"],
    "lab --port": ["0", "x"],
    "init --sensitive": ["diseas", "age,nowhere"],
    "init --quasi": ["agee"],
    "init --identifiers": ["wrok"],
}


def options() -> Iterator[Bad]:
    """Yield unknown options, invalid values, and missing or extra arguments."""
    for name, typed in COMMANDS.items():
        yield Bad(f"{name}: an unknown option", (*typed, "--nonsense"), says="--nonsense")
        yield Bad(f"{name}: an argument too many", (*typed, "one-more", "and-more", "still-more"), says="more")
        if len(typed) > 1:
            yield Bad(f"{name}: nothing named", (name, "--json") if name == "check" else (name, "--nonsense"))
    for option, values in VALUES.items():
        name, flag = option.split()
        typed = [one for one in COMMANDS[name] if flag != "--recipe" or one not in ("--recipe", "1")]
        yield Bad(f"{option}: nothing after it", (*typed, flag), says=flag)
        for value in values:
            yield Bad(f"{option} {value!r}", (*typed, f"{flag}={value}"))
    for flag in ("--quasi", "--model"):
        at = TABLE.index(flag)
        yield Bad(f"a table without {flag}", (*TABLE[:at], *TABLE[at + 2 :]), says=flag)
    yield Bad("a table and a recipe", (*TABLE, "--recipe", "1"), says="--recipe")
    yield Bad("a study and roles", (*COMMANDS["anonymize"], "--quasi", "age"), says="--quasi")
    yield Bad("a method as a model", tuple("mondrian" if one == "k-anonymity, k=3" else one for one in TABLE))
    yield Bad("two methods", (*TABLE[:-2], "--method", "mondrian", "--model", "k-anonymity, k=3 (mondrian)", "-o", "-"))
    yield Bad("a method that there is not", (*TABLE, "--method", "mondrain"), says="mondrian")
    yield Bad("JSON and the release on stdout", (*TABLE[:-1], "-", "--json"), says="--json")
    yield Bad("a cap twice", ("frontier", "study.yaml", "--cap", "P_loss=1", "--cap", "P_loss=0.5"), says="P_loss")
    yield Bad("everything kept", ("anonymize", "study.yaml", "--recipe", "3", "-o", "out.csv"), says="--raw")
    yield Bad("no cap and no recipe", ("anonymize", "study.yaml", "-o", "out.csv"), says="--recipe")
    yield Bad("a study and a table compared", ("compare", "study.yaml", "released.csv"), says="released.csv")
    yield Bad("two pipes compared", ("compare", "-", "-", "--quasi", "age"), says="pipe", piped=b"")
    yield Bad("a pipe with nothing in it", ("audit", "-", "--quasi", "age"), says="input", piped=b"")
    yield Bad("a study and an original", (*COMMANDS["audit"], "--study", "study.yaml"), says="--study")
    yield Bad("nothing is asked", ("query", "study.yaml"), says="--workload")
    yield Bad("a query and a workload", (*COMMANDS["query"], "--workload", "random"), says="--workload")
    yield Bad("a workload that there is not", ("query", "study.yaml", "--workload", "randm"), says="randm")
    yield Bad("a file of queries that there is not", ("query", "study.yaml", "--file", "none.sql"), says="none.sql")
    yield Bad("a query that is none", ("query", "study.yaml", "age >= 30", "agee = 1"), says="query 2, column 1")
    yield Bad("no such command", ("anonymise", "study.yaml"), says="anonymise")
    yield Bad("publish without a folder", ("dashboard", "--publish", "study.yaml"), says="folder")
    yield Bad("a folder without publish", ("dashboard", "study.yaml", "out"), says="--publish")


# --- invalid files

KINDS: dict[str, Setup] = {
    "missing": lambda path: path.unlink(missing_ok=True),
    "a folder": lambda path: path.mkdir(),
    "empty": lambda path: path.touch(),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 8),
    "a link to nothing": lambda path: path.symlink_to(path.with_name("nothing")),
    "a link to itself": lambda path: path.symlink_to(path),
    "a pipe": lambda path: os.mkfifo(path),
    "an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a torn gzip": lambda path: path.write_bytes(gzip.compress(PEOPLE.encode())[:60]),
    "a picture": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200)),
    "line ends alone": lambda path: path.write_text("\n" * 50),
    "a web page": lambda path: path.write_text("<!doctype html><html><body><p>Log in first</p></body></html>\n"),
}
NAMED: dict[str, tuple[str, tuple[str, ...]]] = {  # the invalid file, and the command line
    "init": ("bad.csv", ("init", "bad.csv", "-o", "new.yaml")),
    "check": ("bad.yaml", ("check", "bad.yaml")),
    "sweep": ("bad.yaml", ("sweep", "bad.yaml")),
    "search": ("bad.yaml", ("search", "bad.yaml")),
    "frontier": ("bad.yaml", ("frontier", "bad.yaml")),
    "anonymize a study": ("bad.yaml", ("anonymize", "bad.yaml", "--recipe", "1", "-o", "out.csv")),
    "anonymize a table": ("bad.csv", ("anonymize", "bad.csv", *TABLE[2:])),
    "audit": ("bad.csv", ("audit", "bad.csv", "--quasi", "age,work")),
    "audit's original": ("bad.csv", (*COMMANDS["audit"], "--original", "bad.csv")),
    "audit's study": ("bad.yaml", ("audit", "released.csv", "--study", "bad.yaml")),
    "compare": ("bad.yaml", ("compare", "study.yaml", "bad.yaml")),
    "report": ("bad.yaml", ("report", "bad.yaml")),
    "publish": ("bad.yaml", ("dashboard", "--publish", "bad.yaml", "out")),
    "the data of a study": ("people.csv", ("check", "study.yaml")),
    "a hierarchy": ("work.csv", ("check", "study.yaml")),
}


def files() -> Iterator[Bad]:
    """Yield a missing or invalid file in each place that names one."""
    for kind, make in KINDS.items():
        for name, (file, typed) in NAMED.items():

            def setup(folder: Path, file: str = file, make: Setup = make, name: str = name) -> None:
                if name == "a hierarchy":
                    replaced(hierarchies={"work": {"csv": "work.csv"}})(folder)
                (folder / file).unlink(missing_ok=True)
                make(folder / file)

            word = "" if kind == "a web page" and file == "bad.csv" else file.partition(".")[0]
            if (name, kind) != ("report", "a folder"):  # which accepts a folder of studies
                yield Bad(f"{name}: {kind}", typed, setup=setup, says=word)
    yield Bad("a folder without studies", ("report", "bad"), setup=lambda folder: (folder / "bad").mkdir(), says="bad")
    yield Bad("a name too long", ("init", "x" * 300 + ".csv", "-o", "new.yaml"), says="xxx")
    yield Bad("a format that is not read", ("init", "people.xlsx", "-o", "new.yaml"),
              setup=text("people.xlsx", "PK"), says="xlsx")  # fmt: skip


# --- parts of a study

WRONG: dict[str, Any] = {"text": "nonsense", "number": 7, "a list": ["x"], "a mapping": {"x": 1}, "nothing": None,
                         "a switch": True, "a fraction": -0.5}  # fmt: skip
FITTING = {  # valid types of a part
    "study": {"text", "number", "nothing", "a switch", "a fraction"},
    "seed": {"number"},
    "smallest": {"number"},
}
KEYS = ("study", "data", "roles", "levels", "hierarchies", "recipes", "measures", "axes", "caps", "smallest", "seed",
        "versions")  # fmt: skip


def parts() -> Iterator[Bad]:
    """Yield every part of a study with a wrong type, and unknown parts."""
    for key in KEYS:
        for kind, value in WRONG.items():
            if kind not in FITTING.get(key, set()) and not (value is None and key in ("study", "seed")):
                yield Bad(f"{key}: {kind}", ("check", "study.yaml"), setup=with_part(key, value), says="line")
        yield Bad(f"{key} misspelt", ("sweep", "study.yaml"), setup=replaced(**{key + "x": 1}), says=f"{key}x")
    for key in ("roles", "recipes", "measures", "data"):
        yield Bad(f"no {key}", ("check", "study.yaml"), setup=replaced(**{key: None}))
    for method in (None, 7, "mondrian", {"nam": "mondrian"}, {"name": "mondrain"}, {"name": None}):
        yield Bad(f"a method {method!r}", ("check", "study.yaml"), setup=replaced(recipes=[{"method": method}]))
    for measure in (None, 7, "privacy loss", {}, {"name": "privacy"}, {"name": "privacy loss", "t": 1}):
        yield Bad(f"a measure {measure!r}", ("check", "study.yaml"), setup=replaced(measures=[measure]))
    for axes in (["P_loss"], ["U_loss", "P_loss"], ["P_loss", "P_loss"], ["P_loss", 7], ["R_id", "U_loss"]):
        yield Bad(f"axes {axes}", ("check", "study.yaml"), setup=replaced(axes=axes), says="line")


def with_part(key: str, value: Any) -> Setup:
    """Return a setup that writes the study with this part, which may be None."""
    return text("study.yaml", json.dumps({**PARTS, key: value}, indent=1))


ROLES: dict[str, Any] = {
    "a column that is not there": {"quasi": ["age", "wrok"]},
    "nothing quasi": {"sensitive": ["disease"]},
    "an empty list": {"quasi": []},
    "a column twice": {"quasi": ["age", "age"]},
    "two roles": {"quasi": ["age"], "sensitive": ["age"]},
    "an unknown role": {"quasi": ["age"], "secret": ["disease"]},
    "a number": {"quasi": ["age", 7]},
    "a mapping": {"quasi": {"age": 1}},
    "an empty name": {"quasi": ["age", ""]},
    "a sensitive one missing": {"quasi": ["age"], "sensitive": ["diseas"]},
    "an identifier missing": {"quasi": ["age"], "identifiers": ["nam"]},
    "all identifiers": {"identifiers": ["age", "work", "disease", "pay"]},
    "another case": {"quasi": ["Age"]},
    "with a space": {"quasi": ["age "]},
}


def roles() -> Iterator[Bad]:
    """Yield columns without a role, with two roles, or missing from the table."""
    for name, given in ROLES.items():
        for command in ("check", "sweep"):
            yield Bad(f"roles, {command}: {name}", (command, "study.yaml"), setup=replaced(roles=given))
    for name, level in {"of nobody": {"wrok": 1}, "of a quasi": {"age": 1}, "text": {"disease": "x"},
                        "too high": {"disease": 9}, "negative": {"disease": -1}}.items():  # fmt: skip
        yield Bad(f"levels {name}", ("check", "study.yaml"), setup=replaced(levels=level), says="line")
    for name, data in {
        "only a value that nobody has": {"path": "people.csv", "only": {"work": "Mine"}},
        "only in a column that is not there": {"path": "people.csv", "only": {"wrok": "Farm"}},
        "only a list": {"path": "people.csv", "only": {"work": ["Farm"]}},
        "a type that is none": {"path": "people.csv", "types": {"age": "integer"}},
        "the type of no column": {"path": "people.csv", "types": {"agee": "text"}},
        "text as a number": {"path": "people.csv", "types": {"work": "number"}},
        "text as a date": {"path": "people.csv", "types": {"work": "date"}},
        "a delimiter that is none": {"path": "people.csv", "delimiter": "ab"},
        "another delimiter": {"path": "people.csv", "delimiter": ";"},
        "an encoding that is none": {"path": "people.csv", "encoding": "utf-99"},
        "another format": {"path": "people.csv", "format": "parquet"},
        "a format that is none": {"path": "people.csv", "format": "excel"},
        "no header": {"path": "people.csv", "header": False},
        "a memory limit": {"path": "people.csv", "memory_limit": "lots"},
        "a quote": {"path": "people.csv", "quote": "ab"},
        "nothing bundled": {"bundled": "iris"},
        "two origins": {"path": "people.csv", "bundled": "adult"},
        "a query that writes": {"sql": "CREATE TABLE x AS SELECT 1"},
        "two queries": {"sql": "SELECT 1; SELECT 2"},
        "a query that is none": {"sql": "SELEC * FRM people"},
        "a query about no table": {"sql": "SELECT * FROM people"},
        "a query outside": {"sql": "SELECT * FROM read_csv('/etc/passwd')"},
        "a query from the network": {"sql": "SELECT * FROM read_csv('http://localhost:9/x.csv')"},
        "an empty query": {"sql": ""},
        "a query of one column": {"sql": "SELECT 1 AS one"},
        "handed over": {"given": "frame"},
        "a path that is a number": {"path": 7},
        "an empty path": {"path": ""},
    }.items():
        yield Bad(f"data: {name}", ("check", "study.yaml"), setup=replaced(data=data))


AGE: dict[str, Any] = {
    "no builder": {},
    "a builder that is none": {"builder": "interval"},
    "no widths": {"builder": "intervals"},
    "widths and cuts": {"builder": "intervals", "widths": [10], "cuts": [30]},
    "a width of 0": {"builder": "intervals", "widths": [0]},
    "a negative width": {"builder": "intervals", "widths": [-10]},
    "a width that is text": {"builder": "intervals", "widths": ["ten"]},
    "widths that are text": {"builder": "intervals", "widths": "10"},
    "an endless width": {"builder": "intervals", "widths": [float("inf")]},
    "cuts that fall": {"builder": "intervals", "cuts": [30, 20]},
    "a cut twice": {"builder": "intervals", "cuts": [30, 30]},
    "one group": {"builder": "intervals", "quantiles": [1]},
    "half a group": {"builder": "intervals", "quantiles": [2.5]},
    "an origin that is text": {"builder": "intervals", "widths": [10], "origin": "x"},
    "an unknown setting": {"builder": "intervals", "width": [10]},
    "dates of numbers": {"builder": "dates", "levels": ["month"]},
    "prefixes that hide nothing": {"builder": "prefixes", "keep": [9]},
    "a negative prefix": {"builder": "prefixes", "keep": [-1]},
    "half a prefix": {"builder": "prefixes", "keep": [1.5]},
    "a file and more": {"csv": "work.csv", "builder": "columns"},
    "a file of another column": {"csv": "work.csv"},
    "a file that is a number": {"csv": 7},
    "bundled": "bundled",
    "a word": "intervals",
}
JOBS: dict[str, Any] = {
    "intervals of text": {"builder": "intervals", "widths": [10]},
    "dates of text": {"builder": "dates"},
    "a date level that is none": {"builder": "dates", "levels": ["fortnight"]},
    "groups without levels": {"builder": "groups"},
    "groups of numbers": {"builder": "groups", "levels": 3},
    "a value in two groups": {"builder": "groups", "levels": {"out": ["Farm"], "in": ["Farm", "Shop"]}},
    "a group and a value": {"builder": "groups", "levels": {"Shop": ["Farm"]}},
    "a group that is text": {"builder": "groups", "levels": {"out": "Farm"}},
    "an order that misses some": {"builder": "groups", "levels": {"out": ["Farm"]}, "order": ["Farm"]},
    "a tree that is text": {"builder": "nested", "tree": "Farm"},
    "no tree": {"builder": "nested"},
    "an empty tree": {"builder": "nested", "tree": {}},
    "a tree that misses some": {"builder": "nested", "tree": {"out": ["Farm"]}},
    "a leaf twice": {"builder": "nested", "tree": {"out": ["Farm", "Shop"], "in": ["Farm"]}},
    "rows that are text": {"builder": "columns", "rows": "Farm"},
    "ragged rows": {"builder": "columns", "rows": [["Farm", "out"], ["Shop"]]},
    "an empty cell": {"builder": "columns", "rows": [["Farm", None], ["Shop", "in"]]},
    "no rows": {"builder": "columns", "rows": []},
    "rows that miss some": {"builder": "columns", "rows": [["Farm", "out"]]},
}
LEVELS: dict[str, str | bytes] = {
    "a value missing": "Farm,out\nShop,in\n",
    "a value twice": WORK + "Farm,in\n",
    "an empty label": WORK.replace("out", ""),
    "ragged": WORK.replace("Shop,in", "Shop"),
    "levels that cross": "Farm,a,x\nShop,a,y\n" + f"{SECRETS[0]},b,x\n",
    "latin-1": "Farm,drau\xdfen\nShop,in\n".encode("latin-1"),
    "a zero inside": WORK.replace("out", "o\0ut"),
    "an open quote": WORK.replace("out", '"out'),
}


def builders() -> Iterator[Bad]:
    """Yield hierarchies that cannot be built at all or over a column."""
    for column, cases in {"age": AGE, "work": JOBS}.items():
        for name, given in cases.items():
            yield Bad(f"hierarchy: {name}", ("check", "study.yaml"), setup=replaced(hierarchies={column: given}),
                      says=column)  # fmt: skip
    for name, content in LEVELS.items():

        def setup(folder: Path, content: str | bytes = content) -> None:
            replaced(hierarchies={"work": {"csv": "work.csv"}})(folder)
            text("work.csv", content)(folder)

        yield Bad(f"hierarchy file: {name}", ("check", "study.yaml"), setup=setup, says="work")
        yield Bad(f"hierarchy file, swept: {name}", ("sweep", "study.yaml"), setup=setup, says="work")
    yield Bad("hierarchy of no column", ("check", "study.yaml"),
              setup=replaced(hierarchies={"wrok": {"builder": "prefixes"}}), says="wrok")  # fmt: skip


def recipes() -> Iterator[Bad]:
    """Yield every parameter of every model, method and measure with values out of range."""
    from workbench.base.parameters import Choice, Number
    from workbench.frontier.recipe import variants

    for kind in ("model", "method", "measure"):
        for name, variant in variants(kind).items():
            for key, declared in variant.parameters().items():
                low, high = declared.bounds() if isinstance(declared, Number) else (None, None)
                invalid: list[Any] = ["nonsense", [], {"x": 1}, True, float("nan")]
                invalid += [low - 1] if low is not None else []
                invalid += [high + 1] if high is not None else []
                if isinstance(declared, Choice) and True in declared.choices:
                    invalid.remove(True)
                if name == "remove":  # which accepts names
                    invalid = [7, {"x": 1}, "nonsense"]
                for value in invalid:
                    if kind == "measure" and value == []:
                        continue
                    given = {"name": name, key: value}
                    setup = replaced(**_variant_part(kind, given))
                    yield Bad(f"{name}: {key} = {value!r}", ("check", "study.yaml"), None, setup, key.rstrip("s"))
    for model in ("entropy l-diversity", "distinct l-diversity"):
        given = {"name": model, "l": 50}
        yield Bad(
            f"{model}: more than there are", ("check", "study.yaml"), setup=replaced(**_variant_part("model", given))
        )
    for kind in ("model", "measure"):
        given = {"name": {"model": "t-closeness", "measure": "privacy loss"}[kind], "distance": "ordered"}
        asked = _variant_part(kind, given)
        yield Bad(f"an ordered {kind} of text", ("check", "study.yaml"), setup=replaced(**asked), says="order")
    yield Bad(
        "k above all",
        ("check", "study.yaml"),
        setup=replaced(**_variant_part("model", {"name": "k-anonymity", "k": 61})),
    )
    yield Bad("no release at all", ("dashboard", "--publish", "study.yaml", "out"), keeps="study.results",
              setup=replaced(**_variant_part("model", {"name": "k-anonymity", "k": 61})))  # fmt: skip


def _variant_part(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    if kind == "measure":
        return {"measures": [*PARTS["measures"], given], "axes": None}
    recipe = {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 3}}
    return {"recipes": [{**recipe, kind: given}]}


def caps() -> Iterator[Bad]:
    """Yield invalid limits."""
    invalid: list[tuple[str, Any]] = [("P_los", 0.1), ("R_id", 0.1), ("", 1)]
    invalid += [("P_loss", cap) for cap in (-0.1, "low", None, True, [0.1], float("nan"), float("inf"))]
    for key, cap in invalid:
        yield Bad(f"caps: {key} = {cap!r}", ("check", "study.yaml"), setup=replaced(caps={key: cap}), says="line")
    for cap in ("P_loss=0", "U_loss=0"):
        typed = ("anonymize", "study.yaml", "--cap", cap, "-o", "out.csv")
        yield Bad(f"nothing keeps {cap}", typed, says=cap.partition("=")[0], keeps="study.results")


# --- folders


def stores() -> Iterator[Bad]:
    """Yield damaged or wrong folders of results."""

    def other(folder: Path) -> None:
        (folder / "study.results").mkdir()
        (folder / "study.results" / "thesis.tex").touch()

    def secret(content: bytes) -> Setup:
        def setup(folder: Path) -> None:
            (folder / "study.results").mkdir(mode=0o700)
            (folder / "study.results" / ".secret").write_bytes(content)

        return setup

    def point(damage: Setup) -> Setup:
        """Return a setup that sweeps a study and damages the first stored point."""

        def setup(folder: Path) -> None:
            from workbench.frontier.sweep import sweep
            from workbench.studies.study import Study

            asked = Study.open(folder / "study.yaml")
            table = asked.table(asked.read())
            found = sweep(table, asked.candidates(), asked.measured(), folder / "study.results")
            damage(folder / "study.results" / found.measured[0].key)

        return setup

    def instead(make: Setup) -> Setup:
        def damage(place: Path) -> None:
            shutil.rmtree(place)
            make(place)

        return damage

    def with_content(**changes: Any) -> Setup:
        def damage(place: Path) -> None:
            file = place / "point.json"
            file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))

        return damage

    def folder_of_that_name(place: Path) -> None:
        (place / "point.json").unlink()
        (place / "point.json").mkdir()

    damages: dict[str, Setup] = {
        "a file": text("study.results", "x"),
        "a link to nothing": lambda folder: (folder / "study.results").symlink_to("nothing"),
        "a link to itself": lambda folder: (folder / "study.results").symlink_to("study.results"),
        "something else": other,
        "a short secret": secret(b"short"),
        "no secret in it": secret(b""),
        "a point that is a file": point(instead(lambda place: place.touch())),
        "a point that links to nothing": point(instead(lambda place: place.symlink_to("nothing"))),
        "a point that links to itself": point(instead(lambda place: place.symlink_to(place))),
        "a point without its file": point(lambda place: (place / "point.json").unlink()),
        "a point cut off": point(lambda place: (place / "point.json").write_text('{"values": {"P_')),
        "a point that is binary": point(lambda place: (place / "point.json").write_bytes(b"\xff\x00")),
        "a folder of a point's name": point(folder_of_that_name),
        "no number": point(with_content(values={"P_loss": float("nan")})),
        "a value that is text": point(with_content(values={"P_loss": "much"})),
        "values that are a list": point(with_content(values=[1])),
        "no values": point(with_content(values=None)),
        "another recipe": point(with_content(recipe={"method": {"name": "keep"}, "model": None, "seed": 0})),
        "reasons that are text": point(with_content(reasons="x")),
    }  # fmt: skip
    for name, damage in damages.items():
        for command in ("sweep", "frontier"):
            yield Bad(f"{command}, a store with {name}", (command, "study.yaml"), setup=damage, says="study.results")


def places() -> Iterator[Bad]:
    """Yield places that cannot or must not be written to."""
    commands = {
        "sweep": (("sweep", "study.yaml", "--out"), "csv"),
        "search": (("search", "study.yaml", "--out"), "csv"),
        "anonymize": (("anonymize", "study.yaml", "--recipe", "1", "-o"), "csv"),
        "a table": (tuple(TABLE[:-1]), "csv"),
        "init": (("init", "people.csv", "--quasi", "age", "-o"), "yaml"),
        "report": (("report", "study.yaml", "-o"), "html"),
    }
    for name, (typed, ending) in commands.items():
        there = Path(f"there.{ending}")
        if name != "report":
            yield Bad(f"{name}: no folder", (*typed, f"nowhere/out.{ending}"), says="nowhere")
            yield Bad(
                f"{name}: into a folder", (*typed, str(there)), setup=lambda f, t=there: (f / t).mkdir(), says="there"
            )
        yield Bad(f"{name}: a file as a folder", (*typed, f"people.csv/out.{ending}"), says="people.csv")
        yield Bad(f"{name}: a name too long", (*typed, f"{'x' * 300}.{ending}"), says="xxx")
        yield Bad(f"{name}: another ending", (*typed, "out.xlsx"), says="out.xlsx")
        yield Bad(f"{name}: the kernel's own folder", (*typed, f"/proc/out.{ending}"), says="/proc/out")
        if name in ("anonymize", "a table", "init"):
            yield Bad(f"{name}: is there already", (*typed, str(there)), setup=text(str(there), "x"), says="--force")
        if name != "init" and name != "report":
            force = [] if name in ("sweep", "search") else ["--force"]
            yield Bad(f"{name}: the data", (*typed, "./people.csv", *force), says="people.csv")
    for name, make in {"a file": text("out", "x"), "another folder": other_folder, "the study's own": None}.items():
        place = "out" if make else "."
        yield Bad(f"publish: {name}", ("dashboard", "--publish", "study.yaml", place), setup=make, says=place)
    yield Bad("publish: no folder", ("dashboard", "--publish", "study.yaml", "nowhere/out"), says="nowhere")
    yield Bad(
        "report: several into a page", ("report", "study.yaml", "study.yaml", "--vary", "seed=0,1", "-o", "a.html")
    )
    yield Bad("report: a folder alone", ("report", "study.yaml", "-o", "."), says="a folder")
    yield Bad("report: the folder above", ("report", "study.yaml", "-o", ".."), says="a folder")
    yield Bad("report: into a file", ("report", "study.yaml", "--vary", "seed=0,1", "-o", "people"),
              setup=text("people", "x"), says="people")  # fmt: skip


def other_folder(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "thesis.tex").touch()


# --- content


RECORDS: dict[str, str | bytes] = {
    "a header alone": "age,work,disease,pay\n",
    "a name twice": PEOPLE.replace("pay", "age", 1),
    "ragged lines": PEOPLE.replace("\n21,", "\n21,1,", 1),
    "a short line": PEOPLE.replace(",1007\n", "\n", 1),
    "an open quote": PEOPLE.replace("Farm", '"Farm', 1),
    "a zero inside": PEOPLE.replace("Farm", "Fa\0rm", 1),
    "UTF-16 cut off": PEOPLE.encode("utf-16")[:-1],
    "JSON": json.dumps([{"age": 20, "work": SECRETS[0]}]),
    "JSON cut off": json.dumps([{"age": 20, "work": SECRETS[0]}])[:-3],
    "no header": "\n".join(ROWS) + "\n",
    "all bytes": bytes(range(256)) * 4,
    "missing values alone": "age,work,disease,pay\n,,,\n,,,\n",
    "Parquet by another name": b"PAR1" + bytes(64) + b"PAR1",
    "other columns": "a,b\n1,2\n3,4\n",
}


def records() -> Iterator[Bad]:
    """Yield tables that cannot be read or lack a requested column or value."""
    roles = ("--quasi", "age,work", "--sensitive", "disease")
    for name, content in RECORDS.items():
        setup = text("bad.csv", content)
        yield Bad(f"init: {name}", ("init", "bad.csv", "--quasi", "age,work", "-o", "new.yaml"), setup=setup)
        typed = ("anonymize", "bad.csv", *roles, "--model", "k-anonymity, k=3", "-o", "out.csv")
        yield Bad(f"anonymize: {name}", typed, setup=setup)
        if not name.startswith("Parquet"):
            piped = content if isinstance(content, bytes) else content.encode()
            yield Bad(f"piped: {name}", ("anonymize", "-", *typed[2:]), piped=piped)
        yield Bad(f"check: {name}", ("check", "study.yaml"), setup=text("people.csv", content))


def releases() -> Iterator[Bad]:
    """Yield released tables that cannot be read or cannot belong to the original."""
    typed = ("audit", "bad.csv", "--quasi", "age,work", "--sensitive", "disease")
    against = (*typed, "--original", "people.csv")
    line = "[20; 30),*,Flu\n"
    for name, content in {
        "other columns": "a,b\n1,2\n",
        "no records": "age,work,disease\n",
        "no sensitive one": "age,work\n20,Farm\n",
        "ragged": "age,work,disease\n" + line + "20,Farm\n",
        "a name twice": "age,work,work\n20,Farm,Farm\n",
    }.items():
        yield Bad(f"released: {name}", typed, setup=text("bad.csv", content))
        if name != "no sensitive one":  # which a release may omit
            yield Bad(f"released, with the original: {name}", against, setup=text("bad.csv", content))
    for name, content in {
        "an unknown value": line + "25,Astronaut,Flu\n",
        "an interval outside the data": line + "[200; 300),Farm,Flu\n",
        "an interval that ends before it begins": line + "[30; 20),Farm,Flu\n",
        "text for a number": line + "young,Farm,Flu\n",
        "more records than there were": line * 100,
    }.items():
        yield Bad(f"released: {name}", against, setup=text("bad.csv", "age,work,disease\n" + content))
    yield Bad("no quasi-identifier", ("audit", "released.csv"), says="--quasi")
    yield Bad("a column that is not released", ("audit", "released.csv", "--quasi", "age,pay"), says="pay")
    yield Bad("quasi and sensitive", ("audit", "released.csv", "--quasi", "age", "--sensitive", "age"), says="age")
    yield Bad("a model without sensitive columns",
              ("audit", "released.csv", "--quasi", "age", "--model", "t-closeness, t=0.2"))  # fmt: skip


def published() -> Iterator[Bad]:
    """Yield damaged or wrong published folders."""

    def damaged(file: str, content: str | bytes | None) -> Setup:
        def setup(folder: Path) -> None:
            from workbench.publication.publish import publish
            from workbench.studies.study import Study

            publish(Study.open(folder / "study.yaml"), folder / "out", warn=lambda text: None)
            place = folder / "out" / file
            if content is None:
                shutil.rmtree(place) if place.is_dir() else place.unlink()
            else:
                text(str(place), content)(folder)

        return setup

    cases: dict[str, tuple[str, str | bytes | None]] = {
        "no results": ("results.json", None),
        "results cut off": ("results.json", '{"format": 3, "points"'),
        "results that are a list": ("results.json", "[]"),
        "results of the future": ("results.json", '{"format": 99}'),
        "results that are binary": ("results.json", b"\xff\xfe\x00"),
        "no points": ("points", None),
        "no chart": ("frontier.vl.json", None),
        "a chart that is none": ("frontier.vl.json", "{"),
        "no study": ("study.yaml", None),
    }
    for name, (file, content) in cases.items():
        yield Bad(f"published: {name}", ("dashboard", "out"), setup=damaged(file, content), says="out")
    for name, make in {
        "an empty folder": lambda folder: (folder / "out").mkdir(),
        "another folder": other_folder,
    }.items():
        yield Bad(f"served: {name}", ("dashboard", "out"), setup=make, says="out")


# --- Python


def calls() -> Iterator[Bad]:
    """Yield invalid calls of the engine in a notebook."""
    import numpy as np
    import pandas as pd

    import workbench as wb
    from workbench import methods, models
    from workbench.data.hierarchies import builders as build
    from workbench.measures import PrivacyLoss, UtilityLoss
    from workbench.publication.publish import publish
    from workbench.publication.report.parameters import ReportParameters
    from workbench.publication.report.reporting import build_report
    from workbench.releases.foreign import foreign
    from workbench.studies.study import Study

    rows = [row.split(",") for row in ROWS]
    frame = pd.DataFrame(rows, columns=["age", "work", "disease", "pay"]).astype({"age": int, "pay": int})
    table = wb.Table.from_frame(frame.drop(columns="pay"), ["age", "work"], "disease")
    mondrian, three, both = methods.Mondrian(), models.KAnonymity(3), [PrivacyLoss(), UtilityLoss()]
    points = wb.sweep(table, [wb.Recipe(mondrian, three)], both)
    release = mondrian(table, three)
    things = {"nothing": None, "a number": 7, "the frame": frame, "a row": frame.iloc[0], "an array": frame.to_numpy()}
    for name, thing in things.items():
        yield Bad(f"read {name}", call=lambda t=thing: wb.Table.read(t, ["ago"]))
        yield Bad(f"roles by {name}", call=lambda t=thing: wb.Table.from_frame(frame, [t, "work"]))
        yield Bad(f"a method on {name}", call=lambda t=thing: mondrian(t, three))
        if thing is not None:
            yield Bad(f"a model that is {name}", call=lambda t=thing: mondrian(table, t))
            yield Bad(f"a best one by {name}", call=lambda t=thing: points.best(t))
        if name != "a number":
            yield Bad(f"a seed that is {name}", call=lambda t=thing: wb.Recipe(mondrian, three, t))
        yield Bad(f"a recipe of {name}", call=lambda t=thing: wb.Recipe(t))
        yield Bad(f"recipes of {name}", call=lambda t=thing: wb.recipes(t))
        yield Bad(f"a sweep of {name}", call=lambda t=thing: wb.sweep(t, [], both))
        yield Bad(f"a sweep by {name}", call=lambda t=thing: wb.sweep(table, [t], both))
        yield Bad(f"measured by {name}", call=lambda t=thing: wb.sweep(table, [], [t]))
        yield Bad(f"a measure of {name}", call=lambda t=thing: PrivacyLoss()(t))
        yield Bad(f"a dominated {name}", call=lambda t=thing: points.dominators(t))
        yield Bad(f"the measure {name}", call=lambda t=thing: points.measure(t))
        yield Bad(f"dropped {name}", call=lambda t=thing: table.drop([t]))
        yield Bad(f"a hierarchy that is {name}", call=lambda t=thing: table.with_hierarchies({"age": t}))
        yield Bad(f"a study of {name}", call=lambda t=thing: Study.from_dict(t))
        yield Bad(f"a study's data {name}", call=lambda t=thing: Study.from_dict({"data": t}))
        yield Bad(f"published {name}", call=lambda t=thing: publish(t, "out"))
        yield Bad(f"reported {name}", call=lambda t=thing: build_report(t))
        yield Bad(f"k that is {name}", call=lambda t=thing: models.KAnonymity("x" if t is things["a number"] else t))
        yield Bad(f"intervals of {name}", call=lambda t=thing: build.Intervals("x" if t is things["a number"] else t))
        yield Bad(f"groups of {name}", call=lambda t=thing: build.Groups(t)(table.columns["work"]))
        yield Bad(f"rows that are {name}", call=lambda t=thing: build.Columns(t)(table.columns["work"]))
        yield Bad(f"an audit of {name}", call=lambda t=thing: foreign(t, ["age"], original="x"))
    for name, call in {
        "a column twice": lambda: wb.Table.from_frame(frame[["age", "age"]], ["age"]),
        "no records": lambda: wb.Table.from_frame(frame.head(0), ["age"]),
        "no columns": lambda: wb.Table.from_frame(frame[[]], []),
        "lists in cells": lambda: wb.Table.from_frame(frame.assign(work=[[1]] * 60), ["work"]),
        "mixed cells": lambda: wb.Table.from_frame(frame.assign(work=[1, "a"] * 30), ["work"]),
        "a frame in cells": lambda: wb.Table.from_frame(frame.assign(work=[frame] * 60), ["work"]),
        "bytes": lambda: wb.Table.from_frame(frame.assign(work=[SECRETS[0].encode()] * 60), ["work"]),
        "complex numbers": lambda: wb.Table.from_frame(frame.assign(age=1j), ["age"]),
        "infinity": lambda: wb.Table.from_frame(frame.assign(age=np.inf), ["age"]),
        "an option that there is not": lambda: wb.Table.read("people.csv", ["age"], delimeter=";"),
        "a level of nobody": lambda: wb.Table.from_frame(frame, ["age"], levels={"work": 1}),
        "levels that are text": lambda: wb.Table.from_frame(frame, ["age"], "work", levels={"work": "x"}),
        "a type that is none": lambda: wb.Table.read(frame, ["age"], types={"age": "integer"}),
        "only what nobody has": lambda: wb.Table.read(frame, ["age"], only={"work": "Mine"}),
        "a query that writes": lambda: wb.Table.read(wb.Query("DROP TABLE x"), ["age"]),
        "a role that there is not": lambda: table.with_roles(["ago"]),
        "a hierarchy of nobody": lambda: table.with_hierarchies({"wrok": build.Prefixes()}),
        "a method that there is not": lambda: methods.Mondrian(split="both"),
        "a target that is none": lambda: mondrian(table, three, seed=-1),
        "a target that is missing": lambda: methods.Mondrian("information_gain", "illness")(table, three),
        "a column that is not removed": lambda: methods.Remove("illness")(table),
        "models that do not join": lambda: mondrian(table, models.TCloseness(distance="ordered")),
        "a model of nothing sensitive": lambda: mondrian(table.with_roles(["age"]), models.TCloseness()),
        "more threads than none": lambda: wb.sweep(table, [], both, threads=0),
        "no measures": lambda: wb.sweep(table, [], []),
        "no recipes": lambda: wb.sweep(table, [], both, baselines=False),
        "a measure twice": lambda: wb.sweep(table, [], [PrivacyLoss(), PrivacyLoss("variation")] * 2, threads=-1),
        "a store that is a file": lambda: wb.Store("people.csv"),
        "a store in no folder": lambda: wb.Store("nowhere/points"),
        "a point that there is not": lambda: wb.Store(".").classes("abc"),
        "axes that are none": lambda: points.on("P_los"),
        "axes the wrong way round": lambda: points.on("U_loss", "P_loss"),
        "a cap that nobody keeps": lambda: points.best({"P_loss": 0}),
        "a cap that is text": lambda: points.best({"P_loss": "low"}),
        "a cap on no measure": lambda: points.best({"P_los": 1}),
        "the least of no measure": lambda: points.best(minimise="U_los"),
        "an ending that is none": lambda: release.export("out.xlsx"),
        "a release in no folder": lambda: release.export("nowhere/out.csv"),
        "a release over a folder": lambda: release.export("."),
        "formulas in Parquet": lambda: release.export("out.parquet", defuse=True),
        "labels of no column": lambda: release.class_labels("illness"),
        "beliefs about no column": lambda: release.posterior("illness"),
        "bundled data that there are not": lambda: wb.datasets.path("iris"),
        "a bundled hierarchy that there is not": lambda: wb.datasets.hierarchy("adult", "shoe"),
        "a hierarchy file that there is not": lambda: build.read_csv("nowhere.csv"),
        "a hierarchy file that is a folder": lambda: build.read_csv("."),
        "a study's file that there is not": lambda: Study.open("nowhere.yaml"),
        "a study's file that is a folder": lambda: Study.open("."),
        "a study with a tag": lambda: Study.from_yaml("data: !!python/name:os.system {}"),
        "a study outside its folder": lambda: Study.from_yaml("data: {path: ../people.csv}", confined=True),
        "a study without data": lambda: Study().read(),
        "a study's list that is text": lambda: Study(quasi="age"),
        "a study's mapping that is a list": lambda: Study(caps=[1]),
        "a negative threshold": lambda: Study(smallest=-1),
        "a threshold that rounds nothing": lambda: Study(smallest=1),
        "a search below nothing": lambda: wb.search(table, both, {"P_loss": np.nan}),
        "a column of intervals": lambda: wb.Table.read(pd.DataFrame({"a": pd.cut([1, 2, 3], 2)}), ["a"]),
        "published nowhere": lambda: publish(Study.open("study.yaml"), "nowhere/out"),
        "published over a file": lambda: publish(Study.open("study.yaml"), "people.csv"),
        "releases that are none": lambda: publish(Study.open("study.yaml"), "out", releases="some"),
        "a report of nothing": lambda: ReportParameters().chosen(),
        "a report of a part that is none": lambda: ReportParameters(study="study.yaml", only="work").chosen(),
        "a report by no measure": lambda: ReportParameters(study="study.yaml", measures="privcy loss").chosen(),
        "a report with a negative cap": lambda: ReportParameters(study="study.yaml", cap=-1).chosen(),
        "a report with a cap that is true": lambda: ReportParameters(study="study.yaml", cap=True).chosen(),
        "a report with caps in a list": lambda: ReportParameters(study="study.yaml", caps=[0.1]).chosen(),
        "a report by a measure that is a number": lambda: ReportParameters(study="study.yaml", measures=[1]).chosen(),
        "a report with quasi-identifiers by number": lambda: ReportParameters(data="people.csv", quasi=[1]).chosen(),
        "a report with k that no model has": lambda: ReportParameters(
            study="study.yaml", model="t-closeness, t=0.2", k=5
        ).chosen(),
        "a report with a support above 1": lambda: ReportParameters(study="study.yaml", min_support=2).chosen(),
        "suppressed that is none": lambda: foreign("released.csv", ["age"], suppressed="some"),
    }.items():  # fmt: skip
        yield Bad(f"in Python: {name}", call=call)
