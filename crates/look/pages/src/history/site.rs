//! All pages of a history.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use maud::{Markup, html};
use perflab_history::{CampaignFacts, ChangesView, Files, HistoryDir, HistoryFile, Seen};

use super::address::HistoryAddress;
use super::{campaigns, data, feed, first, metric, revision, revisions, tests_table};
use crate::assets::asset;
use crate::content::{Content, Kind};
use crate::figure::figure;
use crate::list::HistoryEntry;
use crate::shell::Shell;
use crate::text::say;

/// A history, of which each page is made when it is asked for.
#[derive(Debug)]
pub struct HistorySite {
    pub(super) directory: HistoryDir,
    name: String,
    /// What the history is to answer.
    pub(super) question: Option<String>,
    /// What is known, or why nothing is.
    found: Result<Known, String>,
}

/// What is known of a history.
#[derive(Debug)]
pub(crate) struct Known {
    pub(super) found: ChangesView,
    pub(super) campaigns: Vec<CampaignFacts>,
    /// Those of which there is a result.
    with_result: HashSet<u32>,
    /// The place of each revision, by its name in addresses.
    places: HashMap<String, usize>,
    /// The files that changed with each revision, where all pages are made.
    pub(super) files: Option<Files>,
}

impl Known {
    /// The revision of a name in an address, with its place.
    pub(super) fn revision(&self, name: &str) -> Option<(usize, &Seen)> {
        let place = *self.places.get(name)?;
        Some((place, self.found.view.revisions.get(place)?))
    }

    /// Whether there is a result of a campaign.
    pub(super) fn is_result(&self, campaign: u32) -> bool {
        self.with_result.contains(&campaign)
    }

    /// The address of the revision at a place.
    pub(super) fn address(&self, place: usize) -> Option<HistoryAddress> {
        let seen = self.found.view.revisions.get(place)?;
        let address = HistoryAddress::of(&seen.revision);
        // Longer names are no names of files.
        let is_short = address.to_string().len() < 200;
        is_short.then_some(address)
    }
}

/// A page that is being made: its plots are numbered.
#[derive(Debug, Default)]
pub(super) struct Plots(usize);

impl Plots {
    pub(super) fn next(&mut self, plot: &perflab_plot::Plot) -> Markup {
        self.0 += 1;
        figure(plot, &format!("plot-{}", self.0))
    }

    /// One over revisions: who zooms into it is told how to measure those between.
    pub(super) fn next_over_revisions(&mut self, plot: &perflab_plot::Plot) -> Markup {
        html! {
            (self.next(plot))
            p.note.between hidden aria-live="polite" { "To measure all revisions between: " code {} }
        }
    }
}

impl HistorySite {
    /// Reads the directory of a history; nothing if it is none. One that is damaged has a page that says so.
    pub fn read(path: &Path) -> Option<Self> {
        let directory = HistoryDir::open(path).ok()?;
        let file = directory
            .file()
            .ok()
            .and_then(|text| HistoryFile::parse(&text, "history.toml").ok());
        let name = directory.name();
        let name = name.unwrap_or_else(|_| "a history without a name".to_owned());
        let found = known(&directory, &name);
        Some(Self {
            question: file.and_then(|file| file.question),
            directory,
            name,
            found,
        })
    }

    /// The history's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a list says of the history, at a path below its root.
    pub fn entry(&self, path: &str) -> HistoryEntry {
        let campaigns = self
            .found
            .as_ref()
            .map_or(&[][..], |known| &known.campaigns);
        let view = self.found.as_ref().ok().map(|known| &known.found);
        HistoryEntry {
            path: path.to_owned(),
            name: self.name.clone(),
            question: self.question.clone(),
            campaigns: campaigns.len(),
            last: campaigns
                .last()
                .map(|facts| facts.started.clone())
                .unwrap_or_default(),
            revisions: view.map_or(0, |found| found.view.revisions.len()),
            changes: view.map_or(0, |found| found.changes.found.len()),
            is_damaged: self.found.is_err(),
        }
    }

    /// Prepares to make all pages. Those for which it fails say why, as if it had not been tried.
    pub(super) fn prepare_all(&mut self) {
        if let Ok(known) = &mut self.found {
            known.files = Files::of(&known.found.view, &self.directory).ok();
        }
    }

    /// Why nothing is known of it, if so.
    pub fn problem(&self) -> Option<&str> {
        self.found.as_ref().err().map(String::as_str)
    }

