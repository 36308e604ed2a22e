"""The parts of a workbench, which are created once and updated with the study."""

from __future__ import annotations

from typing import Any

from widgets.data.data import DataPicker
from widgets.disclosure.disclosure import DisclosureTable
from widgets.frontier.frontier import FrontierChart
from widgets.hierarchies.editor import HierarchyEditor
from widgets.lattice.lattice import LatticeView
from widgets.original.original import OriginalComparison
from widgets.preview.preview import ReleasePreview
from widgets.query_errors.query_errors import QueryErrors
from widgets.recipes.recipes import RecipePicker
from widgets.release.release import ReleaseCard
from widgets.roles.roles import RolePicker
from widgets.scenario.explanation import ExplanationView
from widgets.scenario.scenario import ScenarioPicker
from widgets.session.results import WorkbenchResults
from widgets.topbar.topbar import TopBar
from widgets.workloads.workloads import WorkloadPicker
from workbench.studies.study import ROLES, Study, chart_axes, hierarchy_builder

STEPS = ("data", "roles", "hierarchies", "workloads", "recipes", "scenario")
FOLDED_PARTS = ("query_errors", "explanation", "original", "lattice")  # folded, below the other parts
PARTS = ("top", *STEPS, "chart", "card", "preview", "disclosure", *FOLDED_PARTS)


class WorkbenchParts(WorkbenchResults):
    """The parts of a workbench."""

    def _create_parts(self, study: Study, data: Any, by_tab: bool) -> None:
        """Create the parts; `by_tab`: the browser's tab stores the study instead of a file."""
        group = f"steps-{id(self)}"
        self.top = TopBar(self._handle_request, remembered=by_tab, fresh=by_tab)
        source = data if data is not None else dict(study.data)
        self.data = DataPicker(source, folder=study.folder, unfolded=False, group=group)
        self.roles = RolePicker(None, unfolded=not study.quasi, group=group)
        self.hierarchies = HierarchyEditor(None, unfolded=False, group=group, own_history=False)
        self.workloads = WorkloadPicker(None, unfolded=False, group=group)
        self.recipes = RecipePicker(None, unfolded=False, group=group)
        self.scenario = ScenarioPicker(None, unfolded=False, group=group)
        self.chart = FrontierChart(None)
        self.card = ReleaseCard(None)
        self.preview = ReleasePreview(None, draw=self.chart.altair)
        self.disclosure = DisclosureTable(None)
        self.query_errors = QueryErrors(None, unfolded=False)
        self.explanation = ExplanationView(None, unfolded=False)
        self.original = OriginalComparison(None, unfolded=False)
        self.lattice = LatticeView(None, unfolded=False)

    def _handle_request(self, what: str, value: Any) -> None:
        """Handle a request of the top bar."""
        raise NotImplementedError

    def _show_choices(self, study: Study) -> None:
        """Show the recipes and measures of a study."""
        for name in ("recipes", "measures", "axes"):
            setattr(self.recipes, name, list(getattr(study, name)))
        self.recipes.seed = study.seed
        self.card.measures = study.measured()
        self.chart.caps = self.card.caps = dict(study.caps)
        self.chart.axes = list(chart_axes(study))
        self.chart.intervals = dict(study.intervals)
        self.scenario.follow(study.measures, study.axes, study.caps, len(study.candidates()))

    def _show_table(self, study: Study) -> None:
        """Show the data, roles, hierarchies and workloads of a study."""
        base, table = self.session.base, self.session.table
        self.data.folder = study.folder
        if base is not None and (self.data.base is not base or self.data.data != study.data):
            self.data.take(study.data, base)
        self.roles.base = base
        self.roles.drop_missing = bool(study.data.get("drop_missing"))
        self.roles.hierarchies = {
            name: hierarchy_builder(study, name, spec) for name, spec in study.hierarchies.items()
        }
        self.roles.levels = dict(study.levels)
        self.roles.roles = {role: list(getattr(study, role)) for role in ROLES}
        self.hierarchies.follow(table, study.hierarchies, study)
        with self.workloads.hold_trait_notifications():
            self.workloads.workloads, self.workloads.table = dict(study.workloads), table
        for part in (self.recipes, self.scenario, self.card, self.lattice):
            part.table = table
