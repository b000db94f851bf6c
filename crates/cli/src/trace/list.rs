//! `perflab trace list`.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use perflab_control::{Agent, Site, Traced};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::choice::{NONE, Processes, probes};
use super::judged;
use crate::failure::{Code, Failure};
use crate::terminal::{self, Form};

/// Version of the JSON that `--format json` prints.
const SCHEMA: u32 = 2;

// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Which probes, as provider:name with *; several with commas.
    #[arg(value_name = "PROBES", default_value = "*", value_parser = probes)]
    probes: String,

    #[command(flatten)]
    processes: Processes,

    /// One line for each site, with its address, instead of one for each probe.
    #[arg(long)]
    sites: bool,

    /// Print the output in this form.
    #[arg(long, value_enum, default_value = "text")]
    format: Form,
}

#[derive(Debug, Serialize)]
struct Answer {
    schema: u32,
    processes: Vec<Process>,
}

#[derive(Debug, Serialize)]
struct Process {
    pid: u32,
    name: String,
    sites: Vec<SiteAnswer>,
    #[serde(skip_serializing_if = "String::is_empty")]
    problem: String,
}

#[derive(Debug, Serialize)]
struct SiteAnswer {
    probe: String,
    arguments: Vec<ArgumentAnswer>,
    file: String,
    line: u32,
    object: String,
    address: String,
    point: String,
    hits: u64,
    on: bool,
    recorded: bool,
    ordered: bool,
    backend: &'static str,
    tracers: u16,
    filter: Option<FilterAnswer>,
}

#[derive(Debug, Serialize)]
struct FilterAnswer {
    expression: String,
    mode: &'static str,
    bytes: u32,
    reason: String,
}

#[derive(Debug, Serialize)]
struct ArgumentAnswer {
    name: String,
    r#type: String,
}

impl SiteAnswer {
    fn new(site: &Site) -> Self {
        let arguments = site.arguments.iter();
        Self {
            probe: probe(site),
            arguments: arguments
                .map(|(kind, name)| ArgumentAnswer {
                    name: name.clone(),
                    r#type: kind.clone(),
                })
                .collect(),
            file: site.file.clone(),
            line: site.line,
            object: site.object.clone(),
            address: format!("{:#x}", site.address),
            point: format!("{:#x}", site.point),
            hits: site.hits,
            on: site.on,
            recorded: site.is_recorded,
            ordered: site.is_ordered,
            backend: if site.is_branch { "branch" } else { "patched" },
            tracers: site.tracers,
            filter: site.filter.as_ref().map(|filter| FilterAnswer {
                expression: filter.expression.clone(),
                mode: judged::mode(filter.mode),
                bytes: filter.code,
                reason: filter.reason.clone(),
            }),
        }
    }
}

/// `provider:name`.
pub fn probe(site: &Site) -> String {
    format!("{}:{}", site.provider, site.name)
}

/// What is behind the name of a probe that asks for the order of its events.
pub const ORDERED: &str = " (ordered)";

/// `provider:name`, and whether it asks for the order of its events.
fn named(site: &Site) -> String {
    probe(site) + if site.is_ordered { ORDERED } else { "" }
}

/// Executes `list`.
pub fn list(arguments: &ListArguments) -> Result<Option<Code>, Failure> {
    let mut text = String::new();
    let mut whole = Answer {
        schema: SCHEMA,
        processes: Vec::new(),
    };
    let (processes, mut outcome) = arguments.processes.find()?;
    let mut shown = 0;
    for process in &processes {
        let answer = Agent::at(&process.socket).list(&arguments.probes);
        let Some((sites, state)) = outcome.take(process, answer) else {
            continue;
        };
        shown += 1;
        match arguments.format {
            Form::Text => text += &of_process(process, &sites, &state.how, arguments.sites),
            Form::Json => whole.processes.push(Process {
                pid: process.pid,
                name: process.name.clone(),
                sites: sites.iter().map(SiteAnswer::new).collect(),
                problem: state.how,
            }),
        }
    }
    if shown == 0 && !arguments.processes.pid.is_empty() {
        outcome.nothing("no process has answered");
    } else if shown == 0 && outcome.is_fine() && arguments.format == Form::Text {
        text = format!("{NONE}; perflab trace on PROBES -- COMMAND starts one\n");
    }
    if arguments.format == Form::Json {
        text = terminal::json(&whole)?;
    }
    Ok(outcome.end(terminal::print(&text)))
}

fn of_process(process: &Traced, sites: &[Site], problem: &str, each: bool) -> String {
    let mut text = format!("{} {}\n", process.pid, terminal::escape(&process.name));
    if !problem.is_empty() {
        text += &format!("  cannot be used: {problem}\n");
    }
    let rows = if each {
        by_site(sites)
    } else {
        by_probe(sites)
    };
    if rows.len() == 1 {
        return text + "  no such probe\n";
    }
    text + &columns(&rows)
}

const COUNTS: [usize; 3] = [1, 2, 3];

/// A line of the table, and what stands below it.
struct Row {
    cells: Vec<String>,
    filters: BTreeSet<String>,
}

