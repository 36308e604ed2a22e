"""Find habits that make English hard to read, in names, docstrings, comments, strings, documents and notebooks.

List the places in some files:              python -m tests.project.plain_english docs workbench/models
Lower the limits to what is left:           python -m tests.project.plain_english --lower
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.project.tracked import ROOT, tracked_files

LIMITS = Path(__file__).with_suffix(".json")
PARTS = ("workbench", "widgets", "tests", "docs", "notebooks", "benchmarks", "scripts", "data")
PARTS += ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
TARGET = 0.5  # places per 1,000 lines

START = r"(?:^|[.:;!?]\s+|\(\s*)"
BE = r"(?:is|are|was|were|be|been|being)"
HABITS = {
    "a clause as a noun: name the person or the thing": (
        rf"{START}Who(?:m|se|ever)?\s+(?!(?:this|it|they|you|we)\b)"
        r"(?:\w+s|has|have|are|may|can|would|else)\b(?![^.]*\?)"
        r"|\b(?:by|of|to|for|from|with|than|beside|against|and|or|but|as) who(?:so)?(?:ever)?\s+\w"
        r"|\b(?:by|of|to|for|from|with|than|beside|into|about) what "
        rf"(?:{BE}|ha[sd]|have|can|may|must|each|all|others|it|they|no|nobody|who)\b"
    ),
    "words in front of the subject: put the subject first": (
        rf"{START}(?:Of|Beside|By|From|To) "
        r"(?:what|whom?|an?|the|each|every|several|all|its|them|these|those|two|such|many|no|nobody)\b[^.:;]{3,80}?\s(?:is|are|ha[sd]|have|may|can|says?|tells?|nothing|no|none)\b"
    ),
    "a program that says, tells or asks: report, show, publish, request": (
        rf"\b(?:{BE}|as|not|never) (?:said|told)\b|\bsays? (?:so|which|what|how|where|who|with|in|at)\b"
        r"|\btells? (?:apart|what|how|which|who|less|more|nothing|little)\b"
    ),
    "keep, hold, stand, lie, go: satisfy, allow, be stored": (
        r"\b(?:keeps?|kept|keeping) (?:an?|the|its|this|that|to the|within|any|every|each) "
        r"(?:models?|limits?|caps?|threshold)\b"
        r"|\bstands? (?:here|there|ready|beside|under|above|below|at|in|by itself|for it)\b|\bthere stands\b"
        r"|\bcannot stand\b|\blies? (?:beside|where|in the|there)\b|\bgoes (?:by|for|with|as)\b"
    ),
    "the least, the most, the same: minimum, maximum, identical": (
        r"\bthe (?:least|most|fewest|same) (?:that|as it|of what|what|there)\b"
        rf"|{START}The same (?:of|with|as|for|where|in|but)\b"
    ),
    "word order of another language": (
        r"\bso (?:it is|is it|are they|do they|are|is) (?:with|where|of|for|in|also)\b"
        r"|\b(?:anew|oftener|as long as it|else than|nothing but|no matter of|of one's own|for want of|what all)\b"
        r"|\b(?:all that is|whatever is|whichever)\b"
        r"|\bis no (?:measure|part|public|file|warning|more)\b"
    ),
    "beside, apart, alike: next to, compared with, distinguish, identical": (
        r"\b(?:told|tells?|counted|kept) apart\b|\bpeople alike\b|\balike in\b"
        r"|\bbeside (?:it|them|the|an?|each|one|what|every|which|our|its)\b"
    ),
}
PATTERNS = {habit: re.compile(pattern) for habit, pattern in HABITS.items()}

DOCSTRING = "a docstring that begins with neither a verb ('Return ...') nor a noun phrase"
OPENING = re.compile(
    r"(?:What|Who|Whom|Whose|How|Where|Which|Whether|That|The same|Of|By|As|In|At|From|To|With|It|They|Those|One that"
    r"|All that|Such|Nothing|Nobody|None|Everything|Anything|So)\b"
)

NAME = "a name without a noun: name the thing"
NEVER = """
    told said say says tell tells meant asked asks beside apart alike aloud whom whose anew heard begun reached nearer
    farthest surest together those everybodys crowd tale stars seated mended dearer bought climbed picked carried shelf
