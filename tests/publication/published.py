"""Helpers for one published study that many tests share."""

import pyarrow.parquet as pq

from workbench.publication.published_folder import Published
from workbench.studies.study import Study


def included_files(read: Published) -> list[int]:
    return [i for i, point in enumerate(read.points) if point["opened"] and read.files(i)]


def text_of(path) -> str:
    if path.suffix == ".parquet":
        found = pq.read_table(path)
        return f"{found.to_pydict()} {found.schema}"
    return path.read_text("utf-8")


def texts_except_releases(folder) -> dict[str, str]:
    return {str(p): text_of(p) for p in folder.rglob("*") if p.is_file() and "-release" not in p.name}


def study_release(read: Published, index: int, table):
    published = Study.open(read.folder / "study.yaml")
    recipe = next(r for r in published.candidates() if str(r) == read.points[index]["recipe"])
    return recipe.release(table)
