"""People whose illness follows their age, and nothing else."""

import numpy as np
import pandas as pd

from workbench.data.table import Table


def people(records=400):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, records)
    frame = pd.DataFrame({"age": age, "sex": rng.choice(["F", "M"], records, p=[0.3, 0.7])})
    frame["ill"] = np.where(frame.age + rng.integers(0, 10, records) > 60, "gout", "flu")
    frame["wage"] = frame.age * 10
    return Table.from_frame(frame, ["age", "sex"], "ill")
