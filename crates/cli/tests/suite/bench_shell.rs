//! `perflab bench` behind a shell: what is judged has the shell's time in it, and what is left
//! without the shell is an estimate that owns up to what it does not know.

use serde_json::Value;

use crate::support::Laboratory;

/// A shell that takes 30 ms to start.
const SLOW: &str = "sleep 0.03\nexec sh \"$@\"\n";

/// The one comparison of a bench with this shell.
#[track_caller]
fn row(laboratory: &Laboratory, arguments: &[&str]) -> Value {
    let fixed = ["bench", "-q", "-S", "./shell", "--export-report", "-"];
    let said = laboratory.call(&[&fixed[..], arguments].concat()).code(0);
    said.json()["rows"][0].clone()
}

fn warnings(row: &Value) -> String {
    row["warnings"].to_string()
}

/// The ends of the interval behind `without it`, in percent.
#[track_caller]
fn estimate(row: &Value) -> (f64, f64) {
    let warnings = warnings(row);
    let (_, after) = warnings.split_once("without it the mean differs").unwrap();
    let (_, after) = after.split_once('[').unwrap();
    let (low, after) = after.split_once(", ").unwrap();
    let (high, _) = after.split_once(']').unwrap();
    (low.parse().unwrap(), high.parse().unwrap())
}

#[test]
fn times_have_the_shell_in_them() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", SLOW);
    // So long that a busy machine does not hide them.
    let commands = ["sleep 0.04", "sleep 0.12"];
    let run = ["-r", "12", "--export-json", "out.json"];
    let row = row(&laboratory, &[&run[..], &commands].concat());
    let exported: Value = serde_json::from_str(&laboratory.read("out.json")).unwrap();
    for (result, least) in exported["results"]
        .as_array()
        .unwrap()
        .iter()
        .zip([0.07, 0.15])
    {
        assert!(result["min"].as_f64().unwrap() >= least, "{result}");
    }
    assert!(row["base"]["min"].as_f64().unwrap() >= 0.07, "{row}");
    // The ratio of the whole times is at most 150 to 70 ms; that of the commands is 3.
    assert!(
        row["typical"]["difference"].as_f64().unwrap() < 1.3,
        "{row}"
    );
    let (low, high) = estimate(&row);
    assert!(low < 200.0 && 200.0 < high, "{low} {high}");
}

#[test]
fn each_command_says_what_the_shell_takes() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", SLOW);
    // So many blocks that a busy machine does not hide the command.
    let bench = ["bench", "-S", "./shell", "-r", "15", "sleep 0.05"];
    let said = laboratory.call(&bench).code(0);
    let said = said.prints(&["   the shell takes ", "%); without it about "]);
    let (_, after) = said.out.split_once("without it about ").unwrap();
    assert!(after.contains(" ms ["), "{after}");
    // A single block has no interval.
    let bench = ["bench", "-S", "./shell", "-r", "3", "sleep 0.05"];
    let said = laboratory.call(&bench).code(0);
    assert!(!said.out.contains("without it"), "{}", said.out);
    let bench = [&bench[..], &["sleep 0.06"]].concat();
    let said = laboratory.call(&bench).code(0);
    said.prints(&["% of the baseline); one block tells no more"]);
    // Without a shell there is nothing to say; and not where its time may not be what was measured.
    for flags in [&["-N"][..], &["-S", "./shell", "-p", "true"]] {
        let bench = [&["bench", "-r", "6", "sleep 0.01", "sleep 0.02"], flags].concat();
        let said = laboratory.call(&bench).code(0);
        assert!(!said.out.contains("the shell"), "{}", said.out);
    }
}

/// Whatever a shell takes at first, no time becomes 0 for it, and differences stay relative.
#[test]
fn a_shell_that_becomes_faster_makes_no_difference_absolute() {
    let laboratory = Laboratory::new();
    laboratory.program(
        "shell",
        "echo >> calls\n[ $(wc -l < calls) -gt 50 ] || sleep 0.01\nexec sh \"$@\"\n",
    );
    let row = row(&laboratory, &["-r", "20", "true", "sleep 0.001"]);
    assert_eq!(row["relative"], true, "{row}");
    assert!(row["base"]["min"].as_f64().unwrap() > 0.0, "{row}");
    for question in ["typical", "mean"] {
        assert!(row[question]["low"].as_f64().unwrap() >= -1.0, "{row}");
    }
}

