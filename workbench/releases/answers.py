"""What a release answers to queries: counts, sums and averages, expected where any value in a region is as likely."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.releases.told import Told
from workbench.workloads.exact import put_together
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


def expected(release: Release, workload: Workload) -> np.ndarray:
    """The expected answers; of an average the expected sum over the expected count, nan where nobody is expected."""
    told = Told(release, workload.with_table(release.table))
    return put_together(told.workload, told.sums)
