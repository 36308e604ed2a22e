"""Choice of a source, and its options."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source, require_options
from workbench.data.reading.source import CsvSource, FrameSource


def test_a_path_and_a_frame_are_sources_of_their_kind(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,2\n")
    frame = pd.DataFrame({"a": [1]})
    for data, kind in ((path, CsvSource), (str(path), CsvSource), (frame, FrameSource)):
        source = open_source(data)
        assert isinstance(source, kind) and source.engine == "memory"
        source.close()
    with pytest.raises(BadInput, match="a frame of pandas or Spark, an Arrow table or a Query, got int"):
        open_source(3)


def test_an_unknown_option_is_refused():
    require_options(["delimiter", "remote"])
    with pytest.raises(BadInput, match="no option 'delimeter'; did you mean 'delimiter'"):
        require_options(["delimeter"])
