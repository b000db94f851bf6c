//! `perflab trace view`: a trace as text.

use std::fmt::{Display, LowerExp, Write as _};
use std::io::{BufWriter, ErrorKind, Write};

use perflab_filter::{Problem, parse};
use perflab_trace_file::event::Value;
use perflab_trace_file::{Argument, Event, EventSelection, LONGEST_TEXT, Order, Trace};

use super::accepted::Accepted;
use super::asked::{Asked, ViewArguments};
use super::{about, unmatched};
use crate::failure::{Code, Failure};
use crate::terminal::escape;

/// Executes `view`.
pub fn view(arguments: &ViewArguments) -> Result<Option<Code>, Failure> {
    if arguments.summary && arguments.is_part() {
        return Err(Failure::usage(
            "--summary is of the whole trace: leave out PROBES, --pid, --thread, --from, --to, --when and --limit, or --summary",
        ));
    }
    let when = arguments.when.as_deref().map(|expression| {
        let mistake = |problem: Problem| Failure::usage(problem.shown(expression));
        parse(expression)
            .map_err(mistake)
            .map(|tree| (expression, tree))
    });
    let when = when.transpose()?;
    let trace = Trace::open(&arguments.file)
        .map_err(|error| Failure::no_data(escape(&error.to_string())))?;
    if trace.length() == 0 {
        return Err(Failure::no_data(format!(
            "{} is no trace, or was cut within its first bytes",
            arguments.file.display()
        )));
    }
    // Scripts that read the events should not take them for all.
    let code = trace.is_damaged().then_some(Code::NoData);
    if arguments.summary {
        crate::terminal::print(&about::summary(&trace))?;
        return Ok(code);
    }
    for line in about::warnings(&trace) {
        crate::terminal::say(&line);
    }
    let asked = Asked::new(arguments, &trace);
    let accepted = when
        .as_ref()
        .map(|(expression, tree)| Accepted::new((*expression, tree), &asked, &trace));
    let accepted = accepted.transpose()?;
    let shown = match print(&asked, accepted.as_ref(), &trace) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(code),
        shown => shown.map_err(|error| {
            Failure::new(Code::NoData, format!("cannot write the output: {error}"))
        })?,
    };
    if shown > 0 || arguments.limit == Some(0) {
        return Ok(code);
    }
    match unmatched::reason(&asked, accepted.as_ref(), &trace) {
        Some(reason) => Err(Failure::no_data(reason)),
        None => {
            crate::terminal::say("the trace has no events");
            Ok(code)
        }
    }
}

/// Returns how many events there were.
fn print(asked: &Asked<'_>, accepted: Option<&Accepted>, trace: &Trace) -> std::io::Result<u64> {
    let selection = EventSelection {
        from: *asked.time().start(),
        to: *asked.time().end(),
        probes: &|probe| asked.is_probe(probe),
        threads: &|process, thread| asked.is_process(process) && asked.is_thread(thread),
        ..EventSelection::default()
    };
    let limit = asked.arguments.limit.unwrap_or(usize::MAX);
    let several = trace.processes().len() > 1;
    let mut output = BufWriter::new(std::io::stdout().lock());
    writeln!(
        output,
        "{:>15} {:>12}    {:<22} event",
        "seconds", "us later", "thread"
    )?;
    let mut before: Option<u64> = None;
    let mut line = String::new();
    let mut shown = 0;
    let is_accepted =
        |event: &Event<'_>| accepted.is_none_or(|accepted| accepted.verdict(event) == Some(true));
    for event in trace.events(&selection).filter(is_accepted).take(limit) {
        line.clear();
        show(&mut line, &event, asked.zero, before, several);
        output.write_all(line.as_bytes())?;
        before = Some(event.nanoseconds);
        shown += 1;
    }
    output.flush()?;
    Ok(shown)
}

/// A line for an event.
fn show(line: &mut String, event: &Event<'_>, zero: u64, before: Option<u64>, several: bool) {
    let since = event.nanoseconds as i64 - zero as i64;
    let later = before.map_or(0, |before| event.nanoseconds as i64 - before as i64);
    let mark = match event.order {
        Order::Sure => ' ',
        Order::Close => '~',
        Order::Doubtful => '?',
        Order::Late => '!',
    };
    let name = escape(about::called(&event.thread.name));
    let mut thread = format!("{} {name}", event.thread.tid);
    if several {
        thread = format!("{}/{thread}", event.process.pid);
    }
    let _ = write!(
        line,
        "{:>15.9} {:>12.3} {mark}  {thread:<22} {}:{}",
        since as f64 / 1e9,
        later as f64 / 1e3,
        event.probe.provider,
        event.probe.name,
    );
    for (argument, value) in event.probe.arguments.iter().zip(event.values()) {
        let _ = write!(line, " {}={}", argument.name, shown(argument, value));
    }
    line.push_str(if event.is_cut { " (cut)\n" } else { "\n" });
}

/// The value of an argument.
fn shown(argument: &Argument, value: Value<'_>) -> String {
    match value {
        Value::Signed(number) => {
            let mut names = argument.enumerators.iter();
            let name = names.find(|(_, value)| *value == number);
            name.map_or_else(|| number.to_string(), |(name, _)| name.clone())
        }
        Value::Unsigned(number) => number.to_string(),
        Value::Single(number) => float(number, f64::from(number)),
        Value::Double(number) => float(number, number),
        Value::Bool(truth) => truth.to_string(),
        Value::Address(address) => format!("{address:#x}"),
        Value::Text(None) => "null".to_owned(),
        Value::Text(Some(bytes)) => match std::str::from_utf8(whole(bytes)) {
            // A backslash of the text's own first: what is escaped has some too.
            Ok(text) => {
                let text = escape(&text.replace('\\', "\\\\")).replace('"', "\\\"");
                format!("\"{text}\"")
            }
            Err(_) => format!("\"{}\"", bytes.escape_ascii()),
        },
    }
}

/// A number in as many digits as tell it from others of its type, with an exponent where it would have many zeros.
fn float(number: impl Display + LowerExp, value: f64) -> String {
    let size = value.abs();
    if size.is_finite() && size != 0.0 && !(1e-5..1e16).contains(&size) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// A text without the first bytes of a character whose others were cut off.
fn whole(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && bytes.len() == LONGEST_TEXT => {
            bytes.get(..error.valid_up_to()).unwrap_or(bytes)
        }
        _ => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn numbers_are_short_and_exact() {
        for (number, shown) in [
            (5e-324, "5e-324"),
            (-1.5e-7, "-1.5e-7"),
            (1e-5, "0.00001"),
            (0.1, "0.1"),
            (0.0, "0"),
            (2.0, "2"),
            (123_456_789.25, "123456789.25"),
            (1e16, "1e16"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            let float = float(number, number);
            assert_eq!(float, shown);
            assert!(number.is_nan() || float.parse::<f64>().unwrap() == number);
        }
        assert_eq!(float(0.1_f32, f64::from(0.1_f32)), "0.1");
    }
}
