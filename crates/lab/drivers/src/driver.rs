//! What every driver does.

use perflab_experiment::{Combine, Metric, Sample};

use crate::error::{ArgumentError, ReadError};
use crate::kind::Kind;
use crate::operations::Operations;
use crate::output::Output;
use crate::slices::{self, Alike};
use crate::turns::TakesTurns;

/// How one tool is called, and how its output becomes samples.
pub trait Driver: std::fmt::Debug + Send + Sync {
    /// The name by which an experiment asks for this driver.
    fn name(&self) -> &'static str;

    /// The full command line, program first, for the arguments that the user gave.
    ///
    /// Adds what the driver needs to be able to read the output.
    fn argv(&self, args: &[String]) -> Vec<String>;

    /// Refuses arguments with which the tool would never end or never say anything readable.
    ///
    /// # Errors
    /// Names the argument and what to do instead.
    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        let _ = args;
        Ok(())
    }

    /// What the driver can yield, as far as it is known before the run; the headline first.
    fn metrics(&self) -> Vec<Metric>;

    /// What the metric of this name tells of the load; [`Kind::Other`] unless the driver knows.
    fn kind(&self, metric: &str) -> Kind {
        let _ = metric;
        Kind::Other
    }

    /// Whether [`Driver::read`] looks at what the tool wrote.
    fn reads_output(&self) -> bool {
        true
    }

    /// The samples in the output of one finished run.
    ///
    /// # Errors
    /// Output that is not what the tool writes after a good run: nothing is guessed or left out.
    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError>;

    /// The arguments of each execution in one of `count` slices of the work that these arguments ask for. A slice is one
    /// execution where the tool does all of it at once. Else it has one for each benchmark, so that two variants execute
    /// the same benchmark soon after each other.
    ///
    /// # Errors
    /// When the tool's work cannot be cut, or not into so many slices: names the argument and what to do instead.
    fn slices(&self, args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
        let _ = count;
        Err(ArgumentError::new(
            self.name(),
            args.join(" "),
            "perflab does not know how to cut the tool's work into slices",
            "put `{slice:AMOUNT}` where the amount of work stands",
        ))
    }

    /// Says whether an execution with these arguments can be a slice, whoever cuts the work.
    ///
    /// # Errors
    /// When the tool measures work as short as a slice's wrongly: names the argument and what to do instead.
    fn check_slice(&self, args: &[String]) -> Result<(), ArgumentError> {
        let _ = args;
        Ok(())
    }

    /// How one process of the tool takes the turns of several targets; None where each slice is an execution.
    fn takes_turns(&self) -> Option<&dyn TakesTurns> {
        None
    }

    /// What executions with these arguments have in common.
    fn alike(&self, args: &[String]) -> Alike {
        let _ = args;
        Alike::Work
    }

    /// How the values of a metric in slices become that of the run; nothing where they cannot.
    fn combine(&self, metric: &str) -> Option<Combine> {
        slices::usual(self.kind(metric), metric)
    }

    /// Whether metrics and their rules are those of a tool that the driver knows, and not the user's own: what the tool
    /// leaves out of some slices of a run is left out of the run then.
    fn knows_its_tool(&self) -> bool {
        true
    }

    /// Whether a rate counts a part of the work, such as the requests that hit: slices that do the same work may do
    /// different amounts of that part.
    fn is_of_part(&self, metric: &str) -> bool {
        let _ = metric;
        false
    }

    /// Whether [`Driver::operations`] can tell.
    fn counts_operations(&self) -> bool {
        false
    }

    /// How many operations an execution with these arguments did, which measured these samples. None where that cannot
    /// be told.
    fn operations(&self, args: &[String], samples: &[Sample]) -> Option<Operations> {
        let _ = (args, samples);
        None
    }

    /// The distance of the values that the tool can show beside this one, with these arguments, in the metric's unit:
    /// its clock's or its last digit's. None where it is not known for certain, or far below what runs could show.
    fn step(&self, metric: &str, value: f64, args: &[String]) -> Option<f64> {
        let _ = (metric, value, args);
        None
    }

    /// How many threads, or processes, make the load with these arguments: no more than so many CPUs
    /// can be used. None where arguments do not tell.
    fn threads(&self, args: &[String]) -> Option<u32> {
        let _ = args;
        None
    }

    /// What the tool is known to get wrong with these arguments, one sentence each, to be shown
    /// beside the result.
    fn cautions(&self, args: &[String]) -> Vec<String> {
        let _ = args;
        Vec::new()
    }
}

impl<D: Driver + ?Sized> Driver for &'static D {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn argv(&self, args: &[String]) -> Vec<String> {
        (**self).argv(args)
    }

    fn check(&self, args: &[String]) -> Result<(), ArgumentError> {
        (**self).check(args)
    }

    fn metrics(&self) -> Vec<Metric> {
        (**self).metrics()
    }

    fn kind(&self, metric: &str) -> Kind {
        (**self).kind(metric)
    }

    fn reads_output(&self) -> bool {
        (**self).reads_output()
    }

    fn read(&self, output: &Output<'_>) -> Result<Vec<Sample>, ReadError> {
        (**self).read(output)
    }

    fn slices(&self, args: &[String], count: u32) -> Result<Vec<Vec<String>>, ArgumentError> {
        (**self).slices(args, count)
    }

    fn check_slice(&self, args: &[String]) -> Result<(), ArgumentError> {
        (**self).check_slice(args)
    }

    fn takes_turns(&self) -> Option<&dyn TakesTurns> {
        (**self).takes_turns()
    }

    fn alike(&self, args: &[String]) -> Alike {
        (**self).alike(args)
    }

    fn combine(&self, metric: &str) -> Option<Combine> {
        (**self).combine(metric)
    }

    fn knows_its_tool(&self) -> bool {
        (**self).knows_its_tool()
    }

    fn is_of_part(&self, metric: &str) -> bool {
        (**self).is_of_part(metric)
    }

    fn counts_operations(&self) -> bool {
        (**self).counts_operations()
    }

    fn operations(&self, args: &[String], samples: &[Sample]) -> Option<Operations> {
        (**self).operations(args, samples)
    }

    fn step(&self, metric: &str, value: f64, args: &[String]) -> Option<f64> {
        (**self).step(metric, value, args)
    }

    fn threads(&self, args: &[String]) -> Option<u32> {
        (**self).threads(args)
    }

    fn cautions(&self, args: &[String]) -> Vec<String> {
        (**self).cautions(args)
    }
}

/// A command line: the program and what the driver adds, before the arguments of the user.
pub(crate) fn call(program: &[&str], args: &[String]) -> Vec<String> {
    let added = program.iter().map(|&word| word.to_owned());
    added.chain(args.iter().cloned()).collect()
}
