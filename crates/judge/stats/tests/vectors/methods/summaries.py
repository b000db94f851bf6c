"""Summaries, ranks, quantiles, outliers."""

import numpy as np
from scipy import stats


def order_statistics(n, p, alpha):
    below = [l for l in range(1, n + 1) if stats.binom.cdf(l - 1, n, p) <= alpha / 2]
    above = [u for u in range(1, n + 1) if stats.binom.sf(u - 1, n, p) <= alpha / 2]
    low, high = (max(below) if below else None), (min(above) if above else None)
    upto = 1.0 if high is None else stats.binom.cdf(high - 1, n, p)
    under = 0.0 if low is None else stats.binom.cdf(low - 1, n, p)
    return [n, p, 1 - alpha, low, high, upto - under]


def vectors(rng, pairs):
    yield "summary", [
        {
            "x": x.tolist(), "mean": x.mean(), "sd": x.std(ddof=1), "median": np.median(x),
            "mean_interval": stats.t.interval(.95, len(x) - 1, loc=x.mean(), scale=stats.sem(x)),
            "mad": stats.median_abs_deviation(x), "ranks": stats.rankdata(x).tolist(),
            "quantiles": [[p, float(np.quantile(x, p))] for p in (0.0, 0.1, 0.25, 0.5, 0.9, 0.99, 1.0)],
        }
        for pair in pairs[:7] for x in pair
    ]
    yield "quantile_ranks", [
        order_statistics(n, p, alpha)
        for n, p in [(10, .5), (20, .5), (30, .5), (30, .9), (100, .9), (100, .99), (1000, .99),
                     (1000, .999), (10000, .999), (5, .5), (1, .5), (40, .1), (2000, .01)]
        for alpha in (.05, .01)
    ]
