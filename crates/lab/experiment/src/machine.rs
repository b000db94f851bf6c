//! Settings of the machine that a variant asks for.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Place;
use crate::scope::{Scope, Visitor};
use crate::template::{Template, TemplateError};

/// The table `[variants.NAME.machine]`: in force while a run of the variant is prepared and executed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct Machine {
    /// Several threads on each core: `on` or `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smt: Option<String>,
    /// The frequency governor of all CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// The energy performance preference of all CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_preference: Option<String>,
    /// Frequencies above the base frequency: `on` or `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turbo: Option<String>,
    /// What the kernel tells the time by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocksource: Option<String>,
    /// Transparent huge pages: `always`, `madvise` or `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<String>,
    /// How hard the kernel tries to make room for a transparent huge page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub huge_page_defragmentation: Option<String>,
    /// Parameters of the kernel with their values, as sysctl names them.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub sysctl: IndexMap<String, String>,
    /// Offloads of network interfaces, `on` or `off`, by ethtool's names.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub nic: IndexMap<String, IndexMap<String, String>>,
}

impl Machine {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The settings that have one value each: name and value.
    pub(crate) fn plain(&self) -> Vec<(&'static str, &String)> {
        let all = [
            ("smt", &self.smt),
            ("governor", &self.governor),
            ("energy_preference", &self.energy_preference),
            ("turbo", &self.turbo),
            ("clocksource", &self.clocksource),
            ("huge_pages", &self.huge_pages),
            ("huge_page_defragmentation", &self.huge_page_defragmentation),
        ];
        all.into_iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
            .collect()
    }

    /// The names of all settings that are asked for, for people.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .plain()
            .into_iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        names.extend(self.sysctl.keys().map(|name| format!("sysctl {name}")));
        for (interface, features) in &self.nic {
            names.extend(
                features
                    .keys()
                    .map(|feature| format!("nic {interface} {feature}")),
            );
        }
        names
    }

    /// Visits all strings that are templates: the values.
    pub(crate) fn visit_templates<E>(
        &mut self,
        place: &Place,
        visit: &mut Visitor<'_, E>,
    ) -> Result<(), E> {
        let plain = [
            ("smt", &mut self.smt),
            ("governor", &mut self.governor),
            ("energy_preference", &mut self.energy_preference),
            ("turbo", &mut self.turbo),
            ("clocksource", &mut self.clocksource),
            ("huge_pages", &mut self.huge_pages),
            (
                "huge_page_defragmentation",
                &mut self.huge_page_defragmentation,
            ),
        ];
        for (name, value) in plain {
            if let Some(value) = value {
                visit(&place.key(name), Scope::Machine, value)?;
            }
        }
        for (name, value) in &mut self.sysctl {
            visit(&place.key("sysctl").key(name), Scope::Machine, value)?;
        }
        for (interface, features) in &mut self.nic {
            let place = place.key("nic").key(interface);
            for (feature, value) in features {
                visit(&place.key(feature), Scope::Machine, value)?;
            }
        }
        Ok(())
    }

    /// The values as they are to be set, once parameters and variables are filled in.
    ///
    /// # Errors
    /// If a placeholder is left.
    pub fn rendered(&self) -> Result<Self, TemplateError> {
        let mut machine = self.clone();
        machine.visit_templates(&Place::default(), &mut |_, _, text| {
            *text = Template::parse(text)?.render(|_| None)?;
            Ok(())
        })?;
        Ok(machine)
    }
}
