//! `perflab doctor`: judges the machine for measuring.

mod apply;
mod arguments;
mod floor;
mod look;
mod noise;
mod noise_text;
mod text;

use perflab_machine::doctor::Severity;

use crate::failure::{Code, Failure};
use crate::terminal;
pub use arguments::DoctorArguments;
use arguments::Format;
pub use floor::{SPIN_ARGUMENT, spin};

/// Executes the command; what to end with.
pub fn doctor(arguments: &DoctorArguments) -> Result<u8, Failure> {
    if arguments.restore {
        return apply::restore(arguments);
    }
    if arguments.apply {
        return apply::apply(arguments);
    }
    let report = match &arguments.root {
        Some(root) => look::recorded(root, arguments.cpus.as_deref())?,
        None => look::here(arguments)?,
    };
    let text = match arguments.format {
        Format::Text => text::text(&report, arguments.verbose),
        Format::Json => terminal::json(&report)?,
    };
    terminal::print(&text)?;
    Ok(match report.worst {
        Severity::Alarm => Code::Environment as u8,
        _ => 0,
    })
}
