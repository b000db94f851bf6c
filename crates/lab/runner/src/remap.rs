//! Another order of the shared libraries of a program in memory, without relinking anything.

use std::ffi::OsString;
use std::path::Path;

use rand_chacha::ChaCha8Rng;

use crate::environment::{Environment, PRELOAD};
use crate::host::Host;

/// Another order of the libraries in memory, where the program has any.
pub(crate) fn remap(
    host: &dyn Host,
    argv: &[OsString],
    directory: &Path,
    environment: &mut Environment,
    random: &mut ChaCha8Rng,
) -> Option<String> {
    let libraries = host.libraries(argv.first()?, directory, &environment.path())?;
    let order = libraries.shuffled(random);
    let list: Vec<_> = order
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    environment.extend([(PRELOAD.into(), list.join(":").into())]);
    let names: Vec<_> = order
        .iter()
        .map(|path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    Some(format!("libraries mapped as {}", names.join(" ")))
}
