//! The noise of a CPU by time scale, for people: a table, and a plot of the same.

use perflab_machine::doctor::measured::noise::{Noise, Slices, Wandering};
use perflab_plot::{Axis, Interval, Layer, Marks, Plot, TextOptions, Tone, text};

/// The heads of the table's columns.
const HEAD: [&str; 7] = [
    "slice",
    "Allan deviation",
    "difference",
    "with switches",
    "runs for 1 %",
    "in CPU time",
    "runs",
];

/// What the columns mean.
const LEGEND: &str = "\
difference: standard deviation of the log ratio of two equal halves of 1 s of work that take turns
  in such slices, in random order; of whole runs of that length where these are longer
with switches: the same with 0.2 ms lost for each slice; runs for 1 %: of each variant, in pairs,
  to show a difference of 1 % of the typical run in 80 % of reports; in slices as perflab plan counts
  them, whole runs in pairs of neighbours and not in the blocks of perflab run
in CPU time: with switches, by the time that the CPU worked for them, not others
";

/// The table and the plot of a CPU. Empty where nothing can be told.
pub fn noise_text(cpu: u32, noise: &Noise, options: &TextOptions) -> String {
    let wall = &noise.wall;
    if wall.scales.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\nnoise of CPU {cpu} by time scale: {} of work in {} pieces of {}\n",
        length(noise.time_s),
        noise.pieces,
        length(wall.piece_s)
    );
    out += &line(&HEAD.map(str::to_owned), "");
    for scale in &wall.scales {
        let found = near(wall, scale.length_s);
        let in_cpu_time = near(&noise.cpu, scale.length_s);
        let of = |found: Option<&Slices>, cell: fn(&Slices) -> String| {
            found.map_or_else(|| "-".to_owned(), cell)
        };
        out += &line(
            &[
                length(scale.length_s),
                percent(scale.allan),
                of(found, |slices| percent(slices.sd)),
                of(found, |slices| percent(slices.sd_with_switches)),
                of(found, runs),
                of(in_cpu_time, |slices| percent(slices.sd_with_switches)),
                of(in_cpu_time, runs),
            ],
            found.map_or("", |slices| remark(wall, slices)),
        );
    }
    out += LEGEND;
    if let Some(plot) = plot(wall) {
        out += "\n";
        out += &text(&plot, options);
    }
    out + "\n"
}

/// The slices of about that length.
fn near(seen: &Wandering, length_s: f64) -> Option<&Slices> {
    let is_near = |slices: &&Slices| (slices.slice_s / length_s).ln().abs() < 0.25;
    seen.slices.iter().find(is_near)
}

fn runs(slices: &Slices) -> String {
    let runs = slices.runs.map(|runs| runs.to_string());
    runs.unwrap_or_else(|| "over 1000000".to_owned())
}

fn line(cells: &[String; 7], remark: &str) -> String {
    let mut out = String::new();
    for (index, (cell, head)) in cells.iter().zip(HEAD).enumerate() {
        let width = head.len().max(6);
        match index {
            0 => out += &format!("{cell:>width$}"),
            _ => out += &format!("  {cell:>width$}"),
        }
    }
    let out = format!("{out}  {remark}");
    format!("{}\n", out.trim_end())
}

fn remark(seen: &Wandering, slices: &Slices) -> &'static str {
    if seen.best_slice_s == Some(slices.slice_s) {
        "best"
    } else if slices.are_whole_runs() {
        "whole runs"
    } else {
        ""
    }
}

/// A bar for each length, from no difference on.
fn plot(seen: &Wandering) -> Option<Plot> {
    let shown = |slices: &Slices| 100.0 * slices.sd_with_switches;
    let most = seen.slices.iter().map(shown).max_by(f64::total_cmp)?;
    let bars = seen.slices.iter().enumerate().map(|(index, slices)| {
        let tone = match remark(seen, slices) {
            "best" => Tone::Better,
            _ => Tone::Series(u8::from(slices.are_whole_runs())),
        };
        Interval {
            y: index as f64,
            low: Some(0.0),
            middle: shown(slices),
            high: Some(shown(slices)),
            tone,
            label: format!(
                "{}: {}",
                length(slices.slice_s),
                percent(slices.sd_with_switches)
            ),
            link: None,
        }
    });
    let names = seen.slices.iter().map(|slices| {
        let name = format!("{:>7} {}", length(slices.slice_s), remark(seen, slices));
        name.trim_end().to_owned()
    });
    Some(Plot {
        title:
            "difference of two halves that take turns, switches included, by the length of a slice"
                .to_owned(),
        description: "A bar for each length of slices".to_owned(),
        x: Axis::between("standard deviation (%)", 0.0, 1.02 * most),
        y: Axis::names("", names),
        layers: vec![Layer::unnamed(
            Tone::Series(0),
            Marks::Intervals(bars.collect()),
        )],
    })
}

