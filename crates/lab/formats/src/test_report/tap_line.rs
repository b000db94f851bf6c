//! The lines of the Test Anything Protocol.

use super::text::duration;

/// A line, without its indentation.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'l> {
    /// `TAP version 14`
    Version,
    /// `1..5`, or `1..0 # SKIP reason`: the number of tests.
    Plan {
        count: u64,
        skip: Option<&'l str>,
    },
    /// `not ok 3 - name # TODO reason`
    Point(Point<'l>),
    /// `Bail out! reason`
    BailOut(&'l str),
    /// `# text`
    Comment(&'l str),
    /// `---`
    Yaml,
    /// `}`
    Close,
    Other,
}

/// The result of a test.
#[derive(Debug, PartialEq)]
pub(super) struct Point<'l> {
    pub(super) is_ok: bool,
    pub(super) number: Option<u64>,
    /// The description, or nothing.
    pub(super) name: String,
    pub(super) directive: Option<Directive<'l>>,
    /// From `# time=5ms`, which some writers add.
    pub(super) seconds: Option<f64>,
    /// Whether a block of subtests in braces follows.
    pub(super) opens: bool,
}

/// What a comment behind a test says of it, with the reason.
#[derive(Debug, PartialEq)]
pub(super) enum Directive<'l> {
    Skip(&'l str),
    Todo(&'l str),
}

/// What a line is.
pub(super) fn parse(line: &str) -> Line<'_> {
    let line = line.trim_end();
    if let Some(point) = point(line) {
        return Line::Point(point);
    }
    if let Some(reason) = line.strip_prefix("Bail out!") {
        return Line::BailOut(reason.trim());
    }
    if let Some(comment) = line.strip_prefix('#') {
        return Line::Comment(comment.strip_prefix(' ').unwrap_or(comment));
    }
    if line.strip_prefix("TAP version ").is_some_and(is_number) {
        return Line::Version;
    }
    match line {
        "---" => Line::Yaml,
        "}" => Line::Close,
        _ => plan(line).unwrap_or(Line::Other),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn plan(line: &str) -> Option<Line<'_>> {
    let (plan, comment) = match line.split_once('#') {
        Some((plan, comment)) => (plan.trim_end(), Some(comment)),
        None => (line, None),
    };
    let (first, last) = plan.split_once("..")?;
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let [first, last]: [u64; 2] = [first.parse().ok()?, last.parse().ok()?];
    let count = last.saturating_add(1).saturating_sub(first);
    let skip = match comment.and_then(directive) {
        Some(Directive::Skip(reason)) => Some(reason),
        _ if last == 0 => Some(comment.map_or("", str::trim)),
        _ => None,
    };
    Some(Line::Plan { count, skip })
}

/// The most directives behind a test.
const MOST_DIRECTIVES: usize = 4;

fn point(line: &str) -> Option<Point<'_>> {
    let (is_ok, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let mut rest = rest.trim_start();
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, behind) = rest.split_at(end);
    let mut number = None;
    if behind.is_empty() || behind.starts_with(' ') {
        number = digits.parse().ok();
        rest = if digits.is_empty() {
            rest
        } else {
            behind.trim_start()
        };
    }
    let rest = rest
        .strip_prefix("- ")
        .unwrap_or(if rest == "-" { "" } else { rest });
    let (rest, opens) = match rest.strip_suffix('{') {
        Some(before) if before.is_empty() || before.ends_with(' ') => (before.trim_end(), true),
        _ => (rest, false),
    };
    let mut point = Point {
        is_ok,
        number,
        name: String::new(),
        directive: None,
        seconds: None,
        opens,
    };
    let mut description = rest;
    // The last comments are directives; any other `#` is a part of the name.
    for _ in 0..MOST_DIRECTIVES {
        let Some(at) = last_mark(description) else {
            break;
        };
        let comment = description[at + 1..].trim();
        match (directive(comment), comment.strip_prefix("time=")) {
            (Some(directive), _) => point.directive = Some(directive),
            (None, Some(time)) if duration(time).is_some() => point.seconds = duration(time),
            _ => break,
        }
        description = description[..at].trim_end();
    }
    point.name = unescaped(description.trim());
    Some(point)
}

/// The last `#` that is not escaped.
fn last_mark(text: &str) -> Option<usize> {
    let escapes = |at: usize| {
        text[..at]
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count()
    };
    let mut marks = text.match_indices('#').map(|(at, _)| at);
    marks.rfind(|at| escapes(*at) % 2 == 0)
}

/// `skip`, `SKIPPED` or `todo`, and the reason.
fn directive(comment: &str) -> Option<Directive<'_>> {
    let comment = comment.trim_start();
    let end = comment.find(char::is_whitespace).unwrap_or(comment.len());
    let (word, reason) = comment.split_at(end);
    let begins = |start: &str| {
        word.get(..4)
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    };
    if begins("skip") {
        return Some(Directive::Skip(reason.trim()));
    }
    let is_todo = begins("todo") && word[4..].bytes().all(|byte| byte.is_ascii_punctuation());
    is_todo.then(|| Directive::Todo(reason.trim()))
}

