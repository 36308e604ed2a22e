"""The parts of a workbench: made once, and shown the study whenever it is another."""

from __future__ import annotations

from typing import Any

from widgets.data.data import DataPicker
from widgets.disclosure.disclosure import DisclosureTable
from widgets.frontier.frontier import FrontierChart
from widgets.hierarchies.editor import HierarchyEditor
from widgets.lattice.lattice import LatticeView
from widgets.original.original import OriginalBeside
from widgets.preview.preview import ReleasePreview
from widgets.query_errors.query_errors import QueryErrors
from widgets.recipes.recipes import RecipePicker
from widgets.release.release import ReleaseCard
from widgets.roles.roles import RolePicker
from widgets.scenario.learnt import WhatWasLearnt
from widgets.scenario.scenario import ScenarioPicker
from widgets.session.results import WorkbenchResults
from widgets.topbar.topbar import TopBar
from widgets.workloads.workloads import WorkloadPicker
from workbench.studies.study import ROLES, Study

STEPS = ("data", "roles", "hierarchies", "workloads", "recipes", "scenario")
LATER = ("query_errors", "learnt", "original", "lattice")  # folded, below everything
PARTS = ("top", *STEPS, "chart", "card", "preview", "disclosure", *LATER)


class WorkbenchParts(WorkbenchResults):
    """The parts of a workbench."""

    def _make_parts(self, study: Study, handed: Any, by_tab: bool) -> None:
        """`by_tab`: the browser's tab may remember what no file does."""
        group = f"steps-{id(self)}"
        self.top = TopBar(self._asked, remembered=by_tab, fresh=by_tab)
        source = handed if handed is not None else dict(study.data)
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
        self.learnt = WhatWasLearnt(None, unfolded=False)
        self.original = OriginalBeside(None, unfolded=False)
        self.lattice = LatticeView(None, unfolded=False)

    def _asked(self, what: str, value: Any) -> None:
        """Follow a request of the status line."""
        raise NotImplementedError

    def _show_choices(self, study: Study) -> None:
        """Show the recipes and measures of a study."""
        for name in ("recipes", "measures", "axes"):
            setattr(self.recipes, name, list(getattr(study, name)))
        self.recipes.seed = study.seed
        self.card.measures = study.measured()
        self.chart.caps = self.card.caps = dict(study.caps)
        self.chart.axes = list(study.chart_axes())
        self.chart.intervals = dict(study.intervals)
        self.scenario.follow(study.measures, study.axes, study.caps, len(study.candidates()))

    def _show_table(self, study: Study) -> None:
        """Columns, roles, hierarchies and workloads are others."""
        base, table = self.session.base, self.session.table
        self.data.folder = study.folder
        if base is not None and (self.data.base is not base or self.data.data != study.data):
            self.data.take(study.data, base)
        self.roles.base = base
        self.roles.drop_missing = bool(study.data.get("drop_missing"))
        self.roles.hierarchies = {name: study.builder(name, spec) for name, spec in study.hierarchies.items()}
        self.roles.levels = dict(study.levels)
        self.roles.roles = {role: list(getattr(study, role)) for role in ROLES}
        self.hierarchies.follow(table, study.hierarchies, study)
        with self.workloads.hold_trait_notifications():
            self.workloads.workloads, self.workloads.table = dict(study.workloads), table
        for part in (self.recipes, self.scenario, self.card, self.lattice):
            part.table = table
