//! How a test ended: the statuses of runs, and those that only tests have, sorted by severity.
//!
//! A run of the laboratory is never skipped and is not expected to fail. So [`Status`] has no such member, the schema of
//! a record promises none, and a `match` on the status of a run stays complete. An [`Outcome`] is the larger set: what a
//! test runner reports, and how a run ended, in one history.
//!
//! OpenBSD's regress-all reports the same by fewer names. [`Outcome::report_name`] is the name shown there, and
//! [`Outcome::from_report_name`] reads it.

use std::cmp::Ordering;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Status;

/// How a test ended. In files it is the name alone, as `"PASS"` or `"XFAIL"`.
///
/// Outcomes are ordered by [severity](Self::severity): the largest is the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// As a run ends.
    Run(Status),
    /// In a way in which only a test ends.
    Test(TestStatus),
}

/// How only a test ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestStatus {
    /// The test failed, and was expected to: a known defect.
    XFail,
    /// The test was left out: it does not apply here, or somebody switched it off.
    Skip,
    /// The test passed, and was expected to fail: the known defect is gone, or the test no longer shows it.
    XPass,
    /// The test was announced or begun, and the report does not say how it ended.
    NoLog,
    /// What the test left behind could not be cleared away, before it or after it.
    NoClean,
    /// There is no such test.
    NoExist,
}

impl Outcome {
    /// The test ended well.
    pub const PASS: Self = Self::Run(Status::Pass);
    /// The test found a defect.
    pub const FAIL: Self = Self::Run(Status::Fail);
    /// See [`TestStatus::XFail`].
    pub const XFAIL: Self = Self::Test(TestStatus::XFail);
    /// See [`TestStatus::Skip`].
    pub const SKIP: Self = Self::Test(TestStatus::Skip);
    /// See [`TestStatus::XPass`].
    pub const XPASS: Self = Self::Test(TestStatus::XPass);
    /// See [`TestStatus::NoLog`].
    pub const NOLOG: Self = Self::Test(TestStatus::NoLog);
    /// See [`TestStatus::NoClean`].
    pub const NOCLEAN: Self = Self::Test(TestStatus::NoClean);
    /// See [`TestStatus::NoExist`].
    pub const NOEXIST: Self = Self::Test(TestStatus::NoExist);

    /// All of them, the best first.
    pub const ALL: [Self; 16] = [
        Self::PASS,
        Self::XFAIL,
        Self::SKIP,
        Self::XPASS,
        Self::FAIL,
        Self::Run(Status::Exit),
        Self::Run(Status::Signal),
        Self::Run(Status::Died),
        Self::Run(Status::Timeout),
        Self::Run(Status::NoRun),
        Self::Run(Status::NotReady),
        Self::Run(Status::NoBuild),
        Self::NOLOG,
        Self::Run(Status::NoStop),
        Self::NOCLEAN,
        Self::NOEXIST,
    ];

    /// How bad it is, from 1 (`PASS`) to 16 (`NOEXIST`). The first five are those of the report of regress-all.
    ///
    /// The less is learned of the code, the worse. Up to `FAIL` the test ended by itself and judged. `EXIT`, `SIGNAL` and
    /// `DIED` broke off: the test first, then the program that it tests, which is the larger loss. `TIMEOUT` is behind
    /// them, as nobody knows how it would have ended. Then follows what never began: one command, then a system that
    /// serves several, then a build, without which nothing of a revision runs. Of `NOLOG` not even that is known.
    /// `NOSTOP` and `NOCLEAN` leave something behind that the next test meets, so that its result is in doubt too.
    pub fn severity(self) -> u8 {
        match self {
            Self::Run(Status::Pass) => 1,
            Self::Test(TestStatus::XFail) => 2,
            Self::Test(TestStatus::Skip) => 3,
            Self::Test(TestStatus::XPass) => 4,
            Self::Run(Status::Fail) => 5,
            Self::Run(Status::Exit) => 6,
            Self::Run(Status::Signal) => 7,
            Self::Run(Status::Died) => 8,
            Self::Run(Status::Timeout) => 9,
            Self::Run(Status::NoRun) => 10,
            Self::Run(Status::NotReady) => 11,
            Self::Run(Status::NoBuild) => 12,
            Self::Test(TestStatus::NoLog) => 13,
            Self::Run(Status::NoStop) => 14,
            Self::Test(TestStatus::NoClean) => 15,
            Self::Test(TestStatus::NoExist) => 16,
        }
    }

