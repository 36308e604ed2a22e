"""The report's templates in `templates/`, based on the page that charts use too."""

from workbench.base.templates import Templates

render = Templates("workbench.publication.report", "workbench.charts").render
