"""Distributions: tails and quantiles."""

from scipy import stats


def vectors(rng, pairs):
    dfs = [1, 1.5, 2, 3, 7.4254283, 29, 56.864608, 300, 1e4, 1e5]
    yield "t_upper_tail", [
        [t, df, stats.t.sf(t, df)] for df in dfs for t in (-3.0, 0.0, 1e-6, 0.385578, 2.0, 6.5, 40.0)
    ]
    yield "t_upper_quantile", [
        [p, df, stats.t.isf(p, df)] for df in dfs for p in (0.7, 0.49, 0.1, 0.025, 0.005, 1e-6, 1e-12)
    ]
    yield "normal_upper_quantile", [
        [p, stats.norm.isf(p)] for p in (0.999, 0.7, 0.5, 0.49, 0.2, 0.1, 0.025, 1e-3, 1e-9, 1e-40)
    ]
    yield "normal_cdf", [[z, stats.norm.cdf(z)] for z in (-30.0, -6.0, -1.96, -0.84162123, -0.1, 0.0, 0.7, 5.0)]
