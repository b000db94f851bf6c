//! The list of campaigns, the newest first.

use maud::{Markup, html};
use perflab_experiment::counted;
use perflab_history::{CampaignFacts, Purpose, Revision};

use super::address::HistoryAddress;
use super::site::Known;
use crate::text::say;

pub(super) fn all(known: &Known) -> Markup {
    html! {
        h1 { "Campaigns" }
        p.note { (counted(known.campaigns.len(), "campaign")) ", the newest first. Each is a result of its own." }
        (table(known, usize::MAX))
    }
}

/// So many campaigns, the newest first.
pub(super) fn table(known: &Known, most: usize) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Campaigns" {
            table data-sortable {
                thead { tr {
                    th.number scope="col" { "campaign" } th scope="col" { "begun" } th scope="col" { "for" }
                    th scope="col" { "control" } th.number scope="col" { "revisions" }
                    th scope="col" { "first" } th scope="col" { "last" }
                } }
                tbody { @for facts in known.campaigns.iter().rev().take(most) { (row(known, facts)) } }
            }
        }
    }
}

fn row(known: &Known, facts: &CampaignFacts) -> Markup {
    let mut revisions: Vec<&Revision> = facts.beside_control().collect();
    revisions.sort_by_key(|revision| revision.time);
    html! {
        tr {
            td.number data-value=(facts.campaign) {
                @match known.is_result(facts.campaign) {
                    false => { (facts.campaign) }
                    true => { a href=(HistoryAddress::Campaign(facts.campaign)) { (facts.campaign) } }
                }
            }
            td { (say(facts.started.get(..19).unwrap_or(&facts.started))) }
            td { (purpose(&facts.purpose)) }
            td { (say(&facts.control.name())) }
            td.number { (revisions.len()) @if !facts.unbuilt.is_empty() { ", " (facts.unbuilt.len()) " not built" } }
            td { @if let Some(first) = revisions.first() { (say(&first.name())) " of " (first.date()) } }
            td { @if let Some(last) = revisions.last() { (say(&last.name())) " of " (last.date()) } }
        }
    }
}

fn purpose(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Plan => "new revisions",
        Purpose::Fill => "revisions between two",
        Purpose::Patch => "a patch",
        Purpose::Confirm => "both sides of a change",
        Purpose::Bisect => "a bisection",
    }
}
