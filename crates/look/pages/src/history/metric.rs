//! One metric over all revisions.

use maud::{Markup, html};
use perflab_history::subject_name;
use perflab_report::change_sentences;
use perflab_report::plots::series;

use super::address::HistoryAddress;
use super::first::{answer, link};
use super::site::{Known, Plots};
use crate::text::say;

pub(super) fn metric(known: &Known, index: usize, plots: &mut Plots) -> Option<(String, Markup)> {
    let (view, changes) = (&known.found.view, &known.found.changes);
    let own = view.series.get(index)?;
    let name = subject_name(&own.subject);
    let plot = series(view, changes, index, 0, &|place| link(known, place))?;
    let mine = perflab_history::Changes {
        found: changes
            .found
            .iter()
            .filter(|change| change.series == index)
            .cloned()
            .collect(),
        ..changes.clone()
    };
    let sentences = change_sentences(view, &mine);
    let body = html! {
        p.crumbs { a href=(HistoryAddress::First) { "History" } }
        h1 { (say(&name)) }
        @if sentences.is_empty() { p.answer { "No change of this metric is proven." } }
        @for (change, sentence) in &sentences { (answer(known, change, sentence)) }
        p.note { (perflab_report::value_with_unit(own.control, &own.subject.metric.unit)) " at the control." }
        (plots.next_over_revisions(&plot))
    };
    Some((name, body))
}