/// Where the shell takes nearly all of a time, a ratio of the rest would be one of noise.
#[test]
fn nothing_is_claimed_of_what_the_shell_hides() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", SLOW);
    let row = row(&laboratory, &["-r", "6", "true", "sleep 0.002"]);
    let warnings = warnings(&row);
    assert!(
        warnings.contains("without it no ratio can be given"),
        "{warnings}"
    );
    assert!(warnings.contains("use -N"), "{warnings}");
}

/// A time that `text` has between two words, in ms.
#[track_caller]
fn ms(text: &str, before: &str, after: &str) -> f64 {
    let (_, text) = text.split_once(before).unwrap();
    let (number, _) = text.split_once(after).unwrap();
    number.trim().parse().unwrap()
}

/// What is left without the shell is the mean that is printed, less the shell's time that is printed: nothing else,
/// though a slow mode is in the mean, and though the last block is shorter than the others.
#[test]
fn what_is_left_is_the_mean_less_the_shell() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", "sleep 0.005\nexec sh \"$@\"\n");
    laboratory.program(
        "mode",
        "n=$(cat c$1 2> /dev/null || echo 0)\necho $((n + 1)) > c$1\n\
         if [ $1 = b ] && [ $((n % 3)) = 2 ]; then exec sleep 0.08; fi\nexec sleep 0.02\n",
    );
    let flags = ["bench", "-u", "millisecond", "-S", "./shell", "-r", "17"];
    let commands = ["--export-report", "report.json", "./mode a", "./mode b"];
    let said = laboratory.call(&[&flags[..], &commands].concat()).code(0);
    let (summaries, _) = said.out.split_once("\n\n").unwrap();
    for command in summaries.split("\n   mean ").skip(1) {
        let mean = ms(&format!("mean {command}"), "mean ", " ms");
        let shell = ms(command, "the shell takes ", " ms");
        let left = ms(command, "without it about ", " ms");
        assert!((mean - shell - left).abs() < 0.03, "{}", said.out);
    }
    // Without 7 of 27 ms a difference becomes larger, never a fraction of what it was.
    let report: Value = serde_json::from_str(&laboratory.read("report.json")).unwrap();
    let row = &report["rows"][0];
    let warnings = warnings(row);
    let (_, about) = warnings
        .split_once("without it the mean differs by about ")
        .unwrap();
    let (about, _) = about.split_once('%').unwrap();
    let mean = row["mean"]["difference"].as_f64().unwrap() * 100.0;
    let about: f64 = about.parse().unwrap();
    assert!(mean > 5.0 && about >= mean - 1.0, "{mean} {warnings}");
}

/// A part is never larger than the whole, however slow the empty shell was.
#[test]
fn a_shell_that_takes_longer_than_the_command_is_said_to() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", "[ -n \"$2\" ] || sleep 0.05\nexec sh \"$@\"\n");
    for runs in ["3", "6"] {
        let bench = ["bench", "-S", "./shell", "-r", runs, "true", "true 2"];
        let said = laboratory.call(&bench).code(0);
        let said = said.prints(&[
            "   the shell alone takes about ",
            "the command cannot be told from it, so use -N",
            "all times include the shell (about all of the baseline)",
        ]);
        assert!(!said.out.contains(" of it ("), "{}", said.out);
        assert!(!said.out.contains("without it about"), "{}", said.out);
        assert!(!said.out.contains("% of the baseline"), "{}", said.out);
    }
}

/// The interval of two blocks of a command that takes now long, now not, reaches 0; the shell is a small part all the same.
#[test]
fn a_shell_that_takes_little_is_told_from_any_command() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", "sleep 0.004\nexec sh \"$@\"\n");
    laboratory.program(
        "uneven",
        "n=$(cat count 2> /dev/null || echo 0)\necho $((n + 1)) > count\n\
         if [ $n -lt 3 ]; then exec sleep 0.1; fi\nexec sleep 0.02\n",
    );
    let bench = [
        "bench",
        "-u",
        "millisecond",
        "-S",
        "./shell",
        "-r",
        "6",
        "--block",
        "3",
    ];
    let said = laboratory.call(&[&bench[..], &["./uneven", "sleep 0.05"]].concat());
    let said = said.code(0);
    let (_, command) = said.out.split_once("\n   mean ").unwrap();
    assert!(
        command.contains("[0.00 ms, ") || command.contains("[0 ms, "),
        "{}",
        said.out
    );
    let mean = ms(&said.out, "   mean ", " ms");
    let shell = ms(command, "the shell takes ", " ms");
    assert!(shell < 0.5 * mean, "{}", said.out);
    assert!(!said.out.contains("cannot be told") && !said.out.contains("about all"));
}