/// A share as a percentage with two digits.
fn percent(share: f64) -> String {
    format!("{} %", two_digits(100.0 * share))
}

/// A time with two digits, as far as its unit has them.
fn length(seconds: f64) -> String {
    match seconds {
        s if s < 0.995 => format!("{} ms", two_digits(s * 1e3)),
        s => format!("{} s", two_digits(s)),
    }
}

/// A number with two digits, or all digits before the point.
fn two_digits(value: f64) -> String {
    // Rounded before its size is told: 9.96 is 10, not 10.0.
    let scientific = format!("{value:.1e}");
    let exponent = scientific
        .rsplit('e')
        .next()
        .and_then(|text| text.parse().ok());
    let decimals = usize::try_from(1 - exponent.unwrap_or(0)).unwrap_or(0);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use perflab_machine::doctor::measured::noise::Scale;

    use super::*;

    fn noise() -> Noise {
        let rows = [
            (1e-3, 0.004, 0.0002, Some(2)),
            (2e-3, 0.005, 0.000_19, Some(2)),
            (0.5, 0.0065, 0.0064, Some(9)),
            (1.0, 0.007, 0.01, Some(17)),
            (2.0, 0.0061, 0.0099, None),
        ];
        let scale = |(length_s, allan, _, _)| Scale {
            length_s,
            allan,
            pairs: 30,
        };
        let slices = |(slice_s, _, sd, runs): (f64, f64, f64, _)| Slices {
            slice_s,
            run_s: slice_s.max(1.0),
            sd,
            sd_with_switches: sd * (1.0 + 2e-4 / slice_s).sqrt(),
            runs,
        };
        let mut scales: Vec<Scale> = rows.into_iter().map(scale).collect();
        scales.push(scale((5.0, 0.0055, 0.0, None)));
        let wall = Wandering {
            piece_s: 1.038e-4,
            scales,
            slices: rows.into_iter().map(slices).collect(),
            best_slice_s: Some(2e-3),
        };
        let mut cpu = wall.clone();
        cpu.slices.truncate(3);
        for slices in &mut cpu.slices {
            slices.slice_s *= 1.1;
            slices.sd_with_switches *= 0.5;
        }
        Noise {
            time_s: 60.02,
            pieces: 578_123,
            clock_step_s: 3e-8,
            wall,
            cpu,
        }
    }

    const SHOWN: &str = "
noise of CPU 1 by time scale: 60 s of work in 578123 pieces of 0.10 ms
 slice  Allan deviation  difference  with switches  runs for 1 %  in CPU time    runs
1.0 ms           0.40 %     0.020 %        0.022 %             2      0.011 %       2
2.0 ms           0.50 %     0.019 %        0.020 %             2      0.010 %       2  best
500 ms           0.65 %      0.64 %         0.64 %             9       0.32 %       9
 1.0 s           0.70 %       1.0 %          1.0 %            17            -       -  whole runs
 2.0 s           0.61 %      0.99 %         0.99 %  over 1000000            -       -  whole runs
 5.0 s           0.55 %           -              -             -            -       -
";

    const DRAWN: &str = "
difference of two halves that take turns, switches included, by the length of a slice
 1.0 ms            |o
 2.0 ms best       |o
 500 ms            ||------------------------o
  1.0 s whole runs ||--------------------------------------o
  2.0 s whole runs ||-------------------------------------o
                    +------------------+-------------------+
                    0                 0.5                1.0
                             standard deviation (%)

";

    #[test]
    fn a_table_its_legend_and_a_bar_for_each_length() {
        let options = TextOptions {
            width: 60,
            colour: false,
            ascii: true,
        };
        let shown = noise_text(1, &noise(), &options);
        assert_eq!(shown, format!("{SHOWN}{LEGEND}{DRAWN}"));
    }

    #[test]
    fn numbers_have_two_digits() {
        let numbers = [0.001_23, 0.0996, 0.996, 9.96, 99.6, 1234.0, 0.0];
        let shown = numbers.map(two_digits);
        assert_eq!(shown, ["0.0012", "0.10", "1.0", "10", "100", "1234", "0.0"]);
    }

    #[test]
    fn nothing_is_shown_where_nothing_can_be_told() {
        let options = TextOptions {
            width: 80,
            colour: false,
            ascii: false,
        };
        let mut nothing = noise();
        nothing.wall.scales.clear();
        assert_eq!(noise_text(0, &nothing, &options), "");
        let mut short = noise();
        short.wall.slices.clear();
        let shown = noise_text(0, &short, &options);
        assert!(shown.contains("0.40 %") && !shown.contains("standard deviation (%)"));
    }
}
