"""A table whose values are marked."""

import pandas as pd

MARKED = [f"marker{i}" for i in range(40)]


FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50] * 10,
        "degree": list("abcd") * 10,
        "years": [9, 12, 16, 20] * 10,
        "note": [f"{m}-{i % 3}" for i, m in enumerate(MARKED)],
        "ill": (["flu"] * 3 + ["cold"]) * 10,
    }
)
