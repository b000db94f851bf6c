"""Every kind of page, in a folder and served: no complaint, and nothing is asked for from elsewhere."""

import unittest

from browser import PageTest, point_at_plots
from kinds import in_folder, served


class Complaints(PageTest):
    def look(self, pages):
        for kind, (url, plots) in pages.items():
            with self.subTest(kind):
                page = self.open(url)
                self.assertGreaterEqual(point_at_plots(page), plots)
                page.wait_for_load_state("networkidle")
                self.assertEqual(self.complaints, [])
                page.context.close()

    def test_folder(self):
        self.look(in_folder())

    def test_served(self):
        self.look(served())


if __name__ == "__main__":
    unittest.main()
