"""Compiled enumeration of large populations: conditions that enough records satisfy, and true sensitive counts."""

from __future__ import annotations

import numpy as np

from workbench.base.compiled import compiled


@compiled
def _gather(cells, weights, after, records, touched):
    """Sum up the weights of cells that are one `after` an axis is done with: which there are, how many."""
    count = 0
    for i in range(cells.size):
        cell = after[cells[i]]
        if records[cell] == 0:
            touched[count] = cell
            count += 1
        records[cell] += weights[i]
    return count


@compiled
def _arrange(touched, records, code, cells, weights, begin, total):
    """Put gathered cells in the order of their codes; code c begins at `begin[c]`, and `total[c]` records before it."""
    begin[:] = 0
    total[:] = 0
    for cell in touched:
        begin[code[cell] + 1] += 1
        total[code[cell] + 1] += records[cell]
    for c in range(1, begin.size):
        begin[c] += begin[c - 1]
        total[c] += total[c - 1]
    for cell in touched:
        place = begin[code[cell]]
        cells[place], weights[place] = cell, records[cell]
        begin[code[cell]] += 1
        records[cell] = 0
    for c in range(begin.size - 1, 0, -1):  # they have moved on by one code meanwhile
        begin[c] = begin[c - 1]
    begin[0] = 0


@compiled
def _chance(index):
    """A number from 0 to 1 for each population, always the same and as if drawn (Steele et al. 2014, splitmix64)."""
    x = (np.uint64(index) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@compiled
def descend(trie, frames, state, found, needed, limit, most):
    """Walk all conjunctions of at most one run an axis with `needed` records; list those of a chance up to `limit`.

    The walk stands still after about `most` steps, when the lists are full, or at its end (depth -1), and goes on from
    its `state`: the depth, how many there were, how many are listed. The cells of axis a are the entries `first[a]` to
    `first[a + 1]` of `code` and `after`, the cell of the axis below that each belongs to; `value` is what the last ones
    hold, a row a sensitive column. Run 0 of an axis is the whole of it.
    """
    first, code, after, first_code, first_run, runs, value, offset = trie
    cells, weights, begin, total, choice, records, touched = frames
    paths, support, truth, chances = found
    depth, index, listed = state
    last, work = first_run.size - 2, 0
    while depth >= 0 and listed < support.size and work < most:
        run, codes = first_run[depth] + choice[depth], first_code[depth]
        if run == first_run[depth + 1]:
            depth -= 1
            continue
        choice[depth] += 1
        work += 1
        low, high = codes + runs[run, 0], codes + runs[run, 1] + 1
        if total[high] - total[low] < needed:
            continue
        here = slice(first[depth] + begin[low], first[depth] + begin[high])
        if depth < last:
            into = after[first[depth] : first[depth + 1]]
            count = _gather(cells[here], weights[here], into, records, touched)
            depth += 1
            nodes, coded = slice(first[depth], first[depth + 1]), slice(first_code[depth], first_code[depth + 1])
            _arrange(touched[:count], records, code[nodes], cells[nodes], weights[nodes], begin[coded], total[coded])
            choice[depth] = 0
            work += here.stop - here.start + count + coded.stop - coded.start
            continue
        if choice.max() == 1:  # no condition on any axis
            continue
        chance = _chance(index)
        index += 1
        if chance <= limit:
            paths[listed], support[listed], chances[listed] = choice - 1, total[high] - total[low], chance
            truth[listed] = 0
            for i in range(here.start, here.stop):
                cell = after[first[depth] + cells[i]]
                for s in range(value.shape[0]):
                    truth[listed, offset[s] + value[s, cell]] += weights[i]
            work += here.stop - here.start
            listed += 1
    state[0], state[1], state[2] = depth, index, listed
