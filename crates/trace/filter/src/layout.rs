//! Where a probe passes what a program takes.

use perflab_abi::{Description, FEW_ARGUMENTS};
use perflab_bpf::{Place, bind};

use crate::program::FilterProgram;

/// Where the values of a program's imports are in the events of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The place of each import.
    pub places: Vec<Place>,
    /// Whether the probe has so many arguments that its sites pass the address of all words.
    pub by_record: bool,
}

/// The layout of a probe with arguments of these types and names.
///
/// # Errors
/// When the probe does not have what the program takes, or cannot have such arguments: a text for users.
pub fn layout<'a>(
    program: &FilterProgram,
    arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Layout, String> {
    let text = written(arguments);
    let description = Description::parse(&text).map_err(|error| error.to_string())?;
    let places = bind(program.borrowed(), &description).map_err(|unbound| unbound.to_string())?;
    Ok(Layout {
        places,
        by_record: description.arguments().count() > FEW_ARGUMENTS,
    })
}

/// That a probe can have arguments of these types and names.
///
/// # Errors
/// When no description has them: a text for users.
pub fn check_arguments<'a>(
    arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), String> {
    let text = written(arguments);
    let description = Description::parse(&text);
    description.map(drop).map_err(|error| error.to_string())
}

/// The description of a probe with these arguments. What the probe is called does not matter.
fn written<'a>(arguments: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let arguments = arguments.into_iter();
    let lines = arguments.map(|(kind, name)| format!("\n{kind} {name}"));
    format!("p\nn\n\n1{}", lines.collect::<String>())
}
