//! All pages of a result.

use std::ops::Range;
use std::path::Path;

use maud::Markup;

use crate::address::Address;
use crate::answer::answer;
use crate::assets::asset;
use crate::content::{Content, Kind};
use crate::list::Entry;
use crate::page::Page;
use crate::result::SalvagedResult;
use crate::run_files::{RunFile, files};
use crate::shell::Shell;
use crate::{charts, comparison, data, document, documents, method, metric, run, runs};

/// A result, of which each page is made when it is asked for.
#[derive(Debug)]
pub struct Site {
    result: SalvagedResult,
    /// Whether its pages are below those of a history.
    is_campaign: bool,
}

impl Site {
    /// Reads a results directory. One that is damaged, or still being written, has pages too: they show what is
    /// known and say what is missing.
    pub fn read(directory: &Path) -> Self {
        Self {
            result: SalvagedResult::read(directory),
            is_campaign: false,
        }
    }

    /// Reads the result of a campaign, whose pages lead back to those of the history: these are two folders above.
    pub fn of_campaign(directory: &Path) -> Self {
        Self {
            is_campaign: true,
            ..Self::read(directory)
        }
    }

    pub(crate) fn result(&self) -> &SalvagedResult {
        &self.result
    }

    /// The result's name.
    pub fn name(&self) -> &str {
        self.result.name()
    }

    /// What a list says of the result, at a path below its root.
    pub fn entry(&self, path: &str) -> Entry {
        let result = &self.result;
        let mut variants: Vec<String> = Vec::new();
        for cell in result.salvage.plan.iter().flat_map(|plan| &plan.cells) {
            if !variants.contains(&cell.variant) {
                variants.push(cell.variant.clone());
            }
        }
        let records = result.records();
        let meta = result.salvage.meta.as_ref();
        Entry {
            path: path.to_owned(),
            name: result.name().to_owned(),
            question: result
                .experiment()
                .and_then(|experiment| experiment.question.clone()),
            created: meta
                .map(|meta| meta.origin.created.clone())
                .unwrap_or_default(),
            done: records.len(),
            failed: records
                .iter()
                .filter(|record| !record.status.passed())
                .count(),
            planned: result.salvage.plan.as_ref().map(|plan| plan.runs.len()),
            variants,
            is_running: result.salvage.writer().is_some(),
            problems: result.problems.len(),
        }
    }

    /// What is missing of the result, or cannot be trusted.
    pub fn problems(&self) -> &[String] {
        &self.result.problems
    }

    /// What is at an address relative to the first page; nothing if that is no address of this result.
    pub fn content(&self, address: &str) -> Option<Content> {
        self.at(&Address::parse(address)?)
    }

    /// The metrics that have pages, by number.
    pub(crate) fn metrics(&self) -> Range<usize> {
        0..self.result.metrics().len()
    }

    /// Makes the comparisons of a metric, so that its pages are quick.
    pub(crate) fn compare(&self, metric: usize) {
        let _reason = self.result.report_of(metric);
    }

    /// What a run left, with its addresses.
    pub(crate) fn raw(&self, run: u32) -> impl Iterator<Item = (Address, RunFile)> {
        let files = files(&self.result.salvage.run_dir(run))
            .into_iter()
            .enumerate();
        files.map(move |(place, file)| (Address::Raw(run, place, file.plain_name()), file))
    }

    /// The addresses of all pages and files, but for what is made with a page, and what runs left.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        let result = &self.result;
        let mut all = vec![
            Address::Style,
            Address::Script,
            Address::PlotScript,
            Address::First,
            Address::Method,
            Address::ReportJson,
            Address::ReportCsv,
            Address::SamplesCsv,
        ];
        all.extend(charts::has_charts(result).then_some(Address::Charts));
        all.extend(documents::names().map(Address::Document));
        all.extend((0..runs::pages(result)).map(Address::Runs));
        for metric in 0..result.metrics().len() {
            all.push(Address::Metric(metric));
            all.push(Address::MetricJson(metric));
            if let Ok(report) = result.report_of(metric) {
                let rows = report.rows_of(metric).len();
                all.extend((0..rows).map(|row| Address::Comparison(metric, row)));
            }
        }
        for record in result.records() {
            all.push(Address::Run(record.run));
        }
        all
    }

    /// A page, and the files that are made with it.
    pub(crate) fn page(&self, address: &Address) -> Option<(String, Vec<(Address, String)>)> {
        let mut page = Page::default();
        let (title, body) = self.body(address, &mut page)?;
        let shell = Shell::of_result(self.result.name(), address, self.is_campaign);
        Some((shell.finish(&title, &body), page.files))
    }

    fn body(&self, address: &Address, page: &mut Page) -> Option<(String, Markup)> {
        let result = &self.result;
        Some(match address {
            Address::First => ("Answer".to_owned(), answer(result, page)),
            Address::Document(name) => {
                let (title, body) = document::document(name)?;
                (title.to_owned(), body)
            }
            Address::Method => ("Method".to_owned(), method::method(result)),
            Address::Charts => ("Charts".to_owned(), charts::charts(result, page)?),
            Address::Runs(index) => ("Runs".to_owned(), runs::runs(result, *index)?),
            Address::Run(number) => (format!("Run {number}"), run::run(result, *number)?),
            Address::Metric(index) => {
                let name = result.metrics().get(*index)?.name.clone();
                (name, metric::metric(result, *index, page)?)
            }
            Address::Comparison(index, place) => {
                comparison::comparison(result, *index, *place, page)?
            }
            _ => return None,
        })
    }

    pub(crate) fn at(&self, address: &Address) -> Option<Content> {
        let result = &self.result;
        Some(match address {
            Address::Style | Address::Script | Address::PlotScript => asset(&address.to_string())?,
            Address::ReportJson => Content::made(
                Kind::Json,
                data::report_json(result.report().map(|report| &**report)),
            ),
            Address::ReportCsv => Content::made(
                Kind::Csv,
                data::report_csv(result.report().map(|report| &**report)),
            ),
            Address::SamplesCsv => Content::made(Kind::Csv, data::samples_csv(result)),
            Address::MetricJson(metric) => {
                let name = &result.metrics().get(*metric)?.name;
                let own = result
                    .report_of(*metric)
                    .map(|report| report.of_metric(name));
                let own = own.as_ref().map_err(|reason| *reason);
                Content::made(Kind::Json, data::report_json(own))
            }
            Address::ComparisonCsv(metric, place) => {
                let table = comparison::csv(result, *metric, *place)?;
                Content::made(Kind::Csv, table)
            }
            Address::Raw(number, place, _) => {
                result.record(*number)?;
                let file = files(&result.salvage.run_dir(*number))
                    .into_iter()
                    .nth(*place)?;
                Content::Raw(file.open().ok()?)
            }
            page => Content::made(Kind::Html, self.page(page)?.0),
        })
    }
}
