"""Charts: the frontier, all measures of its points, losses of records and populations, and panels of figures.

Lines have Okabe-Ito hues and also shapes. Text has the color of the page, so that charts suit light and dark themes.
"""

from __future__ import annotations

import workbench.base.startup  # noqa: F401 (before Altair)

# isort: split
import altair as alt

from workbench.charts.frontier import frontier_chart
from workbench.charts.heat import heat_chart
from workbench.charts.offline import save, show_offline
from workbench.charts.panels import panels_chart
from workbench.charts.parallel import parallel_chart
from workbench.charts.release import loss_chart, populations_chart

__all__ = [
    "frontier_chart",
    "heat_chart",
    "loss_chart",
    "panels_chart",
    "parallel_chart",
    "populations_chart",
    "save",
    "show_offline",
]

if alt.renderers.active == "default":  # the default needs a CDN; another chosen renderer is not replaced
    show_offline()
