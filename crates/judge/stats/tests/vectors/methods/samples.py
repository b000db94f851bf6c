"""The samples that several methods are tried on."""

from pathlib import Path

import numpy as np

DATA = Path(__file__).parents[2] / "data"

A, B = (np.loadtxt(DATA / f"redis-like-{side}.txt") for side in "ab")
IGUANA = np.array([50, 200, 150, 400, 750, 400, 150.0])
CHAMELEON = np.array([150, 400, 720, 500, 930.0])

IN_THREES = [(A[i:i + 3], B[i:i + 3]) for i in range(0, 30, 3)]


def pairs(rng):
    """Pairs of samples of many shapes: unequal sizes and spreads, ties, large offsets."""
    yield A, B
    yield IGUANA, CHAMELEON
    yield rng.normal(100, 1, 5), rng.normal(101, 4, 9)
    yield rng.normal(1e6, 1, 12), rng.normal(1e6 + 1, 1, 12)
    yield rng.lognormal(0, 1, 40), rng.lognormal(0.3, 0.5, 17)
    yield rng.integers(10, 20, 25).astype(float), rng.integers(12, 22, 30).astype(float)
    yield rng.normal(50, 1, 2), rng.normal(52, 1, 3)
    yield rng.normal(5, 1, 300), rng.normal(5.2, 2, 500)


def blocked(rng, sizes):
    """Blocks of so many values a side, each with a level of its own."""
    blocks = []
    for n, m in sizes:
        level = rng.normal(100, 5)
        blocks.append((rng.normal(level, 1, n), rng.normal(level + 0.8, 2, m)))
    return blocks
