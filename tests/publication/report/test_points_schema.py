"""The points file conforms to its schema."""

import json

import jsonschema
import pytest

from tests.planted import planted
from workbench.base.package import PACKAGE
from workbench.publication.report.reporting import build_report
from workbench.studies.study import Study

SCHEMA = json.loads((PACKAGE / "publication" / "report" / "points.schema.json").read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"caps": {"P_loss": 0.2}},
        {"caps": {"P_loss": 0.001, "R_id": 0.1}},
        {"intervals": {"over": "records", "times": 2}},
    ],
    ids=["no limit", "a limit", "out of reach", "intervals"],
)
def test_a_written_file_validates(tmp_path, changes):
    study: Study = planted(tmp_path, **changes)
    build_report(study).write(tmp_path / "a")
    found = json.loads((tmp_path / "a-points.json").read_text("utf-8"))
    jsonschema.validate(found, SCHEMA, jsonschema.Draft202012Validator)
    assert found["caps"] == changes.get("caps", {}) and found["cap"] == found["caps"].get("P_loss")
    numbers = [one["number"] for one in found["points"]]
    assert numbers == list(range(1, len(numbers) + 1)) and found["shown"]["number"] in numbers
    assert (found["recommended"] is None) == bool(found["reason"])
    if "R_id" in found["caps"]:
        assert found["recommended"] is None and found["nearest"] == found["shown"]["number"]


def test_the_schema_is_valid_and_rejects_unknown_content():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"points": []}, SCHEMA)
