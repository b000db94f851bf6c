"""Every kind of page, light and dark, wide and on a phone: axe finds no weighty fault."""

import unittest

from accessibility import faults
from browser import PageTest, point_at_plots
from kinds import served
from laboratory import server

# What axe does not look at: the colours of a text in a drawing, and of what is behind it.
CELLS = """cells => {
    const parts = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const paper = getComputedStyle(document.documentElement).backgroundColor;
    return cells.map((cell) => {
        const [rect, text] = ["rect", "text"].map((name) => getComputedStyle(cell.querySelector(name)));
        return [parts(text.fill), parts(rect.fill), Number(rect.fillOpacity), parts(paper)];
    });
}"""


def luminance(colour):
    def linear(part):
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(part / 255) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """As WCAG 2 defines it."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


class Accessibility(PageTest):
    def test_every_kind(self):
        for kind, (url, plots) in served().items():
            with self.subTest(kind):
                page = self.open(url)
                self.assertEqual(faults(page), [])
                self.assertGreaterEqual(point_at_plots(page), plots)
                if plots:
                    self.assertEqual(faults(page), [])
                page.context.close()

    def test_values_on_a_map_can_be_read(self):
        page = self.open(server().result("sort"), java_script_enabled=False)
        for scheme in ["light", "dark"]:
            page.emulate_media(color_scheme=scheme)
            cells = page.locator("svg .cell").evaluate_all(CELLS)
            self.assertEqual(len(cells), 8)
            for text, fill, opacity, paper in cells:
                behind = [own * opacity + below * (1 - opacity) for own, below in zip(fill, paper)]
                self.assertGreaterEqual(contrast(text, behind), 4.5, f"{scheme}: {text} on {behind}")


if __name__ == "__main__":
    unittest.main()
