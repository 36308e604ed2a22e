"""The types of the published folder are all used and resolve."""

import inspect
import json
from typing import get_args, get_type_hints, is_typeddict

import jsonschema
import pytest

from tests.planted import planted
from workbench.publication import published_types
from workbench.publication.publish import publish
from workbench.publication.published_types import PLACE, results_schema


def below(kind):
    """Yield a type and the types of its parts."""
    found = {kind} if is_typeddict(kind) else set()
    for piece in (*get_args(kind), *(get_type_hints(kind).values() if is_typeddict(kind) else ())):
        found |= below(piece)
    return found


def test_every_type_is_used_and_documented():
    declared = {one for one in vars(published_types).values() if is_typeddict(one)}
    assert (
        below(published_types.Results) | below(published_types.ClassRow) | below(published_types.PopulationRow)
        == declared
    )
    assert all((inspect.getdoc(one) or "").endswith(".") for one in declared)


# --- the JSON Schema of a published folder is generated from its types, and folders satisfy it


def test_the_stored_schema_is_up_to_date():
    assert json.loads(PLACE.read_text("utf-8")) == results_schema(), "python -m workbench.publication.published_types"


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [{}, {"caps": {"P_loss": 0.2}}, {"intervals": {"over": "records", "times": 2}}, {"smallest": 11}],
    ids=["no cap", "a cap", "intervals", "few people"],
)
def test_a_published_folder_satisfies_it(tmp_path, changes):
    folder = publish(planted(tmp_path, **changes), tmp_path / "published", releases=False)
    results = json.loads((folder / "results.json").read_bytes())
    jsonschema.validate(results, results_schema(), jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**results, "records": 600}, results_schema(), jsonschema.Draft202012Validator)
