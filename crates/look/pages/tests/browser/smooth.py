"""How smoothly a page scrolls: the time between its frames while a wheel turns.

By hand, on any page: python smooth.py URL
"""

import statistics
import sys
from dataclasses import dataclass

from browser import DESK, chromium

# Turns of the wheel: how far each, in pixels, and how long until the next, in milliseconds.
TURN = 240
PAUSE = 30
MOST_TURNS = 50

# A frame that takes longer, in milliseconds, is seen as a jerk.
JERK = 100

RECORD = """() => {
    const frames = [];
    const next = (now) => {
        frames.push(now);
        if (window.recordedFrames === frames) requestAnimationFrame(next);
    };
    window.recordedFrames = frames;
    requestAnimationFrame(next);
}"""
RECORDED = """() => {
    const frames = window.recordedFrames;
    delete window.recordedFrames;
    return frames;
}"""
BELOW = """() => {
    const { scrollHeight, scrollTop } = document.scrollingElement;
    return scrollHeight - innerHeight - scrollTop;
}"""


@dataclass
class Smoothness:
    """Times between frames, in milliseconds."""

    gaps: list
    turns: int

    @property
    def jerks(self):
        """The share of frames that took long."""
        return sum(gap > JERK for gap in self.gaps) / len(self.gaps)

    def __str__(self):
        middle = statistics.median(self.gaps)
        return (f"{self.turns} turns of the wheel, {len(self.gaps)} frames: "
                f"median {middle:.1f} ms, worst {max(self.gaps):.1f} ms, "
                f"{self.jerks:.1%} over {JERK} ms")


def scroll(page):
    """Scrolls a page from its beginning to its end, or as far as the turns go."""
    box = page.viewport_size
    page.evaluate(RECORD)
    turns = 0
    while turns < MOST_TURNS and page.evaluate(BELOW) > 1:
        # At the side, where nothing but the page itself is scrolled.
        page.mouse.move(2, box["height"] / 2)
        page.mouse.wheel(0, TURN)
        page.wait_for_timeout(PAUSE)
        turns += 1
    frames = page.evaluate(RECORDED)
    gaps = [after - before for before, after in zip(frames, frames[1:])]
    return Smoothness(gaps or [0.0], turns)


def main():
    page = chromium().new_page(viewport=DESK)
    page.goto(sys.argv[1])
    print(scroll(page))


if __name__ == "__main__":
    main()