"""
NOT_ALONE = "seen known kept given taken few most least seats in by at of to for as"
ODD_WORDS, ODD_ALONE = set(NEVER.split()), set(NOT_ALONE.split())
EXAMPLES = ("plain_english.py", "test_english.py")  # they quote what they look for


class Place(NamedTuple):
    line: int
    habit: str
    text: str


def is_prose(text: str) -> bool:
    return len(re.findall(r"[A-Za-z']{2,}", text)) >= 4


def prose_places(text: str, line: int) -> Iterator[Place]:
    """Yield each habit of one paragraph once; code in backticks and replaced fields do not count."""
    flat = re.sub(r"`[^`]*`|\$?\{[^}]*\}", "X", " ".join(text.split()))
    if is_prose(flat):
        yield from (Place(line, habit, flat) for habit, pattern in PATTERNS.items() if pattern.search(flat))


def is_odd_name(name: str) -> bool:
    words = [word.lower() for word in re.split(r"_+|(?<=[a-z])(?=[A-Z])", name) if word]
    return not ODD_WORDS.isdisjoint(words) or (bool(words) and ODD_ALONE.issuperset(words))


def python_places(text: str) -> Iterator[Place]:
    tree, read = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from definition_places(node)
            if ast.get_docstring(node) is not None:
                read.add(id(node.body[0].value))
        elif isinstance(node, ast.JoinedStr):
            pieces = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
            yield from prose_places("".join(map(str, pieces)), node.lineno)
            read |= {id(part) for part in node.values}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in read:
            yield from prose_places(node.value, node.lineno)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from prose_places(token.string.lstrip("# "), token.start[0])


def definition_places(node: ast.AST) -> Iterator[Place]:
    docstring = ast.get_docstring(node)
    if not isinstance(node, ast.Module):
        if docstring and OPENING.match(docstring):
            yield Place(node.body[0].lineno, DOCSTRING, docstring.splitlines()[0])
        if not node.name.startswith("test") and is_odd_name(node.name):
            yield Place(node.lineno, NAME, node.name)
    for paragraph in re.split(r"\n\s*\n", docstring or ""):
        yield from prose_places(paragraph, node.body[0].lineno)


def javascript_places(text: str) -> Iterator[Place]:
    pieces = r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
    for match in re.finditer(pieces, text, re.DOTALL):
        yield from prose_places(match[0].strip("/*`'\" \n"), text.count("\n", 0, match.start()) + 1)


def markdown_places(text: str) -> Iterator[Place]:
    without_code = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", without_code):
        yield from prose_places(paragraph, line)
        line += paragraph.count("\n")


def notebook_places(text: str) -> Iterator[Place]:
    """Yield the places of a notebook, by the number of their cell."""
    for number, cell in enumerate(json.loads(text)["cells"], 1):
        source = "".join(cell["source"])
        is_text = cell["cell_type"] == "markdown"
        found = (
            markdown_places(source) if is_text else python_places(re.sub(r"^[%!].*$", "", source, flags=re.MULTILINE))
        )
        yield from (place._replace(line=number) for place in found)


READERS = {
    ".py": python_places,
    ".js": javascript_places,
    ".mjs": javascript_places,
    ".ts": javascript_places,
    ".md": markdown_places,
    ".ipynb": notebook_places,
}


def places_in(part: str) -> tuple[dict[Path, list[Place]], int]:
    """Return the places of a file or of all tracked files in a folder, and how many lines these have."""
    inside = [path for path in tracked_files() if path.is_relative_to(ROOT / part) and path.suffix in READERS]
    texts = {path: path.read_text("utf-8") for path in inside if path.name not in EXAMPLES}
    found = {path: list(READERS[path.suffix](text)) for path, text in texts.items()}
    return found, sum(text.count("\n") for text in texts.values())


def count_places(part: str) -> tuple[int, int]:
    """Return the number of places and of lines of a part of the project."""
    found, lines = places_in(part)
    return sum(map(len, found.values())), lines


def read_limits() -> dict[str, int]:
    return json.loads(LIMITS.read_text("utf-8"))


def lower_limits() -> None:
    """Write today's numbers of places as the limits, where they are lower."""
    limits = {part: min(limit, count_places(part)[0]) for part, limit in read_limits().items()}
    LIMITS.write_text(json.dumps(limits, indent=2) + "\n", "utf-8")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("parts", nargs="*", help=f"files or folders, by default {', '.join(PARTS)}")
    options.add_argument("--lower", action="store_true", help="lower the limits to the numbers of today")
    chosen = options.parse_args()
    if chosen.lower:
        lower_limits()
    habits, rates = Counter(), []
    for part in chosen.parts or PARTS:
        found, lines = places_in(part.rstrip("/"))
        for path, places in found.items():
            habits.update(place.habit for place in places)
            for place in places if chosen.parts else []:
                print(f"{path.relative_to(ROOT)}:{place.line}: {place.text[:140]}\n    {place.habit}")
        places = sum(map(len, found.values()))
        rates.append(f"{part:18}{places:6,} places in {lines:7,} lines: {1000 * places / max(lines, 1):6.2f} per 1,000")
    print(*(f"{number:6,}  {habit}" for habit, number in habits.most_common()), *rates, sep="\n")


if __name__ == "__main__":
    main()
