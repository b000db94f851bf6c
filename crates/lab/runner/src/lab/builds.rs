//! The build that serves a run: made when it is not there, relinked when its layout is renewed.

use std::path::{Path, PathBuf};

use perflab_experiment::{Build, Cell, Refresh};
use perflab_store::StepKind;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::Lab;
use super::current::Current;
use crate::build::Site;
use crate::fault::Trouble;
use crate::fill::{Fill, Ports, Share};

/// What was built for a unit.
#[derive(Debug, Clone)]
pub(super) struct Built {
    unit: u32,
    pub(super) output: PathBuf,
    pub(super) layout: Option<String>,
}

impl Lab<'_> {
    /// The build that serves a run, made if it is not there.
    pub(super) fn built(&mut self, run: &mut Current<'_>) -> Result<Option<Built>, Trouble> {
        let Some(build) = &run.variant.build else {
            return Ok(None);
        };
        let refresh = self.experiment.design.refresh;
        let renewed = matches!(refresh, Refresh::Relink | Refresh::Rebuild);
        let unit = if renewed { run.planned.unit } else { 0 };
        let key = cell_key(run.cell);
        if let Some(built) = self.built.get(&key).filter(|built| built.unit == unit) {
            return Ok(Some(built.clone()));
        }
        // A build that fails must not be taken for one that is there.
        let compiled = self.built.remove(&key).is_some() && refresh == Refresh::Relink;
        let output = self.scratch().join("build").join(directory_name(&key));
        if !compiled {
            self.host.remove(&output);
            self.host
                .create_directory(&output)
                .map_err(Trouble::Fatal)?;
        }
        let begun = self.host.now();
        let made = self.make(build, &output, compiled, run);
        run.outcome.note(StepKind::Build, self.host.now() - begun);
        let layout = made?;
        let built = Built {
            unit,
            output,
            layout,
        };
        self.built.insert(key, built.clone());
        Ok(Some(built))
    }

    /// Compiles unless that is done, and links; what the layout is, in words.
    fn make(
        &self,
        build: &Build,
        output: &Path,
        compiled: bool,
        run: &mut Current<'_>,
    ) -> Result<Option<String>, Trouble> {
        let mut environment = self.environment();
        environment.set("PERFLAB_SEED", run.planned.seed.to_string());
        let site = Site {
            output,
            logs: &run.logs,
            environment: &environment,
            limit: self.experiment.design.timeout,
            host: self.host,
        };
        let mut ports = Ports::default();
        let mut names = ChaCha8Rng::seed_from_u64(run.planned.seed);
        let mut fill = Fill {
            host: self.host,
            ports: &mut ports,
            random: &mut names,
            dir: output,
            run: None,
            build: Some(output),
            experiment: &self.home,
            share: Share::WHOLE,
        };
        if !compiled {
            site.compile(build, &mut fill)?;
        }
        site.link(
            build,
            self.experiment.design.layout(),
            &mut fill,
            &mut run.random,
        )
    }
}

/// What a build or a kept system belongs to: parameters may be part of its commands.
pub(super) fn cell_key(cell: &Cell) -> String {
    let parameters: Vec<_> = cell
        .parameters
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{} {}", cell.variant, parameters.join(" "))
}

/// A name for a directory: the key with nothing but letters, digits and dashes, and its checksum.
pub(super) fn directory_name(key: &str) -> String {
    let plain: String = key
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(60)
        .collect();
    format!(
        "{}-{:08x}",
        plain.trim_end_matches('-'),
        crc32fast::hash(key.as_bytes())
    )
}
