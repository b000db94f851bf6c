"""On paper: drawings instead of what one can interact with, and nothing to click on."""

import unittest
from urllib.parse import urljoin

from browser import PageTest, draw
from laboratory import folder


class Print(PageTest):
    def test_print(self):
        page = self.open(urljoin(folder(), "comparison-1-1.html"))
        plots = draw(page)
        self.assertEqual(page.locator(".interactive:visible").count(), plots)
        self.assertEqual(page.locator(".drawing svg:visible").count(), 0)
        page.emulate_media(media="print")
        self.assertEqual(page.locator(".interactive:visible").count(), 0)
        self.assertEqual(page.locator(".drawing svg:visible").count(), plots)
        for part in ["header nav", ".filter", "footer", ".skip"]:
            self.assertFalse(page.locator(part).first.is_visible(), part)
        self.assertTrue(page.locator("h1").is_visible())

    def test_dark_reader_prints_on_white(self):
        page = self.open(folder(), color_scheme="dark")
        page.emulate_media(media="print")
        paper = "() => getComputedStyle(document.documentElement).backgroundColor"
        self.assertEqual(page.evaluate(paper), "rgb(255, 255, 255)")


if __name__ == "__main__":
    unittest.main()
