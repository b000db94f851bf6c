//! Events of probes, of which each may be at several places in several objects of a program.

use std::collections::BTreeMap;

use perflab_experiment::counted;

/// A line for each probe of a process, which has a number.
#[derive(Debug, Default)]
pub struct Lines(BTreeMap<(u32, String), Line>);

/// What is known of a probe of a process.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Events at all places together.
    pub events: u64,
    /// Least and most that an event of the same process took, in picoseconds; nothing if nobody measured it.
    pub picoseconds: Option<(u64, u64)>,
    places: u64,
    /// The object that all places are in, empty for the executable; nothing if there are several.
    object: Option<String>,
}

impl Lines {
    /// No line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a place of the probe that is called `provider:name` in a process.
    pub fn add(
        &mut self,
        probe: (u32, String),
        object: &str,
        events: u64,
        picoseconds: Option<u64>,
    ) {
        let line = self.0.entry(probe).or_default();
        if line.places == 0 {
            line.object = Some(object.to_owned());
        } else if line.object.as_deref() != Some(object) {
            line.object = None;
        }
        line.places += 1;
        line.events = line.events.saturating_add(events);
        if let Some(cost) = picoseconds {
            let (least, most) = line.picoseconds.unwrap_or((cost, cost));
            line.picoseconds = Some((least.min(cost), most.max(cost)));
        }
    }

    /// By process and name.
    pub fn in_order(self) -> impl Iterator<Item = ((u32, String), Line)> {
        self.0.into_iter()
    }

    /// Those with events, most of them first.
    pub fn by_events(self) -> Vec<((u32, String), Line)> {
        let mut all: Vec<_> = self.0.into_iter().collect();
        all.retain(|(_, line)| line.events > 0);
        all.sort_by_key(|(_, line)| std::cmp::Reverse(line.events));
        all
    }
}

impl Line {
    /// What follows the name: where the probe is, if it is not at one place of the executable.
    pub fn places(&self) -> String {
        let object = match &self.object {
            Some(object) if object.is_empty() => String::new(),
            Some(object) => format!(" of {object}"),
            None => " of several objects".to_owned(),
        };
        if self.places > 1 {
            format!("{object} ({})", counted(self.places, "place"))
        } else {
            object
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_probe_are_one_line() {
        let mut lines = Lines::new();
        for (process, name, object, events, cost) in [
            (1, "a:one", "", 1, None),
            (1, "a:two", "/lib/x.so", 2, Some(10)),
            (1, "a:two", "/lib/x.so", 3, Some(30)),
            (1, "a:three", "/lib/x.so", 0, None),
            (2, "a:two", "/lib/x.so", 7, Some(5)),
            (2, "a:two", "", 8, None),
        ] {
            lines.add((process, name.to_owned()), object, events, cost);
        }
        let shown = lines
            .by_events()
            .into_iter()
            .map(|((process, name), line)| {
                (
                    process,
                    format!("{name}{}", line.places()),
                    line.events,
                    line.picoseconds,
                )
            });
        let expected = [
            (
                2,
                "a:two of several objects (2 places)".to_owned(),
                15,
                Some((5, 5)),
            ),
            (
                1,
                "a:two of /lib/x.so (2 places)".to_owned(),
                5,
                Some((10, 30)),
            ),
            (1, "a:one".to_owned(), 1, None),
        ];
        assert!(shown.eq(expected));
    }
}
