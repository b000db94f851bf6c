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
    let (_, after) = warnings.split_once("without it the difference").unwrap();
    let (_, after) = after.split_once('[').unwrap();
    let (low, after) = after.split_once(", ").unwrap();
    let (high, _) = after.split_once(']').unwrap();
    (low.parse().unwrap(), high.parse().unwrap())
}

#[test]
fn times_have_the_shell_in_them() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", SLOW);
    let commands = ["sleep 0.02", "sleep 0.06"];
    let run = ["-r", "12", "--export-json", "out.json"];
    let row = row(&laboratory, &[&run[..], &commands].concat());
    let exported: Value = serde_json::from_str(&laboratory.read("out.json")).unwrap();
    for (result, least) in exported["results"]
        .as_array()
        .unwrap()
        .iter()
        .zip([0.05, 0.09])
    {
        assert!(result["min"].as_f64().unwrap() >= least, "{result}");
    }
    assert!(row["base"]["min"].as_f64().unwrap() >= 0.05, "{row}");
    // The ratio of the whole times is at most 90 to 50 ms; that of the commands is 3.
    assert!(
        row["typical"]["difference"].as_f64().unwrap() < 1.0,
        "{row}"
    );
    let (low, high) = estimate(&row);
    assert!(low < 200.0 && 200.0 < high, "{low} {high}");
}

#[test]
fn each_command_says_what_the_shell_takes() {
    let laboratory = Laboratory::new();
    laboratory.program("shell", SLOW);
    let bench = ["bench", "-S", "./shell", "-r", "6", "sleep 0.05"];
    let said = laboratory.call(&bench).code(0);
    let said = said.prints(&["   of it the shell ", "%; without it about "]);
    let (_, after) = said.out.split_once("without it about ").unwrap();
    assert!(after.contains(" ms ["), "{after}");
    // A single block has no interval.
    let bench = ["bench", "-S", "./shell", "-r", "3", "sleep 0.05"];
    let said = laboratory.call(&bench).code(0);
    assert!(!said.out.contains("without it"), "{}", said.out);
    let bench = [&bench[..], &["sleep 0.06"]].concat();
    let said = laboratory.call(&bench).code(0);
    said.prints(&["% of the baseline's; one block tells no more"]);
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
        warnings.contains("too little or too uncertain for a ratio"),
        "{warnings}"
    );
    assert!(warnings.contains("use -N"), "{warnings}");
}
