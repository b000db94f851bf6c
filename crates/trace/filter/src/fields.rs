//! What a probe, or the thread that hits it, offers to an expression.

use perflab_abi::{ArgumentType, Description};
use perflab_bpf::Class;

/// A type that no argument has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no type of an argument")]
pub struct UnknownType(pub String);

/// One argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// What it is for an expression. An integer has 64 bits and a sign, whatever its type.
    pub class: Class,
    /// Whether it has bytes that can be taken by their index.
    pub has_bytes: bool,
}

impl Field {
    fn of(kind: ArgumentType<'_>) -> Self {
        Self {
            class: Class::of(kind),
            has_bytes: kind == ArgumentType::Bytes,
        }
    }
}

/// The arguments of a probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields<'a>(Vec<(&'a str, ArgumentType<'a>)>);

impl<'a> Fields<'a> {
    /// Arguments by their types and names.
    ///
    /// # Errors
    /// When a type is none that a description may have.
    pub fn new(
        arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, UnknownType> {
        let fields = arguments.into_iter().map(|(kind, name)| {
            let kind = ArgumentType::parse(kind).ok_or_else(|| UnknownType(kind.to_owned()))?;
            Ok((name, kind))
        });
        fields.collect::<Result<_, _>>().map(Self)
    }

    /// The argument of a name; of two with the same, the first.
    pub fn field(&self, name: &str) -> Option<Field> {
        let mut fields = self.0.iter();
        let (_, kind) = fields.find(|(own, _)| *own == name)?;
        Some(Field::of(*kind))
    }

    /// A number of an argument, as its type writes it; of none, with a sign.
    pub fn written(&self, name: &str, number: u64) -> String {
        let mut fields = self.0.iter();
        let kind = fields.find(|(own, _)| *own == name);
        let signed = number as i64;
        match kind.map(|(_, kind)| *kind) {
            Some(ArgumentType::Unsigned(_)) => number.to_string(),
            Some(ArgumentType::Bool) => (number != 0).to_string(),
            Some(ArgumentType::Pointer) => format!("{number:#x}"),
            kind => {
                let mut names = kind.into_iter().flat_map(ArgumentType::enumerators);
                let name = names.find(|(_, value)| *value == signed);
                name.map_or_else(|| signed.to_string(), |(name, _)| name.to_owned())
            }
        }
    }

    /// The word of an integer or a double that is written in digits, as an event of this argument has it, or what it
    /// should have been. A name that is no argument's is an integer of 64 bits.
    pub fn read(&self, name: &str, text: &str) -> Result<u64, String> {
        let mut fields = self.0.iter();
        let kind = fields.find(|(own, _)| *own == name).map(|(_, kind)| *kind);
        let (low, high) = match kind {
            Some(ArgumentType::Float(bits)) => {
                let number = match bits {
                    32 => text.parse::<f32>().ok().map(f64::from),
                    _ => text.parse().ok(),
                };
                // Digits beyond the largest number are read as infinite.
                let is_beyond = |number: &f64| {
                    number.is_infinite() && text.contains(|letter: char| letter.is_ascii_digit())
                };
                let number = number.filter(|number| !is_beyond(number));
                let expected = || format!("expected a double of {bits} bits");
                return number.map(f64::to_bits).ok_or_else(expected);
            }
            Some(ArgumentType::Signed(bits)) => (-1_i128 << (bits - 1), (1_i128 << (bits - 1)) - 1),
            Some(ArgumentType::Unsigned(bits)) => (0, (1_i128 << bits) - 1),
            Some(ArgumentType::Bool) => (0, 1),
            Some(ArgumentType::Pointer) => (0, i128::from(u64::MAX)),
            _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        let number = match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let number = number.filter(|number| (low..=high).contains(number));
        let expected = || format!("expected an integer from {low} to {high}");
        number.map(|number| number as u64).ok_or_else(expected)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The argument, and its value, that has this name for one of its values.
    fn enumerator(&self, name: &str) -> Option<(&'a str, i64)> {
        self.0.iter().find_map(|(argument, kind)| {
            let (_, value) = kind.enumerators().find(|(own, _)| *own == name)?;
            Some((*argument, value))
        })
    }
}

/// The arguments of a probe, as it describes them.
pub fn of<'a>(description: &Description<'a>) -> Fields<'a> {
    let arguments = description.arguments();
    Fields(
        arguments
            .map(|argument| (argument.name, argument.kind))
            .collect(),
    )
}

/// The candidate that was probably meant, if one is near: by a Damerau-Levenshtein distance, case apart, of at most a
/// third of the length, as for names in an experiment file.
fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let distances = candidates.iter().map(|candidate| {
        let distance = strsim::damerau_levenshtein(&name, &candidate.to_lowercase());
        (distance, *candidate)
    });
    let near = distances.filter(|(distance, candidate)| {
        let length = candidate.chars().count().max(name.chars().count());
        *distance <= (length / 3).max(1) && *distance < length
    });
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// What to write instead of a name that is no argument of some probes.
pub(crate) fn instead_of<'a>(name: &str, probes: &[Fields<'a>]) -> String {
    let mut values = probes.iter().filter_map(|fields| fields.enumerator(name));
    match values.next() {
        Some((argument, value)) => format!("it is {value} of `{argument}`"),
        None => suggestion(name, probes.iter().flat_map(Fields::names)),
    }
}

/// What to write instead of an unknown name: the nearest one, else all.
pub(crate) fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let mut candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(near) = nearest(name, &candidates) {
        return format!("did you mean `{near}`?");
    }
    candidates.sort_unstable();
    candidates.dedup();
    let names: Vec<String> = candidates.iter().map(|name| format!("`{name}`")).collect();
    match (names.len(), names.get(..SHOWN)) {
        (0, _) => "there is none".to_owned(),
        (all, Some(first)) if all > SHOWN => {
            format!("there are {} and {} more", first.join(", "), all - SHOWN)
        }
        (1, _) => format!("there is {}", names.join("")),
        _ => format!("there are {}", names.join(", ")),
    }
}
