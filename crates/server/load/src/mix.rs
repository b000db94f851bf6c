//! Which commands a load is made of.

use std::str::FromStr;

use crate::command::{Command, MOST_WEIGHT};
use crate::target::Protocol;

/// How often keys are set and how often they are got, as `1:10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Sets.
    pub set: u32,
    /// Gets, for that many sets.
    pub get: u32,
}

impl FromStr for Ratio {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once(':').and_then(|(set, get)| {
            let (set, get): (u32, u32) = (set.parse().ok()?, get.parse().ok()?);
            Some(Self { set, get })
        });
        match numbers {
            Some(ratio) if (1..=MOST_WEIGHT).contains(&ratio.set.saturating_add(ratio.get)) => {
                Ok(ratio)
            }
            _ => Err(format!(
                "expected SET:GET, as 1:10, of numbers that are together 1 to {MOST_WEIGHT}"
            )),
        }
    }
}

/// The commands of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mix {
    /// Keys are set and got.
    Ratio(Ratio),
    /// These commands, by their weights.
    Commands(Vec<Command>),
}

impl Mix {
    /// The commands, as a protocol has them.
    pub fn commands(&self, protocol: Protocol) -> Vec<Command> {
        match self {
            Self::Ratio(ratio) => {
                let set = (ratio.set > 0).then(|| Command::set(protocol, ratio.set));
                let get = (ratio.get > 0).then(|| Command::get(protocol, ratio.get));
                set.into_iter().chain(get).collect()
            }
            Self::Commands(commands) => commands.clone(),
        }
    }

    /// # Errors
    /// If there is no command, or their weights are too large together.
    pub fn check(&self) -> Result<(), String> {
        let weights = self.commands(Protocol::Resp);
        let weights = weights.iter().map(|command| u64::from(command.weight));
        match weights.sum() {
            0 => Err("expected at least one command".to_owned()),
            sum if sum > u64::from(MOST_WEIGHT) => Err(format!(
                "the weights of the commands are {sum} together: expected at most {MOST_WEIGHT}"
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mix, Ratio};
    use crate::command::Command;
    use crate::target::Protocol;

    #[test]
    fn ratios_have_two_numbers() {
        assert_eq!("1:10".parse(), Ok(Ratio { set: 1, get: 10 }));
        assert_eq!("0:1".parse(), Ok(Ratio { set: 0, get: 1 }));
        for text in [
            "0:0",
            "1",
            "1:",
            "a:b",
            "1:2:3",
            "9999:2",
            "4294967295:4294967295",
        ] {
            assert!(text.parse::<Ratio>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_side_of_a_ratio_that_is_0_is_no_command() {
        let mix = Mix::Ratio(Ratio { set: 0, get: 3 });
        let commands = mix.commands(Protocol::Resp);
        let names: Vec<&str> = commands
            .iter()
            .map(|command| command.name.as_str())
            .collect();
        assert_eq!(names, ["GET"]);
    }

    #[test]
    fn weights_are_bounded_together() {
        let heavy = |weight: &str| -> Command {
            let text = format!("{weight}:GET x");
            text.parse().expect("a command")
        };
        assert!(
            Mix::Commands(vec![heavy("5000"), heavy("5000")])
                .check()
                .is_ok()
        );
        assert!(
            Mix::Commands(vec![heavy("5000"), heavy("5001")])
                .check()
                .is_err()
        );
        assert!(Mix::Commands(Vec::new()).check().is_err());
    }
}
