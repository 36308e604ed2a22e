"""The study in a file."""

import pytest

from tests.widgets.commands.running import STUDY


@pytest.fixture
def study(tmp_path):
    rows = [f"{20 + i % 37},{'Farm' if i % 3 else 'Shop'},{('Flu', 'Ulcer', 'Asthma')[i * i % 3]}" for i in range(120)]
    (tmp_path / "people.csv").write_text("age,work,disease\n" + "\n".join(rows) + "\n")
    (tmp_path / "people.yaml").write_text(STUDY)
    return tmp_path / "people.yaml"
