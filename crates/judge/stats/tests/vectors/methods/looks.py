"""Looking while measuring: signs, normal mixtures, planned looks."""

import numpy as np
from scipy import integrate, optimize, special, stats


def mixture(n, mean, sd, mixing_sd):
    """The likelihood ratio of each true mean, averaged over the means to bet on."""
    def integrand(z):
        theta = z * mixing_sd
        return stats.norm.pdf(z) * np.exp((n * mean * theta - n * theta**2 / 2) / sd**2)
    return [n, mean, sd, mixing_sd,
            integrate.quad(integrand, -12, 12, epsabs=0, epsrel=1e-12, limit=500)[0]]


def never_passed(bounds, steps=3000):
    """Density of the sum on a grid, step by step, by Simpson's rule."""
    grid, mass = np.array([0.0]), np.array([1.0])
    for bound in bounds:
        new = np.linspace(-bound, bound, steps + 1)
        density = stats.norm.pdf(new[:, None] - grid) @ mass
        simpson = np.tile([2.0, 4.0], steps // 2 + 1)[:steps + 1]
        simpson[[0, -1]] = 1
        grid, mass = new, density * simpson * (2 * bound / steps / 3)
    return mass.sum()


def looks(k, confidence):
    number = np.arange(1, k + 1)
    found = [
        optimize.brentq(lambda c: never_passed(c * shape) - confidence, 1, 6, xtol=1e-12)
        for shape in (np.sqrt(number), np.full(k, np.sqrt(k)))]
    return [k, confidence, *found]


def vectors(rng, pairs):
    yield "signs", [[t, s, float(np.exp(t * np.log(2) + special.betaln(1 + s, 1 + t - s)))]
                    for t, s in [(1, 0), (8, 8), (12, 11), (20, 16), (30, 25), (100, 50), (1500, 900)]]
    yield "normal_mixture", [mixture(*row) for row in [(1, .5, 1, 1), (2, .65, 1, 1), (5, -.62, 1, 1), (10, .3, 2, .5),
                                                        (30, 0, .1, .2), (7, -1.5, 3, .1)]]
    yield "looks", [looks(k, c) for k, c in [(1, .95), (2, .95), (3, .95), (5, .95), (10, .95), (4, .99), (6, .8)]]
