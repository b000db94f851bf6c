"""The rank test within blocks, with ties."""

import itertools

import numpy as np

from .samples import CHAMELEON, IGUANA


def tied_by_enumeration(blocks):
    """p-values with ties by trying every labelling within blocks."""
    def doubled_u(a, b):
        return int(2 * (b[:, None] > a).sum() + (b[:, None] == a).sum())
    law = {0: 1.0}
    for a, b in blocks:
        pooled, m = np.concatenate([a, b]), len(b)
        values = []
        for chosen in itertools.combinations(range(len(pooled)), m):
            mask = np.zeros(len(pooled), bool)
            mask[list(chosen)] = True
            values.append(doubled_u(pooled[~mask], pooled[mask]))
        new = {}
        for s, p in law.items():
            for v in values:
                new[s + v] = new.get(s + v, 0) + p / len(values)
        law = new
    u = sum(doubled_u(a, b) for a, b in blocks)
    middle = sum(len(a) * len(b) for a, b in blocks)
    return {
        "a": [a.tolist() for a, _ in blocks], "b": [b.tolist() for _, b in blocks], "u": u / 2,
        "less": sum(p for s, p in law.items() if s <= u),
        "greater": sum(p for s, p in law.items() if s >= u),
        "two-sided": sum(p for s, p in law.items() if abs(s - middle) >= abs(u - middle)),
    }


def coarse(rng, sizes, levels):
    return [(rng.integers(5, 5 + levels, n).astype(float), rng.integers(6, 6 + levels, m).astype(float))
            for n, m in sizes]


def vectors(rng, pairs):
    yield "tied", [
        tied_by_enumeration(blocks)
        for blocks in [[(IGUANA, CHAMELEON)], [(CHAMELEON, IGUANA)], coarse(rng, [(3, 3)] * 4, 4),
                       coarse(rng, [(2, 5), (6, 3), (1, 1), (4, 4)], 3), coarse(rng, [(5, 2), (3, 3)], 9),
                       [(np.array([5.0, 5.0]), np.array([5.0, 5.0]))]]
    ]
