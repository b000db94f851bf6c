"""Summaries, ranks, quantiles."""

import numpy as np
from scipy import stats


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