    /// The results of its campaigns, with the first parts of their addresses.
    pub fn results(&self) -> Vec<(String, PathBuf)> {
        let campaigns = self.found.iter().flat_map(|known| &known.campaigns);
        campaigns
            .map(|facts| {
                (
                    format!("campaigns/{}/", facts.directory()),
                    self.directory.result(facts),
                )
            })
            .filter(|(_, path)| perflab_store::is_result(path))
            .collect()
    }

    /// What is at an address relative to the first page; nothing if that is no address of this history, but for those of
    /// its results.
    pub fn content(&self, address: &str) -> Option<Content> {
        if let Some(shared) = asset(address) {
            return Some(shared);
        }
        let address = HistoryAddress::parse(address)?;
        let known = match &self.found {
            Ok(known) => known,
            Err(reason) => {
                let page = html! { h1 { (say(&self.name)) } p.warning { (say(reason)) } };
                return (address == HistoryAddress::First)
                    .then(|| self.page(&address, "Damaged", &page, false));
            }
        };
        Some(match &address {
            HistoryAddress::Json => Content::made(Kind::Json, data::json(&known.found)),
            HistoryAddress::Csv => Content::made(Kind::Csv, data::csv(&known.found.view)),
            HistoryAddress::Feed => Content::made(Kind::Atom, feed::feed(&self.name, known)),
            HistoryAddress::Badge => Content::made(Kind::Svg, feed::badge(known)),
            page => {
                let (title, body) = self.body(known, page)?;
                let has_tests = !known.found.view.tests.is_empty();
                self.page(page, &title, &body, has_tests)
            }
        })
    }

    fn page(
        &self,
        address: &HistoryAddress,
        title: &str,
        body: &Markup,
        has_tests: bool,
    ) -> Content {
        let shell = Shell::of_history(&self.name, address, has_tests);
        Content::page(shell.finish(title, body))
    }

    fn body(&self, known: &Known, address: &HistoryAddress) -> Option<(String, Markup)> {
        let mut plots = Plots::default();
        Some(match address {
            HistoryAddress::First => ("History".to_owned(), first::first(self, known, &mut plots)),
            HistoryAddress::Metric(index) => metric::metric(known, *index, &mut plots)?,
            HistoryAddress::Revisions(page) => {
                ("Revisions".to_owned(), revisions::page(known, *page)?)
            }
            HistoryAddress::Revision(name) => {
                let (place, seen) = known.revision(name)?;
                (seen.revision.name(), revision::revision(self, known, place))
            }
            HistoryAddress::Campaigns => ("Campaigns".to_owned(), campaigns::all(known)),
            HistoryAddress::Tests => ("Tests".to_owned(), tests_table::table(known)?),
            HistoryAddress::Campaign(_)
            | HistoryAddress::Feed
            | HistoryAddress::Badge
            | HistoryAddress::Json
            | HistoryAddress::Csv => return None,
        })
    }

    /// The addresses of all pages and files, but for those of its results.
    pub(super) fn addresses(&self) -> Vec<String> {
        let shared = ["style.css", "script.js", "plots.js"].map(str::to_owned);
        let mut all = vec![HistoryAddress::First];
        if let Ok(known) = &self.found {
            let view = &known.found.view;
            all.extend([
                HistoryAddress::Campaigns,
                HistoryAddress::Feed,
                HistoryAddress::Badge,
                HistoryAddress::Json,
                HistoryAddress::Csv,
            ]);
            all.extend((0..view.series.len()).map(HistoryAddress::Metric));
            all.extend((0..revisions::pages(view)).map(HistoryAddress::Revisions));
            all.extend((0..view.revisions.len()).filter_map(|place| known.address(place)));
            all.extend((!view.tests.is_empty()).then_some(HistoryAddress::Tests));
        }
        shared
            .into_iter()
            .chain(all.iter().map(ToString::to_string))
            .collect()
    }
}

fn known(directory: &HistoryDir, name: &str) -> Result<Known, String> {
    let found = ChangesView::read(directory, name).map_err(|error| error.to_string())?;
    let campaigns = directory.campaigns().map_err(|error| error.to_string())?;
    let revisions = found.view.revisions.iter().enumerate();
    let places = revisions.filter_map(|(place, seen)| match HistoryAddress::of(&seen.revision) {
        HistoryAddress::Revision(name) => Some((name, place)),
        _ => None,
    });
    let places = places.collect();
    let is_result = |facts: &&CampaignFacts| perflab_store::is_result(&directory.result(facts));
    let with_result = campaigns.iter().filter(is_result);
    Ok(Known {
        found,
        with_result: with_result.map(|facts| facts.campaign).collect(),
        campaigns,
        places,
        files: None,
    })
}
