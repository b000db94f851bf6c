//! Fills the placeholders that only a run knows: ports and directories.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use perflab_experiment::{Command, Placeholder, Template, TemplateError};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::fault::Fault;
use crate::host::Host;

/// Ports handed out: below the range from which Linux takes the ports of outgoing connections
/// (32768 and up), so that no client of the run can sit on them by chance.
const PORTS: std::ops::Range<u16> = 20_000..32_768;

/// Tries before giving up on finding a free one.
const PORT_TRIES: u32 = 200;

/// The ports of one instance of a system, by name.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    given: BTreeMap<Option<String>, u16>,
}

impl Ports {
    fn get(
        &mut self,
        host: &dyn Host,
        name: Option<&String>,
        random: &mut ChaCha8Rng,
    ) -> Option<u16> {
        if let Some(port) = self.given.get(&name.cloned()) {
            return Some(*port);
        }
        for _ in 0..PORT_TRIES {
            let port = random.random_range(PORTS);
            let taken = self.given.values().any(|given| *given == port);
            if !taken && host.is_free(port) {
                self.given.insert(name.cloned(), port);
                return Some(port);
            }
        }
        None
    }
}

/// Which share of a run's work a slice has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// The slice, from 1.
    pub(crate) number: u32,
    /// How many there are.
    pub(crate) count: u32,
}

impl Share {
    /// All of it.
    pub(crate) const WHOLE: Self = Self {
        number: 1,
        count: 1,
    };

    /// The share of an amount. All shares together are the amount.
    fn of(self, amount: u64) -> u64 {
        let upto = |number: u32| u128::from(amount) * u128::from(number) / u128::from(self.count);
        (upto(self.number) - upto(self.number - 1)) as u64
    }
}

/// What placeholders stand for in one run.
#[derive(Debug)]
pub(crate) struct Fill<'a> {
    /// Whose ports they are.
    pub(crate) host: &'a dyn Host,
    /// Of the system's instance, shared by the system and its load.
    pub(crate) ports: &'a mut Ports,
    /// Where ports are drawn from.
    pub(crate) random: &'a mut ChaCha8Rng,
    /// `{dir}`.
    pub(crate) dir: &'a Path,
    /// `{run}`.
    pub(crate) run: Option<&'a Path>,
    /// `{build}`.
    pub(crate) build: Option<&'a Path>,
    /// `{experiment}`.
    pub(crate) experiment: &'a Path,
    /// `{slice}`.
    pub(crate) share: Share,
}

impl Fill<'_> {
    /// Fills one string.
    pub(crate) fn text(&mut self, text: &str) -> Result<String, Fault> {
        let template = Template::parse(text).map_err(|error| Fault::no_run(error.to_string()))?;
        let count = self.share.count;
        let filled = template.render(|placeholder| self.value(placeholder));
        filled.map_err(|error| {
            let why = match &error {
                TemplateError::Unknown(used) if used.name == "port" => "no port is free".to_owned(),
                TemplateError::Unknown(used) if used.name == "slice" => {
                    format!("`{used}` is too little work for {count} slices")
                }
                error => error.to_string(),
            };
            Fault::no_run(format!("{why}, in `{text}`"))
        })
    }

    /// Fills a path; a relative one is below the experiment file's directory.
    pub(crate) fn path(&mut self, text: &str) -> Result<PathBuf, Fault> {
        Ok(self.experiment.join(self.text(text)?))
    }

    /// Fills a command, ready to be executed.
    pub(crate) fn argv(&mut self, command: &Command) -> Result<Vec<OsString>, Fault> {
        command
            .exec_argv()
            .iter()
            .map(|argument| Ok(self.text(argument)?.into()))
            .collect()
    }

    fn value(&mut self, placeholder: &Placeholder) -> Option<String> {
        let path = |path: &Path| Some(path.to_string_lossy().into_owned());
        match placeholder.name.as_str() {
            "port" => self
                .ports
                .get(self.host, placeholder.argument.as_ref(), self.random)
                .map(|port| port.to_string()),
            "dir" => path(self.dir),
            "run" => self.run.and_then(path),
            "build" => self.build.and_then(path),
            "experiment" => path(self.experiment),
            "slices" => Some(self.share.count.to_string()),
            "slice" => match &placeholder.argument {
                None => Some(self.share.number.to_string()),
                // A slice without work would measure nothing but the start of its program.
                Some(amount) => match (self.share.of(amount.parse().ok()?), self.share.count) {
                    (0, 2..) => None,
                    (share, _) => Some(share.to_string()),
                },
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::this_machine::ThisMachine;
    use rand::SeedableRng;

    #[test]
    fn a_port_keeps_its_number_and_no_two_share_one() {
        let mut ports = Ports::default();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let host = ThisMachine::alone().unwrap();
        let mut fill = Fill {
            host: &host,
            ports: &mut ports,
            random: &mut random,
            dir: Path::new("/d"),
            run: None,
            build: None,
            experiment: Path::new("/e"),
            share: Share::WHOLE,
        };
        let once = fill
            .text("{port} {port:b} {dir} {experiment} {{}}")
            .unwrap();
        assert_eq!(
            once,
            fill.text("{port} {port:b} {dir} {experiment} {{}}")
                .unwrap()
        );
        let words: Vec<_> = once.split(' ').collect();
        assert_ne!(words[0], words[1]);
        assert_eq!(&words[2..], ["/d", "/e", "{}"]);
        assert!(fill.text("{run}").is_err());
        assert_eq!(fill.path("x").unwrap(), Path::new("/e/x"));
        assert_eq!(fill.text("{slice}/{slices} {slice:7}").unwrap(), "1/1 7");
    }

    #[test]
    fn shares_add_up_to_the_amount() {
        for (amount, count) in [(7, 3), (100_000, 80), (2, 5), (u64::MAX, 7)] {
            let share = |number| Share { number, count }.of(amount);
            let shares: Vec<u64> = (1..=count).map(share).collect();
            assert_eq!(shares.iter().sum::<u64>(), amount);
            let (least, most) = (shares.iter().min(), shares.iter().max());
            assert!(most.unwrap() - least.unwrap() <= 1, "{shares:?}");
        }
    }
}
