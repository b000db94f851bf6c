"""Tables: sorted by a click on a column, and filtered by words."""

import unittest
from urllib.parse import urljoin

from browser import PageTest
from laboratory import server


class Tables(PageTest):
    def setUp(self):
        super().setUp()
        self.page = self.open(urljoin(server().result("sort"), "runs.html"))
        self.rows = self.page.locator("#runs tbody tr")

    def column(self, place):
        return self.rows.evaluate_all(
            "(rows, place) => rows.filter(row => !row.hidden)"
            ".map(({ cells }) => cells[place].dataset.value ?? cells[place].textContent)", place)

    def test_sort(self):
        header = self.page.get_by_role("columnheader", name="wall")
        for way, is_descending in [("ascending", False), ("descending", True)]:
            header.get_by_role("button").click()
            self.assertEqual(header.get_attribute("aria-sort"), way)
            walls = [float(wall) for wall in self.column(4)]
            self.assertEqual(len(walls), 96)
            self.assertEqual(walls, sorted(walls, reverse=is_descending))
        self.page.get_by_role("columnheader", name="run").get_by_role("button").click()
        self.assertEqual(self.column(0), [str(run) for run in range(1, 97)])
        self.assertEqual(self.page.locator("th[aria-sort]").count(), 1)

    def test_sort_by_keyboard(self):
        header = self.page.get_by_role("columnheader", name="cell")
        header.get_by_role("button").focus()
        self.page.keyboard.press("Enter")
        self.assertEqual(header.get_attribute("aria-sort"), "ascending")
        cells = self.column(2)
        self.assertEqual(cells[0], "bytes/sort/lines=5000", "numbers in names are sorted as numbers")
        self.assertEqual(cells[-1], "utf8/sort/lines=40000")

    def test_filter(self):
        box = self.page.get_by_label("Show only rows with")
        box.fill("BYTES lines=5000")
        self.assertEqual(set(self.column(2)), {"bytes/sort/lines=5000"})
        self.assertEqual(len(self.column(2)), 12)
        self.assertEqual(self.page.locator("#runs tbody tr:visible").count(), 12)
        box.fill("")
        self.assertEqual(len(self.column(2)), 96)


if __name__ == "__main__":
    unittest.main()
