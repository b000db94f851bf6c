"""The list of results: searched by words, and two of them compared."""

import unittest

from browser import PageTest
from laboratory import server


class List(PageTest):
    def setUp(self):
        super().setUp()
        self.page = self.open(server().first)

    def listed(self):
        return self.page.locator("tbody th a").all_inner_texts()

    def search(self, words):
        self.page.get_by_label("Search").fill(words)
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Find").click()

    def test_search(self):
        self.assertEqual(sorted(self.listed()), ["large", "read", "sort", "sort-again"])
        self.search("again Bytes")
        self.assertEqual(self.listed(), ["sort-again"])
        self.assertEqual(self.page.get_by_label("Search").input_value(), "again Bytes")
        self.search("no-such-word")
        self.assertEqual(self.listed(), [])
        self.assertIn("None of 4 results", self.page.locator(".answer").inner_text())

    def test_compare_two(self):
        self.page.get_by_label("A: sort", exact=True).check()
        self.page.get_by_label("B: sort-again", exact=True).check()
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Compare B with A").click()
        self.assertEqual(self.page.locator("h1").inner_text(), "B against A")
        self.assertEqual(self.page.locator("h2").all_inner_texts(), ["What else changed"])
        # The results share a baseline, which decides before what each variant shows.
        tables = self.page.locator("caption").all_inner_texts()
        self.assertTrue(tables[0].startswith("B against A, lines=5000: wall of bytes / utf8,"), tables)
        self.assertGreaterEqual(self.page.locator("svg .interval").count(), 2)
        self.assertIn("sort-again", self.page.locator("dl a").all_inner_texts())

    def test_open_one(self):
        with self.page.expect_navigation():
            self.page.get_by_role("link", name="sort", exact=True).click()
        self.assertEqual(self.page.url, server().result("sort"))


if __name__ == "__main__":
    unittest.main()
