"""Data that pages offer: saved as files, and the same as what commands print."""

import csv
import io
import json
import unittest
from pathlib import Path
from urllib.parse import urljoin

from browser import PageTest
from laboratory import laboratory, server


class Downloads(PageTest):
    def save(self, page, name):
        """The content of the file that a click on a link saves."""
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        return Path(download.value.path()).read_bytes()

    def compare(self, *arguments):
        made = laboratory()
        return made.perflab("compare", made.results / "sort", "--gate", "none", *arguments)

    def test_report(self):
        page = self.open(server().result("sort"))
        as_json = self.save(page, "report (JSON)")
        self.assertEqual(len(json.loads(as_json)["rows"]), 8)
        self.assertEqual(as_json, self.compare("--format", "json"))
        as_csv = self.save(page, "report (CSV)")
        self.assertEqual(as_csv, self.compare("--format", "csv"))

    def test_samples(self):
        page = self.open(server().result("sort"))
        rows = list(csv.DictReader(io.StringIO(self.save(page, "every sample (CSV)").decode())))
        walls = [row for row in rows if row["metric"] == "wall"]
        self.assertEqual([row["run"] for row in walls], [str(run) for run in range(1, 97)])
        self.assertTrue(all(float(row["value"]) > 0 for row in walls))

    def test_metric(self):
        page = self.open(urljoin(server().result("sort"), "metric-3.html"))
        as_json = self.save(page, "These comparisons as JSON")
        metric = page.locator("h1").inner_text().split(",")[0]
        self.assertEqual(as_json, self.compare("--metric", metric, "--format", "json"))


if __name__ == "__main__":
    unittest.main()
