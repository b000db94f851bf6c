"""Quantiles from all values."""

from scipy.stats import mstats

from .samples import A, B, CHAMELEON, IGUANA


def vectors(rng, pairs):
    yield "harrell_davis", [
        {"x": x.tolist(), "quantiles": [
            [p, float(mstats.hdquantiles(x, [p])[0])] for p in (.01, .1, .25, .5, .75, .9, .99)]}
        for x in [A, B, IGUANA, CHAMELEON, pairs[3][0], pairs[4][0], pairs[5][0], pairs[7][0],
                  rng.lognormal(0, 1, 3000)]
    ]
