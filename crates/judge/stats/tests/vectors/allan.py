"""Reference numbers for the Allan deviation, from allantools, and for halves that take turns, from all orders counted.

Run in this directory: python3 allan.py  (writes allan.json; allantools 2024.06, NumPy 2.4)

The series are times of pieces of work around 1 ms: white noise, flicker noise and a random walk of the relative speed
(allantools.Noise: Kasdin and Walter), and one with an interrupt now and then. The 1000-point test suite of NIST (Riley,
Handbook of Frequency Stability Analysis, SP 1065) checks the oracle.
"""

import itertools
import json

import allantools
import numpy as np


def oadev(values, scales):
    y = np.asarray(values) / np.mean(values) - 1
    taus, deviations, _, _ = allantools.oadev(y, rate=1.0, data_type="freq", taus=np.array(scales, float))
    assert list(taus) == scales
    return deviations.tolist()


def in_turns(values, together, rounds):
    """Root mean square of ln(a / b) over windows that begin in the middle of the one before, all orders of each."""
    values, half = np.asarray(values), together * rounds
    squares = []
    for start in range(0, len(values) - 2 * half + 1, half):
        turns = values[start:start + 2 * half].reshape(rounds, 2, together).sum(2)
        for order in itertools.product((0, 1), repeat=rounds):
            a = sum(turns[i, order[i]] for i in range(rounds))
            squares.append(np.log(a / (turns.sum() - a)) ** 2)
    return float(np.sqrt(np.mean(squares)))


def of_noise(b, qd):
    """Relative speed with power law b of its phase's noise: -2 white, -3 flicker, -4 random walk."""
    noise = allantools.Noise(nr=1024, qd=qd, b=b)
    noise.generateNoise()
    return np.diff(noise.time_series)[:512]


def nist():
    n, out = 1234567890, []
    for _ in range(1000):
        out.append(n / 2147483647)
        n = 16807 * n % 2147483647
    return out


np.random.seed(1966)
rng = np.random.default_rng(1966)
interrupts = rng.exponential(1e-4, 512) * (rng.random(512) < 0.05)
series = {
    "white": 1e-3 * (1 + of_noise(-2, 1e-4)),
    "flicker": 1e-3 * (1 + of_noise(-3, 1e-5)),
    "random walk": 1e-3 * (1 + of_noise(-4, 1e-6)),
    "interrupts": 1e-3 * (1 + of_noise(-2, 1e-6)) + interrupts,
}
scales = [1, 2, 3, 10, 30, 100, 200]
turns = [(1, 1), (1, 8), (3, 5), (10, 3), (10, 6), (50, 1)]
out = []
for name, values in series.items():
    values = np.round(values, 9)
    out.append({"name": name, "values": values.tolist(), "scales": scales, "deviations": oadev(values, scales),
                "turns": [[s, k, in_turns(values, s, k)] for s, k in turns]})
# Printed there of the values themselves, not relative to their mean.
published = nist()
relative = oadev(published, [1, 10, 100])
mean = float(np.mean(published))
assert np.allclose(np.array(relative) * mean, [2.922319e-1, 9.159953e-2, 3.241343e-2], rtol=5e-7), relative
with open("allan.json", "w") as file:
    file.write("[" + ",\n".join(map(json.dumps, out)) + "]\n")
