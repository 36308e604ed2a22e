"""What to do is said in the words of whoever is told, and no message names an argument that has none."""

import re
from pathlib import Path

import pytest

from workbench.cures import CONTROLS, OPTIONS, STUDY, in_words

READING = ("dialect", "scan", "formats", "source", "private", "arrow", "kinds", "encode", "errors")
DECLARED = "{{{self.name!r}: {kind!r}}}"
ARGUMENT = re.compile(r"\b(types|missing|encoding|delimiter|quote|format|header)=")


@pytest.mark.parametrize("words", [OPTIONS, STUDY, CONTROLS], ids=["options", "study", "controls"])
def test_no_argument_of_python_is_left_in_what_others_are_told(words):
    sources = [Path(__file__).parents[1] / "workbench" / f"{name}.py" for name in READING]
    texts = [text for source in sources for text in re.findall(r'"((?:[^"\\]|\\.)*)"', source.read_text("utf-8"))]
    said = [text for text in texts if ARGUMENT.search(text.replace(DECLARED, "{'x': 'text'}"))]
    assert len(said) > 10
    for text in said:
        shown = text.replace(DECLARED, "{'x': 'text'}")
        if not re.match(r"\{what\}|\w+ = ", shown):
            assert not ARGUMENT.search(in_words(shown, words)), shown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (OPTIONS, "say --types zip, new=text, or list it in --missing; say --encoding cp1252 or --no-header"),
        (STUDY, "say types: {'zip, new': text} under data, or list it in missing: [...] under data"),
        (CONTROLS, "choose text as the type of 'zip, new' below, or list it in 'Missing values' below"),
    ],
)
def test_each_is_told_in_their_words(words, told):
    text = "declare types={'zip, new': 'text'}, or list it in missing=[...]; say encoding='cp1252' or header=False"
    assert in_words(text, words).startswith(told)
