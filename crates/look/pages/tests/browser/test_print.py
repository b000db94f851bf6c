"""On paper: whole drawings, and nothing to click on."""

import unittest
from urllib.parse import urljoin

from browser import PageTest, point_at_plots
from laboratory import folder

PATHS = "() => [...document.querySelectorAll('[data-marks] path')].map(path => path.getAttribute('d'))"


class Print(PageTest):
    def test_print(self):
        page = self.open(urljoin(folder(), "comparison-1-1.html"))
        plots = point_at_plots(page)
        whole = page.evaluate(PATHS)
        figure = page.locator("figure.plot").first
        figure.hover()
        figure.get_by_role("button", name="Zoom in").click()
        figure.locator(".legend").last.click()
        page.locator(".is-zoomed").wait_for()
        self.assertNotEqual(page.evaluate(PATHS), whole)
        page.emulate_media(media="print")
        page.wait_for_function(f"whole => String(({PATHS})()) === String(whole)", arg=whole)
        self.assertEqual(page.locator(".drawing svg:visible").count(), plots)
        for part in ["header nav", ".filter", "footer", ".skip", ".tools", ".hint"]:
            self.assertFalse(page.locator(part).first.is_visible(), part)
        for layer in page.locator("[data-marks]").all():
            self.assertTrue(layer.evaluate("layer => getComputedStyle(layer).display !== 'none'"))
        self.assertTrue(page.locator("h1").is_visible())
        page.emulate_media(media="screen")
        page.wait_for_function(f"whole => String(({PATHS})()) !== String(whole)", arg=whole)

    def test_dark_reader_prints_on_white(self):
        page = self.open(folder(), color_scheme="dark")
        page.emulate_media(media="print")
        paper = "() => getComputedStyle(document.documentElement).backgroundColor"
        self.assertEqual(page.evaluate(paper), "rgb(255, 255, 255)")


if __name__ == "__main__":
    unittest.main()
