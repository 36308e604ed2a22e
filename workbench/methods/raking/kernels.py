"""Compiled kernels of raking: the atoms of populations, beliefs raked to populations, and seats with exact totals.

Conventions. An atom is a set of people whom no population distinguishes; `codes` is attributes x atoms. The members of
population p are `members[start[p]:start[p + 1]]`. `weight` is the number of people of an atom.
"""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled

LEAST = 1e-5  # added to shares to avoid division by 0
SMALLEST, LARGEST = 0.2, 5.0  # bounds on the factor by which a belief changes at a time


@compiled
def members(runs, same, codes, start, found):
    """Find the atoms of each population, reusing the axes that each shares with the one before.

    They are written to `found` if there is room, and counted in `start`.
    """
    axes, atoms = codes.shape
    here = np.empty((axes + 1, atoms), np.int32)
    size = np.zeros(axes + 1, np.int64)
    here[0], size[0] = np.arange(atoms), atoms
    for p in range(len(runs)):
        for a in range(same[p], axes):
            n, low, high = 0, runs[p, a, 0], runs[p, a, 1]
            for i in range(size[a]):
                atom = here[a, i]
                if low <= codes[a, atom] <= high:
                    here[a + 1, n] = atom
                    n += 1
            size[a + 1] = n
        begin = start[p]
        start[p + 1] = begin + size[axes]
        if start[p + 1] <= len(found):
            found[begin : start[p + 1]] = here[axes, : size[axes]]


@compiled
def rake(beliefs, weight, start, held, truth):
    """Move the beliefs about each population's atoms towards its true shares, one population after the other."""
    values = beliefs.shape[1]
    factor = np.empty(values)
    for p in range(len(start) - 1):
        factor[:] = 0
        people = 0.0
        for i in range(start[p], start[p + 1]):
            people += weight[held[i]]
            for v in range(values):
                factor[v] += weight[held[i]] * beliefs[held[i], v]
        if people == 0:
            continue
        for v in range(values):
            ratio = (truth[p, v] + LEAST) / (factor[v] / people + LEAST)
            factor[v] = min(max(np.sqrt(ratio), SMALLEST), LARGEST)
        for i in range(start[p], start[p + 1]):
            total = 0.0
            for v in range(values):
                beliefs[held[i], v] *= factor[v]
                total += beliefs[held[i], v]
            for v in range(values):
                beliefs[held[i], v] /= total


@compiled
def seat(seats, order, rows, columns):
    """Assign seats in `order` (row times values plus value) until rows and columns are full.

    Remaining seats go wherever there is room.
    """
    values = seats.shape[1]
    for place in order:
        i, v = place // values, place % values
        if rows[i] > 0 and columns[v] > 0:
            seats[i, v] += 1
            rows[i] -= 1
            columns[v] -= 1
    for i in range(len(seats)):
        for v in range(values):
            many = min(rows[i], columns[v])
            if many > 0:
                seats[i, v] += many
                rows[i] -= many
                columns[v] -= many


@compiled
def unseat(seats, order, rows, columns):
    """Remove seats, one at a time in `order`, from values that have too many, until none has."""
    values = seats.shape[1]
    while columns.min() < 0:
        for place in order:
            i, v = place // values, place % values
            if columns[v] < 0 and seats[i, v] > 0:
                seats[i, v] -= 1
                rows[i] += 1
                columns[v] += 1


@compiled
def gains(one, other, atom, bucket, slope, seen):
    """Return by how much the error falls, to first order, if the records of each pair trade buckets."""
    found = np.empty(len(one))
    for i in range(len(one)):
        a, b, here, there = atom[one[i]], atom[other[i]], bucket[one[i]], bucket[other[i]]
        gain = 0.0
        if here != there and a != b:
            for v in range(seen.shape[1]):
                gain += (slope[a, v] - slope[b, v]) * (seen[here, v] - seen[there, v])
        found[i] = gain
    return found
