//! Writes the seeds of all targets where libFuzzer looks for them: `plant DIRECTORY` makes
//! `DIRECTORY/TARGET/seed-NAME`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::{env, fs, io};

use perflab_fuzz_targets::{seeds, workspace};

fn main() -> ExitCode {
    let Some(directory) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("plant: name the directory for the seeds: plant DIRECTORY");
        return ExitCode::from(2);
    };
    for seed in seeds::seeds(workspace()) {
        let folder = directory.join(seed.target);
        let file = folder.join(format!("seed-{}", seed.name));
        let write = || -> io::Result<()> {
            fs::create_dir_all(&folder)?;
            fs::write(&file, &seed.input)
        };
        if let Err(error) = write() {
            eprintln!("plant: cannot write {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