impl Row {
    fn header(columns: [&str; 5]) -> Self {
        Self::new(columns.map(str::to_owned).to_vec(), &[])
    }

    fn new(cells: Vec<String>, sites: &[&Site]) -> Self {
        let filters = sites.iter().filter_map(|site| site.filter.as_ref());
        Self {
            cells,
            filters: filters.map(judged::of_site).collect(),
        }
    }
}

fn by_probe(sites: &[Site]) -> Vec<Row> {
    let mut probes: BTreeMap<String, Vec<&Site>> = BTreeMap::new();
    for site in sites {
        probes.entry(named(site)).or_default().push(site);
    }
    let mut rows = vec![Row::header(["probe", "sites", "on", "hits", "arguments"])];
    for (name, sites) in probes {
        let on = sites.iter().filter(|site| site.on).count();
        let first = sites.first().map(|site| typed(site)).unwrap_or_default();
        let cells = vec![
            name,
            sites.len().to_string(),
            on.to_string(),
            hits(&sites).map_or_else(recorded, |hits| hits.to_string()),
            first,
        ];
        rows.push(Row::new(cells, &sites));
    }
    rows
}

/// In place of a number of hits.
pub fn recorded() -> String {
    "recorded".to_owned()
}

/// Hits of sites, of which some share a point; nothing if they are recorded: then nobody counts them.
pub fn hits(sites: &[&Site]) -> Option<u64> {
    if sites.iter().any(|site| site.is_recorded) {
        return None;
    }
    let points: BTreeMap<u64, u64> = sites.iter().map(|site| (site.point, site.hits)).collect();
    let hits = points.values();
    Some(hits.fold(0, |sum, hits| sum.saturating_add(*hits)))
}

fn by_site(sites: &[Site]) -> Vec<Row> {
    let mut rows = vec![Row::header(["probe", "address", "on", "hits", "where"])];
    for site in sites {
        let object = if site.object.is_empty() { "" } else { " in " };
        let cells = vec![
            named(site),
            format!("{:#x}", site.address),
            u32::from(site.on).to_string(),
            hits(&[site]).map_or_else(recorded, |hits| hits.to_string()),
            format!("{}:{}{object}{}", site.file, site.line, site.object),
        ];
        rows.push(Row::new(cells, &[site]));
    }
    rows
}

fn typed(site: &Site) -> String {
    let each = site
        .arguments
        .iter()
        .map(|(kind, name)| format!("{name}: {kind}"));
    each.collect::<Vec<_>>().join(", ")
}

/// Rows below each other, counts to the right.
fn columns(rows: &[Row]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.cells.iter().enumerate() {
            let space = " ".repeat(width(column).saturating_sub(cell.width()));
            let padded = if COUNTS.contains(&column) {
                space + cell
            } else {
                cell.clone() + &space
            };
            line += &format!("  {padded}");
        }
        text += line.trim_end();
        text.push('\n');
        for filter in &row.filters {
            text += &format!("    {filter}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use perflab_control::{FilterMode, SiteFilter};

    use super::*;

    fn site(is_ordered: bool, point: u64) -> Site {
        Site {
            provider: "shop".to_owned(),
            name: "sold".to_owned(),
            arguments: Vec::new(),
            file: "shop.c".to_owned(),
            line: 1,
            object: String::new(),
            address: 16 * point,
            point,
            hits: point,
            on: true,
            is_branch: false,
            tracers: 0,
            is_recorded: false,
            is_ordered,
            filter: None,
        }
    }

    #[test]
    fn ordered_places_of_a_probe_have_a_line_of_their_own() {
        let sites = [site(true, 1), site(false, 2), site(true, 4)];
        let rows = by_probe(&sites)
            .into_iter()
            .skip(1)
            .map(|row| row.cells.join(" "));
        assert!(rows.eq(["shop:sold 1 1 2 ", "shop:sold (ordered) 2 2 5 "]));
        let first = by_site(&sites).swap_remove(1);
        assert_eq!(first.cells.first().unwrap(), "shop:sold (ordered)");
    }

    #[test]
    fn filters_stand_below_their_probe() {
        let filtered = |point, mode, code, reason: &str| Site {
            filter: Some(SiteFilter {
                mode,
                code,
                expression: "x > 1".to_owned(),
                reason: reason.to_owned(),
            }),
            ..site(false, point)
        };
        let sites = [
            filtered(1, FilterMode::Native, 99, ""),
            filtered(2, FilterMode::Native, 99, ""),
            filtered(4, FilterMode::Never, 0, "no argument \"x\""),
            site(true, 8),
        ];
        let text = columns(&by_probe(&sites));
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "  probe                sites  on  hits  arguments",
            "  shop:sold                3   3     7",
            "    when x > 1: native, 99 bytes",
            "    when x > 1: never: no argument \"x\"",
            "  shop:sold (ordered)      1   1     8",
        ];
        assert_eq!(lines, expected);
        let text = columns(&by_site(&sites[2..]));
        assert_eq!(text.lines().count(), 4, "{text}");
    }
}
