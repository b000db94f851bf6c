//! A result as a table for people.

use std::fmt::Write as _;

use crate::outcome::{Latency, Outcome};

/// A row for each command of each target, and one for all of them; then the client, and the warnings.
pub fn table(outcome: &Outcome) -> String {
    let mut rows = vec![
        [
            "target",
            "command",
            "operations",
            "per s",
            "hits",
            "p50",
            "p99",
            "p99.9",
            "max",
            "server CPU/op",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for target in &outcome.targets {
        let cpu = target.server_cpu;
        let cpu = cpu.map(|cpu| time(cpu.ns_per_operation));
        if target.commands.len() != 1 {
            rows.push(row(
                [&target.name, "all"],
                (target.operations, target.operations_per_s),
                None,
                &target.latency,
                cpu.clone(),
            ));
        }
        for command in &target.commands {
            let only = target.commands.len() == 1;
            rows.push(row(
                [&target.name, &command.name],
                (command.operations, command.operations_per_s),
                command.hit_rate,
                &command.latency,
                cpu.clone().filter(|_| only),
            ));
        }
    }
    let mut text = aligned(&rows);
    for thread in &outcome.client {
        let _ = writeln!(
            text,
            "client thread {}: on a CPU for {:.0} % of the time",
            thread.thread,
            thread.cpu_share * 100.0
        );
    }
    for warning in &outcome.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

fn row(
    names: [&str; 2],
    (operations, per_s): (u64, f64),
    hit_rate: Option<f64>,
    latency: &Latency,
    cpu: Option<String>,
) -> Vec<String> {
    let none = || "-".to_owned();
    let [target, command] = names.map(str::to_owned);
    let mut row = vec![
        target,
        command,
        operations.to_string(),
        format!("{per_s:.0}"),
    ];
    row.push(hit_rate.map_or_else(none, |rate| format!("{:.1} %", rate * 100.0)));
    match &latency.times {
        Some(times) => {
            let times = [times.p50_ns, times.p99_ns, times.p99_9_ns, times.max_ns];
            row.extend(times.map(|ns| time(ns as f64)));
        }
        None => row.extend([none(), none(), none(), none()]),
    }
    row.push(cpu.unwrap_or_else(none));
    row
}

/// A time of so many ns, with three digits.
fn time(ns: f64) -> String {
    let (number, unit) = match ns {
        ns if ns < 999.5 => (ns, "ns"),
        ns if ns < 999.5e3 => (ns / 1e3, "µs"),
        ns if ns < 999.5e6 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    let digits = match number {
        number if number < 9.995 => 2,
        number if number < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

/// Columns side by side: names to the left, numbers to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let width = *width;
            let _ = match column {
                0 | 1 => write!(line, "{cell:width$}  "),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{aligned, time};

    #[test]
    fn times_have_three_digits_and_a_unit() {
        for (ns, text) in [
            (0.0, "0.00 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (12_340.0, "12.3 µs"),
            (123_400_000.0, "123 ms"),
            (9_996_000.0, "10.0 ms"),
            (4.2e9, "4.20 s"),
        ] {
            assert_eq!(time(ns), text);
        }
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "bb", "1"], ["aaa", "b", "100"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(aligned(&rows), "a    bb    1\naaa  b   100\n");
    }
}
