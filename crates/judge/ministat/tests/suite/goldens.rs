//! Reports of the original (Debian 20150715-1), recorded.

use perflab_ministat::{
    Comparison, Confidence, Dataset, PlotError, compare_sentence, render_plot, run,
};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};

/// Runs with files that hold these values; returns exit code, output and messages, with file names alone.
fn report(options: &[&str], files: &[(&str, &str)]) -> (u8, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
    for (name, values) in files {
        let path = directory.path().join(name);
        fs::write(&path, values.replace(' ', "\n")).unwrap();
        arguments.push(path.into_os_string());
    }
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = run(&arguments, &mut io::empty(), &mut stdout, &mut stderr, None);
    let prefix = format!("{}/", directory.path().display());
    let text = |bytes| String::from_utf8(bytes).unwrap().replace(&prefix, "");
    (code, text(stdout), text(stderr))
}

fn assert_report(options: &[&str], files: &[(&str, &str)], expected: &str) {
    assert_eq!(
        report(options, files),
        (0, expected.to_owned(), String::new())
    );
}

const A: &str = "32746 46814 47151 47187 46643 46765 47034 46951 47007 46850 47175 47156 47022 47222 47098 46848 \
                 47079 46830 33191 47001 46975 46882 47240 46981 46929 46944 33378 32594 47088 47091";
const B: &str = "48169 48234 47833 32946 48023 32397 34598 48401 47946 48299 47789 48049 48144 48226 48250 34038 \
                 48046 48024 48278 48076 47868 47895 32924 48209 48140 48246 48031 48143 48233 48053";

#[test]
fn a_lower_stack_cuts_off_a_taller_one() {
    assert_report(
        &["-w", "40"],
        &[("ta", "1 1 1 1 1 2 9"), ("tb", "3 4 5 6 7")],
        "\
x ta
+ tb
+----------------------------------------+
|       x   x   +   +   +   +   +       x|
||______M____A____|_____A|____|          |
+----------------------------------------+
    N           Min           Max        Median           Avg        Stddev
x   7             1             9             1     2.2857143     2.9840848
+   5             3             7             5             5     1.5811388
No difference proven at 95.0% confidence
",
    );
}

#[test]
fn a_slow_mode_hides_a_difference() {
    assert_report(
        &["-A"],
        &[("A", A), ("B", B)],
        "\
x A
+ B
    N           Min           Max        Median           Avg        Stddev
x  30         32594         47240         46981     45129.067     4851.2899
+  30         32397         48401         48053     45650.267     5592.9097
No difference proven at 95.0% confidence
",
    );
}

