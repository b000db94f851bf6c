"""Power of the t test."""

import numpy as np
from scipy import stats


def power(n, m, d, confidence):
    t = stats.t.isf((1 - confidence) / 2, n + m - 2)
    return float(stats.nct.sf(t, n + m - 2, d / np.sqrt(1 / n + 1 / m)))


def vectors(rng, pairs):
    yield "power", [[n, m, d, c, power(n, m, d, c)]
                    for n, m in [(2, 1), (2, 2), (3, 3), (5, 5), (5, 9), (30, 30), (100, 40)]
                    for d in (.2, .8, 2.0) for c in (.95, .99)]
