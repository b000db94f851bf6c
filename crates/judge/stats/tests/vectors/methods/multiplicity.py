"""Many claims."""

from scipy import stats


def vectors(rng, pairs):
    p = rng.uniform(0, 1, 30)**3
    yield "multiplicity", {"p": p.tolist(), "bh": stats.false_discovery_control(p).tolist()}
