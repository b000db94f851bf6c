//! One run: what was executed, how it ended, what it measured and said.

use maud::{Markup, html};
use perflab_report::command_of_run;
use perflab_store::{RunRecord, Usage, read_slices};

use crate::address::Address;
use crate::figure::figure;
use crate::result::SalvagedResult;
use crate::run_files::{RunFile, files};
use crate::text::say;

/// Samples that are listed; the rest is in the data.
const MOST_SAMPLES: usize = 1000;

pub(crate) fn run(result: &SalvagedResult, number: u32) -> Option<Markup> {
    let records = result.records();
    let place = result.place_of(number)?;
    let record = records.get(place)?;
    let beside = |place: Option<usize>| place.and_then(|place| records.get(place));
    let (before, behind) = (beside(place.checked_sub(1)), beside(Some(place + 1)));
    let step = |record: Option<&RunRecord>, word: &str| {
        html! {
            @if let Some(record) = record { a href=(Address::Run(record.run)) { (word) } " " }
        }
    };
    let page = place / crate::runs::ON_A_PAGE;
    Some(html! {
        p.crumbs {
            a href=(Address::First) { "Answer" } " › " a href=(Address::Runs(page)) { "Runs" } " · "
            (step(before, "the run before")) (step(behind, "the run after"))
        }
        h1 { "Run " (record.run) ": " (say(&record.cell)) }
        p.answer {
            span class={ "verdict " (if record.status.passed() { "better" } else { "worse" }) } {
                (record.status.name())
                @if let Some(detail) = &record.detail { ": " (say(detail)) }
            }
        }
        (raw(result, record))
        (slices(result, record))
        (facts(record))
        (steps(record))
        (samples(record))
    })
}

/// What each slice measured; a file of them that cannot be read is among what the run said.
fn slices(result: &SalvagedResult, record: &RunRecord) -> Markup {
    let slices = read_slices(&result.salvage.run_dir(record.run)).unwrap_or_default();
    let plots = perflab_report::plots::slices(&slices);
    html! {
        @if !plots.is_empty() {
            h2 { "Its slices" }
            @for (place, plot) in plots.iter().enumerate() { (figure(plot, &format!("slices-{place}"))) }
        }
    }
}

fn facts(record: &RunRecord) -> Markup {
    let measured = record.source.is_none();
    html! {
        h2 { "What was executed" }
        dl.facts {
            @if let Some(command) = command_of_run(record) { dt { "command" } dd { code { (say(&command)) } } }
            @if let Some(source) = &record.source { dt { "imported from" } dd { (say(source)) } }
            dt { "variant" } dd { (say(&record.variant)) }
            dt { "workload" } dd { (say(&record.workload)) }
            @for (name, value) in &record.parameters { dt { (say(name)) } dd { (say(value)) } }
            dt { "block, unit" } dd { (record.block) ", " (record.unit) }
            @if !record.started.is_empty() { dt { "started" } dd { (say(&record.started)) } }
            @if let Some(code) = record.exit_code { dt { "exit code" } dd { (code) } }
            @if let Some(signal) = record.signal { dt { "ended by signal" } dd { (signal) } }
            @if let Some(host) = &record.host { dt { "host" } dd { (say(host)) } }
            @if record.is_observed() { dt { "observed by" } dd { (say(&record.observers.join(", "))) } }
            @for (path, hash) in &record.programs { dt { "program" } dd { (say(path)) ", SHA-256 " code { (say(hash)) } } }
            @if let Some(layout) = &record.layout { dt { "layout" } dd { (say(layout)) } }
            @for (name, value) in &record.settings { dt { (say(name)) } dd { (say(value)) } }
        }
        @if measured {
            h2 { "What it took" }
            dl.facts {
                @if let Some(usage) = &record.usage { (used(usage)) }
                dt { "shift of the stack" } dd { (record.environment_padding_bytes) " bytes" }
                @if let Some(load) = record.load1 { dt { "load average before" } dd { (format!("{load:.2}")) } }
                @if let Some(steal) = record.steal_share {
                    dt { "taken by the hypervisor" } dd { (perflab_report::share(steal)) }
                }
            }
        }
        p.note { "The machine and the programs are on the page " a href=(Address::Method) { "Method" } "." }
    }
}

