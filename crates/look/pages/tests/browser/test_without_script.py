"""Where no script may run: drawings, tables and links are there."""

import unittest
from urllib.parse import urljoin

from browser import PageTest
from kinds import in_folder, served


class WithoutScript(PageTest):
    def look(self, pages):
        for kind, (url, plots) in pages.items():
            with self.subTest(kind):
                page = self.open(url, java_script_enabled=False)
                drawings = page.locator("figure.plot svg").all()
                self.assertGreaterEqual(len(drawings), plots)
                for drawing in drawings:
                    self.assertTrue(drawing.is_visible())
                    self.assertGreater(drawing.locator("path, rect").count(), 5)
                for table in page.locator("table").all():
                    self.assertTrue(table.is_visible())
                self.assertEqual(page.locator(".filter:visible").count(), 0, "no box that does nothing")
                page.context.close()

    def test_folder(self):
        self.look(in_folder())

    def test_served(self):
        self.look(served())

    def test_links(self):
        first, _ = in_folder()["first"]
        page = self.open(first, java_script_enabled=False)
        for part in ["comparison-1-1", "run-", "stdout"]:
            page.locator(f"main a[href*='{part}']").first.click()
            self.assertIn(part, page.url)
        self.assertRegex(page.locator("body").inner_text(), r"^sorted \d+ lines")

    def test_every_link_of_the_pages_leads_somewhere(self):
        for kind, (url, _) in served().items():
            with self.subTest(kind):
                page = self.open(url, java_script_enabled=False)
                links = {link.get_attribute("href") for link in page.locator("a[href]").all()}
                self.assertGreater(len(links), 0)
                for link in sorted(links):
                    # The browser hears nothing of it: some lead to files that it would save.
                    answer = page.request.get(urljoin(url, link))
                    self.assertEqual(answer.status, 200, link)
                page.context.close()


if __name__ == "__main__":
    unittest.main()
