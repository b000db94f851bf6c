"""Pages with many plots, points and rows can be scrolled.

Times are of this machine, which may be busy, so only pages that hardly move at all are found.
"""

import unittest
from urllib.parse import urljoin

from browser import PageTest, draw
from laboratory import server
from smooth import scroll

PAGES = [("sort", "index.html"), ("large", "comparison-1-1.html"), ("large", "runs.html")]


class Smooth(PageTest):
    def test_scroll(self):
        for result, path in PAGES:
            with self.subTest(result=result, path=path):
                page = self.open(urljoin(server().result(result), path))
                for state in ["as it is opened", "with its plots pointed at"]:
                    page.evaluate("scrollTo(0, 0)")
                    smoothness = scroll(page)
                    print(f"\n{result}/{path} {state}: {smoothness}", end=" ", flush=True)
                    self.assertGreater(len(smoothness.gaps), smoothness.turns / 3, smoothness)
                    self.assertLess(smoothness.jerks, 0.2, smoothness)
                    if not draw(page):
                        break
                page.context.close()

    def test_who_only_scrolls_loads_no_library(self):
        page = self.open(urljoin(server().result("sort"), "comparison-1-1.html"))
        page.mouse.move(600, 400)
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        for way in [400, -400]:
            for _ in range(10):
                page.mouse.wheel(0, way)
                page.wait_for_timeout(100)
        self.assertGreaterEqual(page.locator("figure[data-figure]").count(), 3)
        self.assertEqual(asked, [])


if __name__ == "__main__":
    unittest.main()