fn used(usage: &Usage) -> Markup {
    html! {
        dt { "wall time" } dd { (perflab_report::value(usage.wall_s, "s")) }
        dt { "CPU time of the program" } dd { (perflab_report::value(usage.user_s, "s")) }
        dt { "CPU time of the kernel" } dd { (perflab_report::value(usage.system_s, "s")) }
        dt { "peak memory" } dd {
            @match usage.max_rss_bytes {
                Some(bytes) => { (perflab_report::value(bytes as f64, "bytes")) }
                None => { "not known" }
            }
        }
        dt { "waits" } dd { (usage.voluntary_switches) }
        dt { "preemptions" } dd { (usage.involuntary_switches) }
    }
}

fn steps(record: &RunRecord) -> Markup {
    html! {
        @if !record.steps.is_empty() {
            h2 { "Steps of the laboratory" }
            dl.facts {
                @for step in &record.steps {
                    dt { (step.step.name()) } dd { (perflab_report::value(step.seconds, "s")) }
                }
            }
        }
    }
}

fn samples(record: &RunRecord) -> Markup {
    html! {
        @if !record.samples.is_empty() {
            h2 { "What it measured" }
            div.scroll tabindex="0" role="region" aria-label="Samples" {
                table data-sortable {
                    thead { tr {
                        th scope="col" { "benchmark" } th scope="col" { "metric" } th.number scope="col" { "value" }
                    } }
                    tbody {
                        @for sample in record.samples.iter().take(MOST_SAMPLES) {
                            tr {
                                td { (sample.benchmark.as_deref().map(say).unwrap_or_default()) }
                                td { (say(&sample.metric.name)) }
                                td.number data-value=(sample.value) {
                                    (say(&perflab_report::value_with_unit(sample.value, &sample.metric.unit)))
                                }
                            }
                        }
                    }
                }
            }
            @if record.samples.len() > MOST_SAMPLES {
                p.note {
                    (record.samples.len() - MOST_SAMPLES) " more are in "
                    a href=(Address::SamplesCsv) download { "the table of all samples" } "."
                }
            }
        }
        @if !record.evidence.is_empty() {
            h2 { "Evidence" }
            dl.facts { @for (name, value) in &record.evidence { dt { (say(name)) } dd { (value) } } }
        }
    }
}

fn raw(result: &SalvagedResult, record: &RunRecord) -> Markup {
    let files = files(&result.salvage.run_dir(record.run));
    html! {
        h2 { "What it said" }
        @if files.is_empty() {
            p.note {
                @if record.source.is_some() { "It was imported, and left no files." }
                @else { "Its raw output is not there." }
            }
        }
        @for (place, file) in files.iter().enumerate() { (said(record.run, place, file)) }
    }
}

fn said(run: u32, place: usize, file: &RunFile) -> Markup {
    let address = Address::Raw(run, place, file.plain_name());
    html! {
        details open[file.bytes > 0 && place < 4] {
            summary { (say(&file.name)) ", " (file.bytes) " bytes" }
            p { a href=(address) { "the whole file: " (say(&file.name)) } }
            @match file.excerpt() {
                Ok(excerpt) => {
                    pre tabindex="0" {
                        (excerpt.head)
                        @if excerpt.left_out > 0 {
                            span.cut { "\n… " (excerpt.left_out) " bytes are left out here …\n" }
                        }
                        (excerpt.tail)
                    }
                }
                Err(error) => { p.warning { "It cannot be read: " (error) } }
            }
        }
    }
}
