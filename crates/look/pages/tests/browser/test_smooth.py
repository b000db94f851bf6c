"""Pages with many plots, points and rows can be scrolled.

Times are of this machine, which may be busy, so only pages that hardly move at all are found.
"""

import unittest
from urllib.parse import urljoin

from browser import PageTest, point_at_plots
from laboratory import server
from smooth import scroll

# How often a page is scrolled until it counts as one that jerks.
TRIES = 5
PAGES = [("sort", "index.html"), ("large", "comparison-1-1.html"), ("large", "runs.html")]


class Smooth(PageTest):
    def test_scroll(self):
        for result, path in PAGES:
            with self.subTest(result=result, path=path):
                page = self.open(urljoin(server().result(result), path))
                self.assert_smooth(page, f"{result}/{path} as it is opened", page.reload)
                if point_at_plots(page):
                    self.assert_smooth(page, f"{result}/{path} with its plots pointed at", lambda: (page.reload(), point_at_plots(page)))
                page.context.close()

    def assert_smooth(self, page, what, prepare):
        """Of a few tries the best counts: a page that really jerks does so each time."""
        for tries_left in reversed(range(TRIES)):
            page.evaluate("scrollTo(0, 0)")
            smoothness = scroll(page)
            print(f"\n{what}: {smoothness}", end=" ", flush=True)
            follows, jerks = len(smoothness.gaps) > smoothness.turns / 3, smoothness.jerks >= 0.2
            if (follows and not jerks) or not tries_left:
                break
            # Who disturbs it may be done by then.
            page.wait_for_timeout(1000)
            prepare()
        self.assertTrue(follows, smoothness)
        self.assertFalse(jerks, smoothness)

    def test_who_only_scrolls_asks_for_nothing(self):
        page = self.open(urljoin(server().result("sort"), "comparison-1-1.html"))
        page.mouse.move(600, 400)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        for way in [400, -400]:
            for _ in range(10):
                page.mouse.wheel(0, way)
                page.wait_for_timeout(100)
        self.assertGreaterEqual(page.locator("figure.plot").count(), 3)
        self.assertEqual(asked, [])
        self.assertEqual(page.locator(".current").count(), 0, "no plot was read")


if __name__ == "__main__":
    unittest.main()