#[test]
fn a_proven_difference_and_separate_bars() {
    assert_report(
        &["-sw30"],
        &[("s1", "1 2 3"), ("s2", "11 12 13.5")],
        "\
x s1
+ s2
+------------------------------+
|x x  x                 +  +  +|
||_A__|                        |
|                       |__A__||
+------------------------------+
    N           Min           Max        Median           Avg        Stddev
x   3             1             3             2             2             1
+   3            11          13.5            12     12.166667     1.2583057
Difference at 95.0% confidence
\t10.1667 +/- 2.57602
\t508.333% +/- 128.801%
\t(Student's t, pooled s = 1.13652)
",
    );
}

#[test]
fn each_dataset_is_compared_with_the_first() {
    assert_report(
        &["-w20"],
        &[
            ("s1", "1 2 3"),
            ("i2", "150 400 720 500 930 600"),
            ("i1", "50 200 150 400 750 400 150"),
        ],
        "\
x s1
+ i2
* i1
+--------------------+
|   *    *           |
|x* **   * + +  *   +|
|A|__M_A____|M____|  |
+--------------------+
    N           Min           Max        Median           Avg        Stddev
x   3             1             3             2             2             1
+   6           150           930           600           550     268.62613
Difference at 95.0% confidence
\t548 +/- 379.666
\t27400% +/- 18983.3%
\t(Student's t, pooled s = 227.031)
*   7            50           750           200           300     238.04761
No difference proven at 95.0% confidence
",
    );
}

#[test]
fn a_baseline_of_zero_and_no_spread() {
    assert_report(
        &["-A"],
        &[("z", "0 0 0"), ("f", "5 5 5")],
        "\
x z
+ f
    N           Min           Max        Median           Avg        Stddev
x   3             0             0             0             0             0
+   3             5             5             5             5             0
Difference at 95.0% confidence
\t5 +/- 0
\tinf% +/- -nan%
\t(Student's t, pooled s = 0)
",
    );
    let (_, output, _) = report(&[], &[("z", "0.1 0.1 0.1")]);
    assert_eq!(
        output,
        "\
x z
[no plot, span is zero width]
    N           Min           Max        Median           Avg        Stddev
x   3           0.1           0.1           0.1           0.1          -nan
"
    );
}

#[test]
fn nan_data_have_the_original_order_and_signs() {
    assert_report(
        &["-n"],
        &[("n", "nan 2 -nan"), ("i", "inf 1 2")],
        "\
x n
+ i
    N           Min           Max        Median           Avg        Stddev
x   3           nan          -nan             2           nan          -nan
+   3             1           inf             2           inf          -nan
",
    );
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    for (options, values) in [
        ("-w40", "1 2 inf"),
        ("-w40", "1 nan 2"),
        ("-w1", "1 2 3"),
        ("-w1073741824", "1 2 3"),
    ] {
        let (code, output, message) = report(&[options], &[("f", values)]);
        assert_eq!((code, output.as_str()), (2, ""), "{options} {values}");
        assert!(
            message.starts_with("ministat: cannot draw the plot: "),
            "{message}"
        );
    }
}

#[test]
fn the_terminal_gives_the_width_unless_an_option_does() {
    let frame = |options: &[&str], terminal| {
        let arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        let mut stdout = Vec::new();
        run(
            &arguments,
            &mut b"1\n2\n3\n".as_slice(),
            &mut stdout,
            &mut io::sink(),
            terminal,
        );
        String::from_utf8(stdout)
            .unwrap()
            .lines()
            .nth(1)
            .unwrap()
            .len()
            - 2
    };
    assert_eq!(frame(&[], None), 74);
    assert_eq!(frame(&[], Some(100)), 100);
    assert_eq!(frame(&["-w", "20"], Some(100)), 20);
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    struct Fails(io::ErrorKind);
    impl Write for Fails {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for (kind, code, has_message) in [
        (io::ErrorKind::StorageFull, 2, true),
        (io::ErrorKind::BrokenPipe, 141, false),
    ] {
        let mut stderr = Vec::new();
        let outcome = run(
            &[],
            &mut b"1\n2\n3\n".as_slice(),
            &mut Fails(kind),
            &mut stderr,
            None,
        );
        assert_eq!((outcome, !stderr.is_empty()), (code, has_message));
    }
}

#[test]
fn the_parts_give_what_the_whole_gives() {
    let (baseline, other) = ([1.0, 2.0, 3.0], [11.0, 12.0, 13.5]);
    let (_, whole, _) = report(&["-sw30"], &[("s1", "1 2 3"), ("s2", "11 12 13.5")]);
    let plot = render_plot(&[("s1", &baseline), ("s2", &other)], 30, true).unwrap();
    assert!(whole.starts_with(&plot), "{plot}");
    let [baseline, other] = [baseline, other].map(|values| Dataset::new(values.to_vec()).unwrap());
    let sentence = compare_sentence(&Comparison::of(&baseline, &other, Confidence::default()));
    assert!(whole.ends_with(&sentence), "{sentence}");
}

#[test]
fn render_plot_takes_one_to_seven_datasets_with_values() {
    let values: &[f64] = &[1.0];
    assert_eq!(
        render_plot(&[], 40, false),
        Err(PlotError::DatasetCount { found: 0 })
    );
    assert_eq!(
        render_plot(&[("a", values), ("b", &[])], 40, false),
        Err(PlotError::DatasetCount { found: 1 })
    );
    assert_eq!(
        render_plot(&[("a", values); 8], 40, false),
        Err(PlotError::DatasetCount { found: 8 })
    );
    assert_eq!(
        render_plot(&[("a", values)], 40, false).unwrap(),
        "x a\n[no plot, span is zero width]\n"
    );
    assert!(render_plot(&[("a", &[1.0, 2.0])], usize::MAX, false).is_err());
    assert!(render_plot(&[("a", &[1.0, 2.0, 3.0])], 0, false).is_ok());
}
