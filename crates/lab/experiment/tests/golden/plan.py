"""Draws the plan in plan.json by a second implementation, of ChaCha8 too: python3 plan.py > plan.json

The order is drawn as crates/lab/experiment/src/plan.rs describes it, for two variants with two values
of one parameter, 4 runs of each cell in blocks of 2, everything renewed each run, seed 7.
"""

import json
import struct

SEED, PURPOSE = 7, b"perflab plan 1"
VARIANTS, VALUES, BLOCK, BLOCKS = 2, 2, 2, 2


def add(a, b):
    return (a + b) & 0xFFFFFFFF


def rotated(x, n):
    return (x << n | x >> (32 - n)) & 0xFFFFFFFF


def chacha8(key, counter):
    """One block: 16 words (Bernstein 2008, with a 64-bit counter and a nonce of 0)."""
    constant = struct.unpack("<4I", b"expand 32-byte k")
    start = [*constant, *struct.unpack("<8I", key), *struct.unpack("<2I", struct.pack("<Q", counter)), 0, 0]
    x = list(start)

    def quarter_round(a, b, c, d):
        for p, q, r, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = add(x[p], x[q])
            x[r] = rotated(x[r] ^ x[p], n)

    for _ in range(4):
        for i in range(4):
            quarter_round(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter_round(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return [add(a, b) for a, b in zip(x, start)]


def draws():
    key, counter = struct.pack("<Q", SEED) + PURPOSE.ljust(24, b"\0"), 0
    while True:
        words = chacha8(key, counter)
        counter += 1
        for low, high in zip(words[::2], words[1::2]):
            yield high << 32 | low


stream = draws()


def below(bound):
    while True:
        bits = next(stream)
        if bits < 2**64 - 2**64 % bound:
            return bits % bound


def shuffle(items):
    for last in range(len(items) - 1, 0, -1):
        chosen = below(last + 1)
        items[last], items[chosen] = items[chosen], items[last]


cells = [
    {"id": f"v{v}/w/n={n}", "variant": f"v{v}", "workload": "w", "parameters": {"n": str(n)}}
    for n in range(VALUES)
    for v in range(VARIANTS)
]
runs, units = [], {}
for block in range(1, BLOCKS + 1):
    groups = [[n * VARIANTS + v for v in range(VARIANTS)] for n in range(VALUES)]
    shuffle(groups)
    for group in groups:
        order = [cell for cell in group for _ in range(BLOCK)]
        shuffle(order)
        for cell in order:
            variant = cells[cell]["variant"]
            units[variant] = units.get(variant, 0) + 1
            run = {"run": len(runs) + 1, "block": block, "cell": cell, "seed": next(stream), "unit": units[variant]}
            runs.append(run)
print(json.dumps({"schema": 1, "seed": SEED, "cells": cells, "runs": runs}, indent=2))
