//! What the environment asks for from the start.

use std::sync::Arc;

use perflab_abi::variable::{
    CHECKED, PROBES, RECORD, RECORD_FOR, RECORD_MEMORY, RECORD_RING, WHEN, check_value, hexadecimal,
};
use perflab_abi::{FilterWish, Reader};

use crate::agent::{Agent, Wish};
use crate::filter::Filter;
use crate::objects::Unusable;
use crate::pattern::Pattern;
use crate::record::Size;
use crate::refused;

/// The probes that are asked for, if any are.
pub fn asked() -> Option<String> {
    let mut variables = [PROBES, RECORD].iter();
    variables.find_map(|variable| std::env::var(variable).ok())
}

/// Whether any are asked for, also by what cannot be read.
pub fn asks() -> bool {
    let mut variables = [PROBES, RECORD].iter();
    variables.any(|variable| std::env::var_os(variable).is_some())
}

/// Wants what is asked for.
pub fn wish(agent: &mut Agent) {
    note_values(agent);
    // Threads may begin before a recorder comes, and keep the rings that they take then.
    let [ring, all] = [RECORD_RING, RECORD_MEMORY].map(kibibytes_from);
    agent.set_usual_size(Size::DEFAULT.or(ring, all));
    let filter = match filter() {
        Ok(filter) => filter,
        // Nothing that the filter may reject is recorded or counted.
        Err(reason) => {
            refused::say(&reason);
            agent.note(Unusable {
                path: WHEN.to_owned(),
                reason,
            });
            return;
        }
    };
    wish_from(agent, PROBES, |agent, pattern| {
        agent.wish_from_the_start(pattern, Wish::Count, filter.clone());
    });
    let expected = std::env::var(RECORD_FOR)
        .ok()
        .filter(|whom| !whom.is_empty() && check_value(RECORD_FOR, whom).is_ok());
    if expected.as_deref().is_some_and(refused::has_ended) {
        return;
    }
    wish_from(agent, RECORD, |agent, pattern| {
        agent.record_from_the_start(pattern, filter.clone(), expected.as_deref());
    });
}

/// The filter of what is asked for, if there is one.
fn filter() -> Result<Option<Arc<Filter>>, String> {
    let digits = std::env::var_os(WHEN).unwrap_or_default();
    if digits.is_empty() {
        return Ok(None);
    }
    let digits = digits.to_string_lossy();
    check_value(WHEN, &digits).map_err(|error| error.to_string())?;
    let bytes: Vec<u8> = hexadecimal(&digits).into_iter().flatten().collect();
    let mut fields = Reader::new(&bytes);
    let wish = FilterWish::decode(&mut fields);
    let wish = wish.map_err(|error| format!("its value is refused: {error}"))?;
    let filter = Filter::read(&wish)?.with_triggers(&mut fields)?;
    Ok(Some(Arc::new(filter)))
}

/// Keeps what is wrong with variables of the environment, to be said when somebody asks.
fn note_values(agent: &mut Agent) {
    for variable in CHECKED {
        let value = std::env::var_os(variable);
        let value = value.as_deref().map(std::ffi::OsStr::to_string_lossy);
        let checked = value.as_ref().map(|value| check_value(variable, value));
        if let Some(Err(error)) = checked {
            agent.note(Unusable {
                path: variable.to_owned(),
                reason: error.to_string(),
            });
        }
    }
}

/// Does what a variable of the environment asks for.
fn wish_from(agent: &mut Agent, variable: &str, wish: impl Fn(&mut Agent, &Pattern)) {
    if let Some(Ok(pattern)) = std::env::var(variable)
        .ok()
        .map(|text| Pattern::parse(&text))
    {
        wish(agent, &pattern);
    }
}

/// A number of KiB that a variable of the environment asks for; 0 if it asks for none, or for what cannot be.
fn kibibytes_from(variable: &str) -> u32 {
    let text = std::env::var(variable).unwrap_or_default();
    let checked = check_value(variable, &text);
    checked.map_or(0, |()| text.parse().unwrap_or(0))
}
