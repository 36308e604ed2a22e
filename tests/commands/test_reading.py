"""The options for reading a table."""

import inspect

import pytest

from workbench.base.errors import BadInput
from workbench.commands.reading import AS_FOUND, Reading, column_options, reads


def test_only_given_options_reach_the_reader():
    assert (AS_FOUND.of_file, AS_FOUND.of_values, AS_FOUND.files) == ({}, {}, {})
    said = Reading(delimiter="\\t", no_header=True, types=["zip=text,age=number"], missing=["-7, unknown"])
    assert said.of_file == {"delimiter": "\t", "header": False}
    assert said.of_values == {"types": {"zip": "text", "age": "number"}, "missing": ["-7", "unknown"]}


def test_a_name_may_contain_an_equals_sign_or_be_quoted():
    assert Reading(types=["a=b=text"]).of_values == {"types": {"a=b": "text"}}
    twice = column_options(['age, "name, first"', "age"])
    assert twice == ["age", "name, first", "age"]  # the reader reports duplicates
    with pytest.raises(BadInput, match="--types zip: write a column"):
        _ = Reading(types=["zip"]).of_values


def test_a_command_receives_the_options_as_one_argument():
    @reads
    def command(place: str, reading: Reading, last: int = 1) -> tuple[str, Reading]:
        return place, reading

    assert list(inspect.signature(command).parameters)[:2] == ["place", "encoding"]
    given = {name: getattr(AS_FOUND, name) for name in AS_FOUND.__dataclass_fields__}
    assert command(place="x", **{**given, "quote": "'"}) == ("x", Reading(quote="'"))
