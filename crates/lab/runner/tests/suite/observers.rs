//! What looks on during the runs that the plan wants observed.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;

use perflab_experiment::{Better, Metric, Sample, Status};
use perflab_runner::{Environment, Fault, Observation, ObservedRun, Observer};

use crate::experiment::{Outcome, World, host, text};

/// Notes its calls, and fails at one of them.
#[derive(Debug)]
struct Noting {
    calls: Rc<RefCell<Vec<String>>>,
    fails_at: Option<&'static str>,
}

impl Noting {
    fn note(&self, call: &str) -> Result<(), Fault> {
        self.calls.borrow_mut().push(call.to_owned());
        match self.fails_at == Some(call) {
            true => Err(Fault {
                status: Status::Fail,
                detail: format!("failed at {call}"),
            }),
            false => Ok(()),
        }
    }
}

impl Observer for Noting {
    fn name(&self) -> &str {
        "noting"
    }

    fn begin(&mut self, run: &ObservedRun<'_>) -> Result<(), Fault> {
        assert!(run.directory.is_dir());
        self.note("begin")
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let _ = self.note("variables");
        Vec::new()
    }

    fn wrap(
        &self,
        _: &ObservedRun<'_>,
        argv: Vec<OsString>,
        _: &Path,
        _: &Environment,
    ) -> Result<Vec<OsString>, Fault> {
        self.note("wrap")?;
        Ok(argv)
    }

    fn start(&mut self, is_measured: bool) -> Result<(), Fault> {
        self.note(if is_measured {
            "start"
        } else {
            "start of a warm-up"
        })
    }

    fn stop(&mut self) {
        let _ = self.note("stop");
    }

    fn end(&mut self, _: &ObservedRun<'_>) -> Result<Observation, Fault> {
        self.note("end")?;
        let metric = Metric::new("seen", "", Better::Lower);
        let sample = Sample {
            metric: metric.into(),
            value: 7.0,
            benchmark: None,
            step: None,
        };
        Ok(Observation {
            samples: vec![sample],
            evidence: [("noted".to_owned(), 1.0)].into(),
        })
    }
}

fn observed(refresh: &str) -> String {
    format!(
        "{}\n[observe]\ncounters = [\"x\"]\nshare = 0.5\n",
        text(refresh)
    )
}

#[test]
fn the_runs_of_the_plan_are_observed_and_no_others() {
    for refresh in ["keep", "restart"] {
        let world = World::new(&observed(refresh));
        assert_eq!(world.plan.runs.len(), 8);
        for block in [1, 2] {
            let runs = world.plan.runs.iter().filter(|run| run.block == block);
            assert_eq!(runs.filter(|run| run.observed).count(), 2);
        }
        let calls = Rc::default();
        let noting = Noting {
            calls: Rc::clone(&calls),
            fails_at: None,
        };
        let host = host();
        let (outcome, _) = world.observed(&host, vec![Box::new(noting)]);
        assert!(matches!(outcome, Outcome::Finished));
        for (record, planned) in world.records().iter().zip(&world.plan.runs) {
            assert_eq!(record.status, Status::Pass, "{:?}", record.detail);
            let seen = record
                .samples
                .iter()
                .any(|sample| sample.metric.name == "seen");
            let noted = record.evidence.contains_key("noted");
            assert_eq!([seen, noted], [planned.observed; 2], "{record:?}");
            let names: &[String] = if planned.observed {
                &["noting".to_owned()]
            } else {
                &[]
            };
            assert_eq!(record.observers, names);
        }
        assert_eq!(
            calls.borrow().iter().filter(|call| *call == "end").count(),
            4
        );
        world.check_clean(&host, refresh);
        if refresh == "restart" {
            let steps = "begin variables variables wrap start of a warm-up stop start stop end";
            assert_eq!(calls.borrow()[..9].join(" "), steps);
        }
    }
}

#[test]
fn a_run_that_cannot_be_observed_fails_and_the_others_pass() {
    for call in ["begin", "wrap", "start of a warm-up", "start", "end"] {
        let world = World::new(&observed("restart").replace("runs = 2", "runs = 1"));
        let noting = Noting {
            calls: Rc::default(),
            fails_at: Some(call),
        };
        let host = host();
        let (outcome, _) = world.observed(&host, vec![Box::new(noting)]);
        assert!(matches!(outcome, Outcome::Finished), "{outcome:?}");
        for (record, planned) in world.records().iter().zip(&world.plan.runs) {
            assert_eq!(record.status.passed(), !planned.observed, "{call}");
            assert_eq!(record.samples.is_empty(), planned.observed, "{call}");
        }
        world.check_clean(&host, call);
    }
}
