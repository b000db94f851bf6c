//! All pages of a result.

use std::ops::Range;
use std::path::Path;

use maud::Markup;

use crate::address::Address;
use crate::content::{Content, Kind};
use crate::known::Shown;
use crate::list::Entry;
use crate::page::Page;
use crate::raw::{RawFile, files};
use crate::{assets, comparison, data, documents, first, method, metric, run, runs};

/// What pages that are no result's share with those of results: style, script and library, by their names.
pub fn asset(name: &str) -> Option<Content> {
    match Address::parse(name)? {
        Address::Style => Some(Content::made(Kind::Css, assets::STYLE.to_owned())),
        Address::Script => Some(Content::made(Kind::JavaScript, assets::SCRIPT.to_owned())),
        Address::Plotly => Some(Content::made(Kind::JavaScript, assets::PLOTLY.to_owned())),
        _ => None,
    }
}

/// A result, of which each page is made when it is asked for.
#[derive(Debug)]
pub struct Site {
    shown: Shown,
}

impl Site {
    /// Reads a results directory. One that is damaged, or still being written, has pages too: they show what is
    /// known and say what is missing.
    pub fn read(directory: &Path) -> Self {
        Self {
            shown: Shown::read(directory),
        }
    }

    pub(crate) fn shown(&self) -> &Shown {
        &self.shown
    }

    /// The result's name.
    pub fn name(&self) -> &str {
        self.shown.name()
    }

    /// What a list says of the result, at a path below its root.
    pub fn entry(&self, path: &str) -> Entry {
        let shown = &self.shown;
        let mut variants: Vec<String> = Vec::new();
        for cell in shown.salvage.plan.iter().flat_map(|plan| &plan.cells) {
            if !variants.contains(&cell.variant) {
                variants.push(cell.variant.clone());
            }
        }
        let records = shown.records();
        let meta = shown.salvage.meta.as_ref();
        Entry {
            path: path.to_owned(),
            name: shown.name().to_owned(),
            question: shown
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
            planned: shown.salvage.plan.as_ref().map(|plan| plan.runs.len()),
            variants,
            is_running: shown.salvage.writer().is_some(),
            problems: shown.problems.len(),
        }
    }

    /// What is missing of the result, or cannot be trusted.
    pub fn problems(&self) -> &[String] {
        &self.shown.problems
    }

    /// What is at an address relative to the first page; nothing if that is no address of this result.
    pub fn content(&self, address: &str) -> Option<Content> {
        self.at(&Address::parse(address)?)
    }

    /// The metrics that have pages, by number.
    pub(crate) fn metrics(&self) -> Range<usize> {
        0..self.shown.metrics().len()
    }

    /// Makes the comparisons of a metric, so that its pages are quick.
    pub(crate) fn compare(&self, metric: usize) {
        let _reason = self.shown.report_of(metric);
    }

    /// What a run left, with its addresses.
    pub(crate) fn raw(&self, run: u32) -> impl Iterator<Item = (Address, RawFile)> {
        let files = files(&self.shown.salvage.run_dir(run))
            .into_iter()
            .enumerate();
        files.map(move |(place, file)| (Address::Raw(run, place, file.plain_name()), file))
    }

    /// The addresses of all pages and files, but for what is made with a page, and what runs left.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        let shown = &self.shown;
        let mut all = vec![
            Address::Style,
            Address::Script,
            Address::Plotly,
            Address::First,
            Address::Method,
            Address::ReportJson,
            Address::ReportCsv,
            Address::SamplesCsv,
        ];
        all.extend(documents::names().map(Address::Document));
        all.extend((0..runs::pages(shown)).map(Address::Runs));
        for metric in 0..shown.metrics().len() {
            all.push(Address::Metric(metric));
            all.push(Address::MetricJson(metric));
            if let Ok(report) = shown.report_of(metric) {
                let rows = report.rows_of(metric).len();
                all.extend((0..rows).map(|row| Address::Comparison(metric, row)));
            }
        }
        for record in shown.records() {
            all.push(Address::Run(record.run));
        }
        all
    }

    /// A page, and the files that are made with it.
    pub(crate) fn page(&self, address: &Address) -> Option<(String, Vec<(Address, String)>)> {
        let mut page = Page::new(address.clone());
        let (title, body) = self.body(address, &mut page)?;
        let text = page.finish(self.shown.name(), &title, &body);
        Some((text, page.files()))
    }

    fn body(&self, address: &Address, page: &mut Page) -> Option<(String, Markup)> {
        let shown = &self.shown;
        Some(match address {
            Address::First => ("Answer".to_owned(), first::first(shown, page)),
            Address::Document(name) => {
                let (title, body) = documents::document(name)?;
                (title.to_owned(), body)
            }
            Address::Method => ("Method".to_owned(), method::method(shown)),
            Address::Runs(index) => ("Runs".to_owned(), runs::runs(shown, *index)?),
            Address::Run(number) => (format!("Run {number}"), run::run(shown, *number)?),
            Address::Metric(index) => {
                let name = shown.metrics().get(*index)?.name.clone();
                (name, metric::metric(shown, *index, page)?)
            }
            Address::Comparison(index, place) => {
                comparison::comparison(shown, *index, *place, page)?
            }
            _ => return None,
        })
    }

    pub(crate) fn at(&self, address: &Address) -> Option<Content> {
        let shown = &self.shown;
        Some(match address {
            Address::Style | Address::Script | Address::Plotly => asset(&address.to_string())?,
            Address::ReportJson => Content::made(
                Kind::Json,
                data::report_json(shown.report().map(|report| &**report)),
            ),
            Address::ReportCsv => Content::made(
                Kind::Csv,
                data::report_csv(shown.report().map(|report| &**report)),
            ),
            Address::SamplesCsv => Content::made(Kind::Csv, data::samples_csv(shown)),
            Address::MetricJson(metric) => {
                let name = &shown.metrics().get(*metric)?.name;
                let own = shown
                    .report_of(*metric)
                    .map(|report| report.of_metric(name));
                let own = own.as_ref().map_err(|reason| *reason);
                Content::made(Kind::Json, data::report_json(own))
            }
            Address::ComparisonCsv(metric, place) => {
                let table = comparison::csv(shown, *metric, *place)?;
                Content::made(Kind::Csv, table)
            }
            Address::Figures(stem) => {
                let page = Address::parse(&format!("{stem}.html"))?;
                let (_, files) = self.page(&page)?;
                let (_, figures) = files.into_iter().find(|(of, _)| of == address)?;
                Content::made(Kind::JavaScript, figures)
            }
            Address::Raw(number, place, _) => {
                shown.record(*number)?;
                let file = files(&shown.salvage.run_dir(*number))
                    .into_iter()
                    .nth(*place)?;
                Content::Raw(file.open().ok()?)
            }
            page => Content::made(Kind::Html, self.page(page)?.0),
        })
    }
}
