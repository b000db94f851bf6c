"""Pictures of the pages of a result that is complete. (That of one being measured is taken where it is.)"""

import unittest
from urllib.parse import urljoin

from browser import PHONE, PageTest, point_at_plots
from laboratory import server
from screenshots import take


class Screenshots(PageTest):
    def take(self, name, path="index.html", **options):
        page = self.open(urljoin(server().result("sort"), path), **options)
        take(page, name)
        return page

    def test_take(self):
        take(self.take("first"), "first-full", whole=True)
        self.take("metric", "metric-1.html")
        page = self.take("comparison", "comparison-1-1.html")
        point_at_plots(page)
        take(page, "comparison-pointed-at")
        self.take("run", "run-1.html")
        self.take("list", "/")
        self.take("dark", color_scheme="dark")
        self.take("phone", viewport=PHONE, is_mobile=True, has_touch=True)


if __name__ == "__main__":
    unittest.main()
