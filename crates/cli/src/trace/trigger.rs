//! Events that begin or end a recording, and how many of the others are taken.

use std::hash::{BuildHasher, RandomState};

use clap::Args;
use perflab_control::{Actions, Effect};

use super::choice::probes;

/// Most that may be asked for.
const MOST: i64 = i32::MAX as i64;

// How many of the events that could be taken are.
#[derive(Debug, Default, Args)]
pub struct Pace {
    /// Take one of so many events: of each thread the first, then each Nth.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    every: Option<u32>,

    /// Take at most so many events in any second, in each process by itself.
    #[arg(long, value_name = "N/s", value_parser = at_most)]
    at_most: Option<u32>,
}

impl Pace {
    /// As a filter has it.
    pub fn actions(&self) -> Actions {
        Actions {
            every: self.every.unwrap_or(0),
            at_most: self.at_most.unwrap_or(0),
            ..Actions::default()
        }
    }
}

/// A number of events in a second.
fn at_most(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix("/s").unwrap_or(text);
    let number = number.parse::<u32>().ok();
    let number = number.filter(|number| (1..=MOST).contains(&i64::from(*number)));
    number.ok_or_else(|| format!("expected a number of events from 1/s to {MOST}/s"))
}

/// Actions in words, behind an expression.
pub fn in_words(actions: Actions) -> impl Iterator<Item = String> {
    let every = (actions.every > 1).then(|| format!("1 of {}", actions.every));
    let at_most = (actions.at_most > 0).then(|| format!("at most {}/s", actions.at_most));
    every.into_iter().chain(at_most)
}

/// Events of some probes: `PROBES`, or `PROBES when EXPR`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The probes.
    pub probes: String,
    /// Which of their events; all, if there is no condition.
    pub condition: Option<String>,
}

impl Event {
    /// The expression that these events fulfil.
    pub fn expression(&self) -> &str {
        self.condition.as_deref().unwrap_or("1")
    }
}

/// Reads them: the condition is behind the first `when` between blanks.
pub fn event(text: &str) -> Result<Event, String> {
    let (named, condition) = match text.split_once(" when ") {
        Some((named, condition)) => (named, Some(condition.trim().to_owned())),
        None => (text, None),
    };
    Ok(Event {
        probes: probes(named.trim())?,
        condition,
    })
}

/// An event that a recording waits for.
#[derive(Debug, Clone, Copy)]
pub struct Trigger<'a> {
    /// What comes of it.
    pub effect: Effect,
    /// Which events.
    pub event: &'a Event,
    /// What tells a recorder that it has come.
    pub number: u64,
}

impl Trigger<'_> {
    /// In words, behind an expression.
    pub fn in_words(&self) -> String {
        let word = match self.effect {
            Effect::Start => "from",
            Effect::Stop => "until",
        };
        let Event { probes, condition } = self.event;
        match condition {
            Some(condition) => format!("{word} {probes} when {condition}"),
            None => format!("{word} {probes}"),
        }
    }
}

/// A number that no other recorder has.
pub fn number() -> u64 {
    RandomState::new().hash_one(std::process::id()) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_as_they_are_asked_for() {
        let read = |text: &str| event(text).map(|event| (event.probes, event.condition));
        let owned = |probes: &str, condition: Option<&str>| {
            Ok((probes.to_owned(), condition.map(str::to_owned)))
        };
        assert_eq!(read("a:b"), owned("a:b", None));
        assert_eq!(read("a:b, c"), owned("a:b, c", None));
        assert_eq!(read("a:b when x > 1"), owned("a:b", Some("x > 1")));
        let twice = "a:b when when == \" when \"";
        assert_eq!(read(twice), owned("a:b", Some("when == \" when \"")));
        for wrong in ["", "a:b whenever x", "a:b when", " when x"] {
            assert!(event(wrong).is_err(), "{wrong}");
        }
        let shown = |text: &str, effect| {
            let event = event(text).unwrap();
            let trigger = Trigger {
                effect,
                event: &event,
                number: number(),
            };
            assert_ne!(trigger.number, 0);
            trigger.in_words()
        };
        let expected = "from a:b when x > 1";
        assert_eq!(shown("a:b when x > 1", Effect::Start), expected);
        assert_eq!(shown("a:b", Effect::Stop), "until a:b");
    }

    #[test]
    fn numbers_of_events() {
        assert_eq!(at_most("1000/s"), Ok(1000));
        assert_eq!(at_most("1"), Ok(1));
        for wrong in ["", "0", "-1", "1/m", "2147483648", "1000 /s", "1.5"] {
            assert!(at_most(wrong).is_err(), "{wrong}");
        }
        let words = |every, at_most| {
            let actions = Actions {
                every,
                at_most,
                ..Actions::default()
            };
            in_words(actions).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(words(1, 0), "");
        assert_eq!(words(100, 5), "1 of 100, at most 5/s");
    }
}
