//! What all pages have around their content.

use maud::{DOCTYPE, Markup, html};

use crate::address::Address;
use crate::history::HistoryAddress;
use crate::text::say;

/// What is around the content of a page.
#[derive(Debug)]
pub(crate) struct Shell<'s> {
    name: &'s str,
    first: String,
    /// Address, word, and whether it is this page.
    places: Vec<(String, &'static str, bool)>,
    /// Addresses of the data behind the pages, and what they are.
    data: Vec<(String, &'static str)>,
}

impl<'s> Shell<'s> {
    /// Around a page of a result, which may be a campaign of a history.
    pub(crate) fn of_result(name: &'s str, here: &Address, is_campaign: bool) -> Self {
        let own = [
            (Address::First, "Answer"),
            (Address::Runs(0), "Runs"),
            (Address::Method, "Method"),
        ];
        let own = own.map(|(address, word)| (address.to_string(), word, address == *here));
        let back = || (format!("../../{}", HistoryAddress::First), "History", false);
        Self {
            name,
            first: Address::First.to_string(),
            places: is_campaign.then(back).into_iter().chain(own).collect(),
            data: [
                (Address::ReportJson, "report (JSON)"),
                (Address::ReportCsv, "report (CSV)"),
                (Address::SamplesCsv, "every sample (CSV)"),
            ]
            .map(|(address, word)| (address.to_string(), word))
            .to_vec(),
        }
    }

    /// Around a page of a history, which has tests or not.
    pub(crate) fn of_history(name: &'s str, here: &HistoryAddress, has_tests: bool) -> Self {
        let mut places = vec![
            (HistoryAddress::First, "History"),
            (HistoryAddress::Revisions(0), "Revisions"),
            (HistoryAddress::Campaigns, "Campaigns"),
        ];
        places.extend(has_tests.then_some((HistoryAddress::Tests, "Tests")));
        Self {
            name,
            first: HistoryAddress::First.to_string(),
            places: places
                .iter()
                .map(|(address, word)| (address.to_string(), *word, address == here))
                .collect(),
            data: [
                (HistoryAddress::Json, "history (JSON)"),
                (HistoryAddress::Csv, "every value (CSV)"),
                (HistoryAddress::Feed, "changes (Atom)"),
            ]
            .map(|(address, word)| (address.to_string(), word))
            .to_vec(),
        }
    }

    /// Around a page that is no result's.
    pub(crate) fn plain(name: &'s str) -> Self {
        Self {
            name,
            first: "/".to_owned(),
            places: Vec::new(),
            data: Vec::new(),
        }
    }

    pub(crate) fn finish(&self, title: &str, body: &Markup) -> String {
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (say(title)) " · " (say(self.name)) }
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href=(Address::Style);
                    script src=(Address::Script) defer {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header {
                        a.name href=(self.first) { (say(self.name)) }
                        @if !self.places.is_empty() {
                            nav aria-label="Pages" {
                                @for (address, word, is_here) in &self.places {
                                    a href=(address) aria-current=[is_here.then_some("page")] { (word) }
                                }
                            }
                        }
                    }
                    main id="main" { (body) }
                    footer {
                        "Made by perflab " (env!("CARGO_PKG_VERSION")) "."
                        @for (place, (address, word)) in self.data.iter().enumerate() {
                            @if place == 0 { " Data: " } @else { ", " }
                            a href=(address) download { (word) }
                        }
                        @if !self.data.is_empty() { "." }
                    }
                }
            }
        };
        markup.into_string()
    }
}
