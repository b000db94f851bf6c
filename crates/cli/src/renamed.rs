//! Options that have other names now. The old ones mean the same.

use std::ffi::OsString;

use crate::terminal;

/// Command, old name and new name.
const OPTIONS: [(&str, &str, &str); 4] = [
    ("compare", "--part", "--benchmark"),
    ("compare", "--claims", "--questions"),
    ("plan", "--part", "--benchmark"),
    ("plan", "--claims", "--questions"),
];

/// Says which of a command's arguments have other names now.
pub fn say_new_names(arguments: &[OsString]) {
    let Some((command, rest)) = arguments.split_first() else {
        return;
    };
    let is_used = |old: &str| {
        let mut options = rest.iter().take_while(|word| *word != "--");
        options.any(|word| {
            let word = word.to_string_lossy();
            word == old
                || word
                    .strip_prefix(old)
                    .is_some_and(|value| value.starts_with('='))
        })
    };
    for (_, old, new) in OPTIONS.iter().filter(|(of, ..)| command == of) {
        if is_used(old) {
            terminal::say(&format!("{old} is called {new} now"));
        }
    }
}
