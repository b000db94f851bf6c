//! Filters of the commands of `trace`: from `--when` and others to what agents are sent.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::Args;
use perflab_control::{Actions, Agent, EncodedFilter, Traced};

use super::judge::Judge;
use super::program;
use super::session::are_meant;
use super::trigger::{Event, Trigger, in_words};
use crate::failure::Failure;
use crate::filter::known::{KnownProbe, of_program, of_sites};

// Which events.
#[derive(Debug, Args)]
pub struct When {
    /// Take only events whose arguments fulfil this condition, such as 'name == "SET" && bytes > 512': see
    /// docs/filters.md.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    when: Option<String>,

    /// Take only events that the filter in this file accepts: an eBPF object of clang, or of `perflab filter dump -o`.
    #[arg(long, value_name = "FILE", conflicts_with = "when")]
    when_object: Option<PathBuf>,
}

/// What a filter is for.
#[derive(Debug, Clone, Copy, Default)]
pub struct Purpose<'a> {
    /// The probes.
    pub probes: &'a str,
    /// Those of them that are taken unfiltered; may be empty.
    pub except: &'a str,
    /// How many of the accepted events are taken.
    pub actions: Actions,
    /// Events that the recording waits for.
    pub triggers: &'a [Trigger<'a>],
    /// Whether there has to be a filter, also if it accepts all events.
    pub is_needed: bool,
}

/// The known probes of a pattern.
type Known<'k> = &'k dyn Fn(&str) -> BTreeSet<KnownProbe>;

impl When {
    /// Whether any filter is asked for.
    pub fn is_given(&self) -> bool {
        self.when.is_some() || self.when_object.is_some()
    }

    /// The filter for probes of processes, if one is asked for.
    ///
    /// # Errors
    /// When it is wrong, or can judge none of the probes that there are.
    pub fn for_processes(
        &self,
        processes: &[Traced],
        purpose: Purpose<'_>,
    ) -> Result<Option<EncodedFilter>, Failure> {
        self.filter(purpose, &|probes| of_processes(processes, probes))
    }

    /// The same for a program that is about to start.
    ///
    /// # Errors
    /// As [`When::for_processes`].
    pub fn for_program(
        &self,
        program: &OsStr,
        purpose: Purpose<'_>,
    ) -> Result<Option<EncodedFilter>, Failure> {
        self.filter(purpose, &|probes| {
            let path = program::find(program);
            path.map_or_else(BTreeSet::new, |path| of_program(&path, probes))
        })
    }

    fn filter(
        &self,
        purpose: Purpose<'_>,
        known: Known<'_>,
    ) -> Result<Option<EncodedFilter>, Failure> {
        let Purpose {
            actions, triggers, ..
        } = purpose;
        let is_wanted = self.is_given()
            || purpose.is_needed
            || actions != Actions::default()
            || !triggers.is_empty();
        if !is_wanted {
            return Ok(None);
        }
        let mut probes = known(purpose.probes);
        probes.retain(|probe| {
            let (provider, name) = probe.name.split_once(':').unwrap_or_default();
            !are_meant(purpose.except, provider, name)
        });
        let judge = match &self.when_object {
            Some(path) => Judge::of_object(path, &probes)?,
            None => Judge::of_expression(self.when.as_deref().unwrap_or("1"), &probes)?,
        };
        judge.say_unfit();
        let also = in_words(actions).chain(triggers.iter().map(Trigger::in_words));
        let also: Vec<String> = also.collect();
        let encoded = judge.encoded(purpose.except, actions, &also);
        let mut encoded = encoded.map_err(Failure::usage)?;
        for trigger in triggers {
            let (event, number) = (trigger.event, trigger.number);
            let filter = of_event(event, known)?;
            encoded = encoded
                .with_trigger(trigger.effect, &event.probes, number, &filter)
                .map_err(Failure::usage)?;
        }
        Ok(Some(encoded))
    }
}

/// The filter of events that are waited for in processes.
///
/// # Errors
/// When the condition is wrong, or can judge none of the probes that there are.
pub fn awaited(processes: &[Traced], event: &Event) -> Result<EncodedFilter, Failure> {
    of_event(event, &|probes| of_processes(processes, probes))
}

fn of_event(event: &Event, known: Known<'_>) -> Result<EncodedFilter, Failure> {
    let judge = Judge::of_expression(event.expression(), &known(&event.probes))?;
    judge.say_unfit();
    let encoded = judge.encoded("", Actions::default(), &[]);
    encoded.map_err(Failure::usage)
}

/// The probes of processes. One that does not answer is reported when it is asked for its events.
fn of_processes(processes: &[Traced], probes: &str) -> BTreeSet<KnownProbe> {
    let answers = processes
        .iter()
        .filter_map(|process| Agent::at(&process.socket).list(probes).ok());
    answers.flat_map(|(sites, _)| of_sites(sites)).collect()
}
