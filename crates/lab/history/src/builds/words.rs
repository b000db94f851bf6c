//! The commands of a history file, with the names of a revision filled in.

use std::ffi::OsString;

use perflab_experiment::{Command, Placeholder, Template, TemplateError};

use crate::revision::Revision;

/// The placeholders of a command that is executed for a revision.
pub(crate) const OF_REVISION: [&str; 5] = ["revision", "name", "date", "tree", "history"];

/// Those of a command that is executed for all of them.
pub(crate) const OF_ALL: [&str; 1] = ["history"];

/// The arguments of a command of a history file that is executed for no revision, the program first. `history`: the
/// directory of the file.
///
/// # Errors
/// If a placeholder is unknown.
pub fn command_argv(command: &Command, history: &str) -> Result<Vec<OsString>, TemplateError> {
    let none = Revision::none();
    let words = Words {
        revision: &none,
        tree: None,
        history,
    };
    words.argv(command)
}

/// What stands for the placeholders of a command.
pub(super) struct Words<'a> {
    pub(super) revision: &'a Revision,
    /// The directory with its files; where it is not known yet, the placeholder stays.
    pub(super) tree: Option<&'a str>,
    /// The directory of the history file.
    pub(super) history: &'a str,
}

impl Words<'_> {
    /// The arguments of a command, the program first.
    ///
    /// # Errors
    /// If a placeholder is unknown.
    pub(super) fn argv(&self, command: &Command) -> Result<Vec<OsString>, TemplateError> {
        let texts = command.exec_argv();
        let filled = texts.iter().map(|text| {
            // The words of `sh -c` hold no brace.
            Template::parse(text)?.render(|placeholder| self.value(placeholder))
        });
        filled.map(|text| Ok(OsString::from(text?))).collect()
    }

    fn value(&self, placeholder: &Placeholder) -> Option<String> {
        if placeholder.argument.is_some() {
            return None;
        }
        let value = match placeholder.name.as_str() {
            "revision" => self.revision.id.clone(),
            "name" => self.revision.name(),
            "date" => self.revision.date(),
            "tree" => self.tree.unwrap_or("{tree}").to_owned(),
            "history" => self.history.to_owned(),
            _ => return None,
        };
        Some(value)
    }
}
