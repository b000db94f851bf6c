//! Which words of a probe's events a program needs.

use alloc::vec::Vec;
use core::fmt;

use perflab_abi::{Argument, ArgumentType, Description};

use crate::place::{ContextField, Place};
use crate::program::{Class, Import};

/// Why a program cannot judge the events of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unbound<'i> {
    /// The probe has no argument of this name.
    Missing(&'i str),
    /// Its argument of this name has this class, which is not the one that the program needs.
    OtherClass(&'i str, Class),
}

impl fmt::Display for Unbound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "no argument \"{name}\""),
            Self::OtherClass(name, class) => write!(f, "argument \"{name}\" is {class}"),
        }
    }
}

/// The place of each import, in their order, in the events of a probe. The first of two arguments with one name counts.
///
/// # Errors
/// The first import that the probe does not have.
pub fn bind<'i>(
    imports: impl IntoIterator<Item = Import<'i>>,
    description: &Description<'_>,
) -> Result<Vec<Place>, Unbound<'i>> {
    let imports = imports.into_iter();
    let places = imports.map(|import| {
        let (class, place) =
            found(import.name, description).ok_or(Unbound::Missing(import.name))?;
        if class == import.class {
            Ok(place)
        } else {
            Err(Unbound::OtherClass(import.name, class))
        }
    });
    places.collect()
}

fn found(name: &str, description: &Description<'_>) -> Option<(Class, Place)> {
    if let Some(field) = ContextField::from_name(name) {
        return Some((field.class(), Place::Context(field)));
    }
    let mut words = 0;
    for argument in description.arguments() {
        if argument.name == name {
            return Some(placed(&argument, words as u8));
        }
        words += argument.kind.words();
    }
    None
}

/// An argument whose first word is this one.
fn placed(argument: &Argument<'_>, word: u8) -> (Class, Place) {
    match (argument.kind, argument.is_nofault()) {
        (ArgumentType::Float(32), _) => (Class::Double, Place::Single(word)),
        (ArgumentType::Float(_), _) => (Class::Double, Place::Number(word)),
        (ArgumentType::CString, false) => (Class::Text, Place::Terminated(word)),
        (ArgumentType::CString, true) => (Class::Text, Place::TerminatedNofault(word)),
        (ArgumentType::Str | ArgumentType::Bytes, false) => (Class::Text, Place::Counted(word)),
        (ArgumentType::Str | ArgumentType::Bytes, true) => {
            (Class::Text, Place::CountedNofault(word))
        }
        (
            ArgumentType::Signed(_)
            | ArgumentType::Unsigned(_)
            | ArgumentType::Bool
            | ArgumentType::Pointer
            | ArgumentType::Enum(_),
            _,
        ) => (Class::Integer, Place::Number(word)),
    }
}
