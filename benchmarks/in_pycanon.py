"""The nine figures of pycanon of a released file. Runs in pycanon's own environment; prints JSON."""

from __future__ import annotations

import json
import sys
import time

import pandas as pd
from pycanon import anonymity

frame = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
quasi, sensitive = list(frame.columns[:-1]), list(frame.columns[-1:])
found = {}
began = time.process_time()
found["k"] = anonymity.k_anonymity(frame, quasi)
found["alpha"] = anonymity.alpha_k_anonymity(frame, quasi, sensitive)[0]
found["l"] = anonymity.l_diversity(frame, quasi, sensitive)
found["entropy l"] = anonymity.entropy_l_diversity(frame, quasi, sensitive)
found["recursive c"] = anonymity.recursive_c_l_diversity(frame, quasi, sensitive)[0]
found["basic beta"] = anonymity.basic_beta_likeness(frame, quasi, sensitive)
found["enhanced beta"] = anonymity.enhanced_beta_likeness(frame, quasi, sensitive)
found["t"] = anonymity.t_closeness(frame, quasi, sensitive)
found["delta"] = anonymity.delta_disclosure(frame, quasi, sensitive)
seconds = time.process_time() - began
print(json.dumps({"cpu": seconds, "figures": {name: float(value) for name, value in found.items()}}))