    /// The name in files and on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run(status) => status.name(),
            Self::Test(TestStatus::XFail) => "XFAIL",
            Self::Test(TestStatus::Skip) => "SKIP",
            Self::Test(TestStatus::XPass) => "XPASS",
            Self::Test(TestStatus::NoLog) => "NOLOG",
            Self::Test(TestStatus::NoClean) => "NOCLEAN",
            Self::Test(TestStatus::NoExist) => "NOEXIST",
        }
    }

    /// The outcome of this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }

    /// The name by which the report of regress-all shows it. Several outcomes share one: its `NOEXIT` is any end but a
    /// good one, its `NORUN` all that could not begin.
    pub fn report_name(self) -> &'static str {
        match self {
            Self::Run(Status::Exit | Status::Signal | Status::Died) => "NOEXIT",
            Self::Run(Status::Timeout) => "NOTERM",
            Self::Run(Status::NoRun | Status::NotReady | Status::NoBuild) => "NORUN",
            Self::Run(Status::NoStop) => "NOCLEAN",
            Self::Run(Status::Pass | Status::Fail) | Self::Test(_) => self.name(),
        }
    }

    /// The outcome of a name in the report. Where several outcomes share the name it is the one that the name says
    /// most plainly: `NOEXIT` is `EXIT`, `NOTERM` is `TIMEOUT`, `NORUN` is `NORUN`, `NOCLEAN` is `NOCLEAN`.
    pub fn from_report_name(name: &str) -> Option<Self> {
        match name {
            "NOEXIT" => Some(Self::Run(Status::Exit)),
            "NOTERM" => Some(Self::Run(Status::Timeout)),
            _ => Self::from_name(name).filter(|outcome| outcome.report_name() == name),
        }
    }

    /// Whether the code did what is expected of it: yes for `PASS` and `XFAIL`, no opinion for `SKIP` and `NOEXIST`,
    /// which say nothing of the code, and no for all else. `XPASS` is a no: what is expected has changed.
    pub fn is_as_expected(self) -> Option<bool> {
        match self {
            Self::PASS | Self::XFAIL => Some(true),
            Self::SKIP | Self::NOEXIST => None,
            Self::Run(_) | Self::Test(_) => Some(false),
        }
    }
}

impl Status {
    /// How bad it is, among all outcomes: see [`Outcome::severity`].
    pub fn severity(self) -> u8 {
        Outcome::from(self).severity()
    }
}

impl From<Status> for Outcome {
    fn from(status: Status) -> Self {
        Self::Run(status)
    }
}

impl Ord for Outcome {
    fn cmp(&self, other: &Self) -> Ordering {
        self.severity().cmp(&other.severity())
    }
}

impl PartialOrd for Outcome {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report's names, by its severity from 1.
    const REPORT: [&str; 11] = [
        "PASS", "XFAIL", "SKIP", "XPASS", "FAIL", "NOEXIT", "NOTERM", "NORUN", "NOLOG", "NOCLEAN",
        "NOEXIST",
    ];

    #[test]
    fn severities_are_places_in_the_list_and_agree_with_the_report() {
        let mut last = 0;
        for (place, outcome) in (1..).zip(Outcome::ALL) {
            assert_eq!(outcome.severity(), place, "{outcome}");
            let of_report = REPORT
                .iter()
                .position(|name| *name == outcome.report_name());
            let of_report = of_report.expect("the report has the name");
            assert!(of_report >= last, "{outcome}");
            last = of_report;
        }
        assert!(Outcome::PASS < Outcome::XFAIL && Outcome::FAIL < Outcome::Run(Status::Died));
        assert_eq!(Status::Timeout.severity(), 9);
    }

    #[test]
    fn names_of_the_report_are_read_and_shown_again() {
        for name in REPORT {
            let outcome = Outcome::from_report_name(name).expect("it is known");
            assert_eq!(outcome.report_name(), name);
        }
        for other in ["EXIT", "TIMEOUT", "DIED", "NOSTOP", "EXIST", "pass", ""] {
            assert_eq!(Outcome::from_report_name(other), None, "{other}");
        }
    }

    #[test]
    fn names_in_files_are_flat_and_those_of_runs_stay() {
        for outcome in Outcome::ALL {
            let text = serde_json::to_string(&outcome).expect("it is written");
            assert_eq!(text, format!("\"{outcome}\""));
            assert_eq!(serde_json::from_str::<Outcome>(&text).ok(), Some(outcome));
            assert_eq!(Outcome::from_name(outcome.name()), Some(outcome));
            let of_run = serde_json::from_str::<Status>(&text).ok().map(Outcome::Run);
            let is_of_run = matches!(outcome, Outcome::Run(_));
            assert_eq!(of_run.is_some(), is_of_run, "{outcome}");
        }
        assert!(serde_json::from_str::<Outcome>("\"NOEXIT\"").is_err());
    }

    #[test]
    fn what_says_nothing_of_the_code_has_no_opinion() {
        let no_opinion = |outcome: &Outcome| outcome.is_as_expected().is_none();
        let silent: Vec<Outcome> = Outcome::ALL.into_iter().filter(no_opinion).collect();
        assert_eq!(silent, [Outcome::SKIP, Outcome::NOEXIST]);
        assert_eq!(Outcome::XFAIL.is_as_expected(), Some(true));
        assert_eq!(Outcome::XPASS.is_as_expected(), Some(false));
    }
}