/// `\#` and `\\` mean `#` and `\`.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_escape = character == '\\' && matches!(characters.peek(), Some('#' | '\\'));
        match characters.next_if(|_| is_escape) {
            Some(escaped) => plain.push(escaped),
            None => plain.push(character),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_point(
        line: &str,
        is_ok: bool,
        number: Option<u64>,
        name: &str,
        directive: Option<Directive<'_>>,
    ) {
        let Line::Point(point) = parse(line) else {
            panic!("{line}: {:?}", parse(line));
        };
        let found = (
            point.is_ok,
            point.number,
            point.name.as_str(),
            point.directive,
        );
        assert_eq!(found, (is_ok, number, name, directive), "{line}");
    }

    #[test]
    fn points_have_numbers_names_and_directives() {
        is_point("ok", true, None, "", None);
        is_point("ok 1", true, Some(1), "", None);
        is_point("not ok 12 - two words", false, Some(12), "two words", None);
        is_point("ok name", true, None, "name", None);
        is_point("ok 3 dogs", true, Some(3), "dogs", None);
        is_point("ok 2nd", true, None, "2nd", None);
        is_point("ok 1 - ", true, Some(1), "", None);
        is_point(
            "ok 3 # skip takes an hour",
            true,
            Some(3),
            "",
            Some(Directive::Skip("takes an hour")),
        );
        is_point(
            "ok 3 a # SKIPPED: no",
            true,
            Some(3),
            "a",
            Some(Directive::Skip("no")),
        );
        is_point(
            "not ok 4 - a #TODO b",
            false,
            Some(4),
            "a",
            Some(Directive::Todo("b")),
        );
        is_point(
            "not ok 4 - a # todo",
            false,
            Some(4),
            "a",
            Some(Directive::Todo("")),
        );
        is_point(
            "not ok - two \\# not # TODO",
            false,
            None,
            "two # not",
            Some(Directive::Todo("")),
        );
        is_point(
            "ok 1 - issue #12 is gone",
            true,
            Some(1),
            "issue #12 is gone",
            None,
        );
        is_point("ok 1 - C:\\\\ \\# todo", true, Some(1), "C:\\ # todo", None);
        is_point("ok 1 - a # todolist", true, Some(1), "a # todolist", None);
    }

    #[test]
    fn times_and_braces_are_no_names() {
        let Line::Point(point) = parse("ok 1 - a # SKIP b # time=12.5ms {") else {
            panic!("no point");
        };
        assert_eq!(
            (point.name.as_str(), point.seconds, point.opens),
            ("a", Some(0.0125), true)
        );
        assert_eq!(point.directive, Some(Directive::Skip("b")));
        is_point("ok 1 - a{", true, Some(1), "a{", None);
    }

    #[test]
    fn other_lines_are_told_apart() {
        assert_eq!(parse("TAP version 14"), Line::Version);
        assert_eq!(
            parse("1..5"),
            Line::Plan {
                count: 5,
                skip: None
            }
        );
        assert_eq!(
            parse("1..0 # SKIP no server"),
            Line::Plan {
                count: 0,
                skip: Some("no server")
            }
        );
        assert_eq!(
            parse("1..0"),
            Line::Plan {
                count: 0,
                skip: Some("")
            }
        );
        let most = format!("0..{}", u64::MAX);
        assert_eq!(
            parse(&most),
            Line::Plan {
                count: u64::MAX,
                skip: None
            }
        );
        assert_eq!(parse("Bail out! no disk"), Line::BailOut("no disk"));
        assert_eq!(parse("# a"), Line::Comment("a"));
        for other in [
            "",
            "okay",
            "not okay",
            "1..",
            "1..x",
            "a..b",
            "TAP version x",
            "1..99999999999999999999",
        ] {
            assert_eq!(parse(other), Line::Other, "{other}");
        }
    }
}
