"""`workbench report` on the 32 points of figure 2(a), and a batch of 20, one after another and in parallel.

Wall time of whole commands, kernels included; the store is empty before the first report and before each batch. The
audit's share of the processor time is that of one process without a notebook, which makes one report.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from benchmarks.measuring import Figure

STUDIES = Path(__file__).resolve().parent.parent / "data" / "studies"
STUDY = STUDIES / "li_li_2009.yaml"
AUDITED = ("li_li_2009", "brickell_shmatikov_2008_marital", "brickell_shmatikov_2008_occupation")
AUDIT = """
import time
from workbench.publication import publish as publishing
from workbench.publication.report.reporting import build_report
from workbench.studies.study import Study, results_folder

audited, spent = publishing.audited, []

def timed(*given):
    began = time.process_time()
    found = audited(*given)
    spent.append(time.process_time() - began)
    return found

publishing.audited = timed
build_report(Study.open("study.yaml"), store=results_folder("study.yaml")).write("audited")
print(sum(spent), time.process_time())
"""
BATCH = ["--vary", "seed=0,1,2,3,4", "--vary", "cap=0.1,0.15,0.2,0.3"]


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(STUDY, folder / "study.yaml")
        _timed(folder, "-o", "warm.html")  # compiles the kernels, where they are not yet
        first, again = [], []
        for _ in range(3):
            shutil.rmtree(folder / "study.results")
            first.append(_timed(folder, "--again")[0])
            again.append(_timed(folder, "--again")[0])
        batches = {}
        for jobs in (1, 2):
            shutil.rmtree(folder / "study.results")
            batches[jobs] = _timed(folder, *BATCH, "--jobs", str(jobs), "-o", f"batch{jobs}")
            assert len(list((folder / f"batch{jobs}").glob("*-points.json"))) == 20
    note = f"{batches[1][0]:.0f} s and {batches[2][0]:.0f} s"
    return [
        Figure("a report, empty store", min(first), "s", 12),
        Figure("a report, full store", min(again), "s", 6),
        *map(_audit, AUDITED),
        Figure(
            "20 reports, two at once: times faster", batches[1][0] / batches[2][0], "", 1.6, at_least=True, note=note
        ),
        Figure("20 reports, two at once: memory of all processes", batches[2][1] / 1e9, "GB", 2),
    ]


def _timed(folder: Path, *arguments: str) -> tuple[float, int]:
    """Seconds, and the most memory that the command and its kernels held together; what they share counts once."""
    command = [sys.executable, "-m", "workbench.commands.main", "report", "study.yaml", *arguments]
    began, most, ended = time.perf_counter(), [0], threading.Event()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    watcher = threading.Thread(target=_watch, args=(process.pid, most, ended))
    watcher.start()
    _, said = process.communicate()
    seconds = time.perf_counter() - began
    ended.set()
    watcher.join()
    if process.returncode:
        raise RuntimeError(said[-2000:])
    return seconds, most[0]


def _audit(study: str) -> Figure:
    """The share of the processor time of one report that the audit of groups takes."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(STUDIES / f"{study}.yaml", Path(folder) / "study.yaml")
        said = subprocess.check_output([sys.executable, "-c", AUDIT], cwd=folder, text=True).split()
    audit, whole = map(float, said)
    note = f"{audit:.2g} s of {whole:.0f} s"
    return Figure(f"the audit, of the processor time of one report: {study}", 100 * audit / whole, "%", 20, note=note)


def _watch(number: int, most: list[int], ended: threading.Event) -> None:
    while not ended.wait(0.5):
        try:
            own = psutil.Process(number)
            family = [own, *own.children(recursive=True)]
            most[0] = max(most[0], sum(getattr(one.memory_full_info(), "pss", one.memory_info().rss) for one in family))
        except psutil.Error:  # one has just ended
            continue
