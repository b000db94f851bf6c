//! Builds of a variant, and new layouts for what was built.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use perflab_experiment::{Build, Layout, Status};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::aside::Aside;
use crate::environment::Environment;
use crate::fault::{Fault, Trouble};
use crate::fill::Fill;
use crate::host::Host;

/// Gap between objects where the experiment does not say: one cache line.
const DEFAULT_GAP_BYTES: u32 = 64;

/// Alignment of each object's code for the layout `align`: one page.
const ALIGN_BYTES: u32 = 4096;

/// What a build needs besides the variant's own words.
#[derive(Debug)]
pub(crate) struct Site<'a> {
    /// Takes what is built.
    pub(crate) output: &'a Path,
    /// Takes the logs.
    pub(crate) logs: &'a Path,
    pub(crate) environment: &'a Environment,
    pub(crate) limit: Duration,
    pub(crate) host: &'a dyn Host,
}

impl Site<'_> {
    /// Compiles.
    pub(crate) fn compile(&self, build: &Build, fill: &mut Fill<'_>) -> Result<(), Trouble> {
        let Some(command) = &build.command else {
            return Ok(());
        };
        let argv = fill.argv(command)?;
        self.step("build", &argv, &directory(build, fill)?)
    }

    /// Links, with the objects laid out as asked; what the layout was, in words.
    pub(crate) fn link(
        &self,
        build: &Build,
        layout: Option<Layout>,
        fill: &mut Fill<'_>,
        random: &mut ChaCha8Rng,
    ) -> Result<Option<String>, Trouble> {
        let Some(link) = &build.link else {
            return Ok(None);
        };
        let directory = directory(build, fill)?;
        let mut objects = Vec::new();
        for pattern in &build.objects {
            let pattern = directory.join(fill.text(pattern)?);
            objects.extend(self.host.matching(&pattern).map_err(no_build)?);
        }
        if objects.is_empty() {
            return Err(no_build(format!("no object file matches {:?}", build.objects)).into());
        }
        let described = match layout {
            None => None,
            Some(layout) => {
                Some(self.arrange(layout, &mut objects, build.gap, &directory, random)?)
            }
        };
        let mut argv = Vec::new();
        for argument in link.exec_argv() {
            if argument == "{objects}" {
                argv.extend(objects.iter().map(|object| object.as_os_str().to_owned()));
            } else {
                argv.push(OsString::from(fill.text(&argument)?));
            }
        }
        self.step("link", &argv, &directory)?;
        Ok(described)
    }

    fn arrange(
        &self,
        layout: Layout,
        objects: &mut Vec<PathBuf>,
        gap: Option<u32>,
        directory: &Path,
        random: &mut ChaCha8Rng,
    ) -> Result<String, Trouble> {
        objects.sort();
        Ok(match layout {
            Layout::Sort => "objects sorted".to_owned(),
            Layout::Reorder => {
                for last in (1..objects.len()).rev() {
                    let other = random.random_range(0..=last);
                    objects.swap(last, other);
                }
                format!("objects shuffled: {}", names(objects))
            }
            Layout::Gap => {
                let bytes = gap.unwrap_or(DEFAULT_GAP_BYTES);
                let mut spaced = Vec::with_capacity(objects.len() * 2);
                for (index, object) in objects.drain(..).enumerate() {
                    spaced.extend([object, self.gap(index, bytes, directory)?]);
                }
                *objects = spaced;
                format!("objects sorted, gaps of {bytes} B")
            }
            Layout::Align => {
                for (index, object) in objects.iter_mut().enumerate() {
                    *object = self.aligned(index, object, directory)?;
                }
                format!("objects sorted, each aligned to {ALIGN_BYTES} B")
            }
        })
    }

    /// An object that is nothing but a gap; one per object, as a linker takes each file once.
    fn gap(&self, index: usize, bytes: u32, directory: &Path) -> Result<PathBuf, Trouble> {
        let own = self.own_objects()?;
        let (source, gap) = (
            own.join(format!("{index}-gap.s")),
            own.join(format!("{index}-gap.o")),
        );
        let text =
            format!(".section .text\n.skip {bytes}\n.section .note.GNU-stack,\"\",@progbits\n");
        self.host
            .write(&source, text.as_bytes())
            .map_err(Trouble::Fatal)?;
        let argv: Vec<OsString> = vec![
            "cc".into(),
            "-c".into(),
            "-o".into(),
            gap.clone().into(),
            source.into(),
        ];
        self.step("gap", &argv, directory)?;
        Ok(gap)
    }

    /// A copy of an object whose code starts on a page of its own.
    fn aligned(&self, index: usize, object: &Path, directory: &Path) -> Result<PathBuf, Trouble> {
        let name = object.file_name().unwrap_or_default().to_string_lossy();
        // Objects of several directories may share a name.
        let copy = self.own_objects()?.join(format!("{index}-{name}"));
        let argv: Vec<OsString> = vec![
            "objcopy".into(),
            format!("--set-section-alignment=.text={ALIGN_BYTES}").into(),
            object.into(),
            copy.clone().into(),
        ];
        self.step("align", &argv, directory)?;
        Ok(copy)
    }

    /// Where the objects go that the layout adds: apart, or the next link would find them among
    /// those of the variant.
    fn own_objects(&self) -> Result<PathBuf, Trouble> {
        let own = self.output.join("layout");
        self.host.create_directory(&own).map_err(Trouble::Fatal)?;
        Ok(own)
    }

    fn step(&self, purpose: &str, argv: &[OsString], directory: &Path) -> Result<(), Trouble> {
        Aside {
            purpose,
            status: Status::NoBuild,
            argv,
            environment: self.environment,
            directory,
            log: &self.logs.join(format!("{purpose}.log")),
            cpus: None,
            limit: self.limit,
        }
        .execute(self.host)
    }
}

