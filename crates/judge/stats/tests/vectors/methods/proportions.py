"""Shares and their differences."""

import numpy as np
from scipy import optimize, stats


def boschloo(x1, n1, x2, n2):
    """Both one-sided suprema by a dense grid and local refinement."""
    i, j = np.arange(n1 + 1)[:, None], np.arange(n2 + 1)[None, :]
    fisher = {"less": stats.hypergeom.cdf(i, n1 + n2, i + j, n1),
              "greater": stats.hypergeom.sf(i - 1, n1 + n2, i + j, n1)}
    p_values = []
    for f in fisher.values():
        region = f <= f[x1, x2] * (1 + 1e-9)

        def minus(pi):
            return -(stats.binom.pmf(i, n1, pi) * stats.binom.pmf(j, n2, pi) * region).sum()
        grid = np.linspace(1e-4, 1 - 1e-4, 2001)
        values = np.array([minus(pi) for pi in grid])
        best = values.min()
        for t in np.flatnonzero(values < 0.98 * best):
            lo, hi = max(grid[t] - 1e-3, 1e-9), min(grid[t] + 1e-3, 1 - 1e-9)
            r = optimize.minimize_scalar(minus, bounds=(lo, hi), method="bounded",
                                         options={"xatol": 1e-10})
            best = min(best, r.fun)
        p_values.append(-best)
    return min(1.0, 2 * min(p_values))


def wilson(k, n, c):
    ci = stats.binomtest(k, n).proportion_ci(c, method="wilson")
    return [ci.low, ci.high]


def vectors(rng, pairs):
    yield "proportions", [
        {"a": [x1, n1], "b": [x2, n2],
         "fisher": stats.fisher_exact([[x1, n1 - x1], [x2, n2 - x2]])[1],
         "boschloo": boschloo(x1, n1, x2, n2),
         "wilson": [[c, *wilson(x1, n1, c), *wilson(x2, n2, c)] for c in (.95, .99)]}
        for x1, n1, x2, n2 in [(4, 30, 5, 30), (4, 30, 12, 30), (0, 30, 6, 30), (30, 30, 29, 30), (1, 2, 0, 3),
                               (0, 5, 5, 5), (3, 17, 20, 41), (12, 80, 3, 40), (0, 10, 0, 12)]
    ]
