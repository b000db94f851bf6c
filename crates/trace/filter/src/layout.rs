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
/// When the probe does not have what the program takes, or has types that no description may have: a text for users.
pub fn layout<'a>(
    program: &FilterProgram,
    arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Layout, String> {
    let arguments = arguments.into_iter();
    let lines: Vec<String> = arguments
        .map(|(kind, name)| format!("\n{kind} {name}"))
        .collect();
    // What the probe is called does not matter.
    let text = format!("p\nn\n\n1{}", lines.concat());
    let description = Description::parse(&text).map_err(|error| error.to_string())?;
    let places = bind(program.borrowed(), &description).map_err(|unbound| unbound.to_string())?;
    Ok(Layout {
        places,
        by_record: lines.len() > FEW_ARGUMENTS,
    })
}