fn directory(build: &Build, fill: &mut Fill<'_>) -> Result<PathBuf, Trouble> {
    match &build.directory {
        Some(directory) => Ok(fill.path(directory)?),
        None => Ok(fill.experiment.to_path_buf()),
    }
}

fn names(objects: &[PathBuf]) -> String {
    let names: Vec<_> = objects
        .iter()
        .map(|object| {
            object
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.join(" ")
}

fn no_build(detail: String) -> Fault {
    Fault::new(Status::NoBuild, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::Ports;
    use crate::this_machine::ThisMachine;
    use perflab_experiment::Command;
    use rand::SeedableRng;
    use std::fs;

    /// The objects that a second link of the same build is given.
    fn linked(layout: Layout) -> Vec<PathBuf> {
        perflab_testing::needs("cc", "gcc");
        perflab_testing::needs("objcopy", "binutils");
        let scratch = tempfile::tempdir().unwrap();
        let output = scratch.path().join("output");
        for part in ["a", "b"] {
            fs::create_dir_all(output.join(part)).unwrap();
            let source = output.join(part).join("same.c");
            fs::write(&source, format!("int {part}(void) {{ return 1; }}")).unwrap();
        }
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let compile =
            "for part in a b; do cc -c -o {build}/$part/same.o {build}/$part/same.c; done";
        let build = Build {
            command: Some(Command {
                argv: argv(&[compile]),
                shell: true,
            }),
            objects: argv(&["{build}/*.o", "{build}/*/same.o"]),
            link: Some(Command {
                argv: argv(&["sh", "-c", "echo \"$@\" > {build}/list", "sh", "{objects}"]),
                shell: false,
            }),
            ..Build::default()
        };
        let environment = Environment::clean(&[], "none");
        let host = ThisMachine::alone().unwrap();
        let site = Site {
            output: &output,
            logs: scratch.path(),
            environment: &environment,
            limit: Duration::from_secs(60),
            host: &host,
        };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut fill = Fill {
            host: &host,
            ports: &mut Ports::default(),
            random: &mut ChaCha8Rng::seed_from_u64(2),
            dir: &output,
            run: None,
            build: Some(&output),
            experiment: scratch.path(),
            share: crate::fill::Share::WHOLE,
        };
        site.compile(&build, &mut fill).unwrap();
        for _ in 0..2 {
            site.link(&build, Some(layout), &mut fill, &mut random)
                .unwrap();
        }
        let list = fs::read_to_string(output.join("list")).unwrap();
        list.split_whitespace().map(PathBuf::from).collect()
    }

    #[test]
    fn what_a_layout_adds_is_not_linked_again() {
        assert_eq!(linked(Layout::Sort).len(), 2);
        assert_eq!(linked(Layout::Reorder).len(), 2);
        assert_eq!(linked(Layout::Gap).len(), 4);
        let aligned = linked(Layout::Align);
        assert_eq!(aligned.len(), 2);
        assert_ne!(
            aligned[0], aligned[1],
            "objects of one name in two directories"
        );
    }
}
