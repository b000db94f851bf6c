//! Where the system and the load may run.

use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// One more than the highest CPU number that is accepted: the largest `CONFIG_NR_CPUS` of Linux on x86-64.
const CPU_LIMIT: u32 = 8192;

/// The CPUs that processes are pinned to. Without a list they are not pinned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Cpus {
    /// CPUs of the system under test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<CpuList>,
    /// CPUs of the workload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<CpuList>,
    /// With `[design] together`, the CPUs of each place: as many lists as variants. Without them, those of the machine
    /// in equal parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<Vec<CpuList>>,
}

/// CPU numbers, ascending, each once, at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct CpuList(Vec<u32>);

impl CpuList {
    /// The numbers, ascending.
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }

    fn from_numbers(numbers: impl IntoIterator<Item = u32>) -> Result<Self, String> {
        let numbers: BTreeSet<u32> = numbers.into_iter().collect();
        match numbers.last() {
            None => Err("the list of CPUs is empty; leave it out to pin to none".to_owned()),
            Some(&last) if last >= CPU_LIMIT => Err(format!(
                "there is no CPU {last}; the highest number possible is {}",
                CPU_LIMIT - 1
            )),
            Some(_) => Ok(Self(numbers.into_iter().collect())),
        }
    }

    /// Reads the list format of the kernel's cpusets, `0-3,5`.
    fn from_text(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected CPU numbers such as \"0-3,5\", found \"{text}\"");
        let mut numbers = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: u32 = first.trim().parse().map_err(|_| wrong())?;
            let last: u32 = last.trim().parse().map_err(|_| wrong())?;
            if first > last {
                return Err(format!("the range {first}-{last} of CPUs runs backwards"));
            }
            // Cut before collecting: a range over all of u32 must not fill the memory.
            numbers.extend(first..=last.min(first.max(CPU_LIMIT)));
        }
        Self::from_numbers(numbers)
    }
}

impl std::str::FromStr for CpuList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_text(text)
    }
}

impl<'de> Deserialize<'de> for CpuList {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ListVisitor)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = CpuList;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("CPU numbers: a list such as [0, 1] or a string such as \"0-3,5\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<CpuList, E> {
        CpuList::from_text(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CpuList, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element()? {
            numbers.push(number);
        }
        CpuList::from_numbers(numbers).map_err(A::Error::custom)
    }
}

impl JsonSchema for CpuList {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CpuList".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "CPU numbers: a list, or a string such as \"0-3,5\".",
            "anyOf": [
                {
                    "type": "array",
                    "items": { "type": "integer", "minimum": 0, "maximum": CPU_LIMIT - 1 },
                    "minItems": 1
                },
                { "type": "string", "pattern": r"^\s*[0-9]+\s*(-\s*[0-9]+\s*)?(,\s*[0-9]+\s*(-\s*[0-9]+\s*)?)*$" }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_list_is_ranges_and_numbers_in_any_order() {
        assert_eq!(
            CpuList::from_text("5, 0-3,2").unwrap().numbers(),
            [0, 1, 2, 3, 5]
        );
        assert_eq!(CpuList::from_text("8191").unwrap().numbers(), [8191]);
    }

    #[test]
    fn a_wrong_list_is_refused() {
        for text in [
            "",
            "a",
            "0-",
            "-1",
            "0,,1",
            "3-1",
            "8192",
            "0-4294967295",
            "4294967296",
        ] {
            assert!(CpuList::from_text(text).is_err(), "{text}");
        }
        assert!(CpuList::from_numbers([]).is_err());
    }
}
