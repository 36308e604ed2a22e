"""What a release answers to queries: counts, sums and averages, expected where any value in a region is as likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.releases.told import Told, asked_of
from workbench.workloads.exact import put_together
from workbench.workloads.workload import Workload

if TYPE_CHECKING:
    from workbench.releases.base import Release


def expected(
    release: Release, workload: Workload, which: np.ndarray | None = None, known: Sequence[str] = ()
) -> np.ndarray:
    """The expected answers, or those to some queries; of an average the expected sum over the expected count, which is
    not a number where nobody is expected. Some columns may be taken as if they were published exactly."""
    told = Told(release, asked_of(release, workload), known)
    return put_together(told.workload, told.sums, which)
