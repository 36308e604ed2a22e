"""A table small enough to count by hand."""

import pandas as pd

from workbench.data.table import Table


def people():
    ill = ["flu", "flu", "cold", "cold", "flu"]
    frame = pd.DataFrame({"age": [20, 30, 40, 58, 71], "sex": list("FFMFM"), "ill": ill})
    return Table.from_frame(frame, ["age", "sex"], "ill")
