"""The JSON Schema of a published folder is generated from its types, and folders satisfy it."""

import json

import jsonschema
import pytest

from tests.planted import planted
from workbench.publication.json_schema import PLACE, results_schema
from workbench.publication.publish import publish


def test_the_stored_schema_is_up_to_date():
    assert json.loads(PLACE.read_text("utf-8")) == results_schema(), "python -m workbench.publication.json_schema"


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
