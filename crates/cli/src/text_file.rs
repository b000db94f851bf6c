//! Files that people write, read as text.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Most that is read of such a file: far more than people write, and little beside the memory of any machine.
const MOST_MIB: u64 = 64;

/// Reads one. What has no end, such as a link to `/dev/zero` in somebody else's directory, is refused.
///
/// # Errors
/// When it cannot be read, is larger than 64 MiB, or is no UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    let most = MOST_MIB << 20;
    let mut bytes = Vec::new();
    let length = File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if length as u64 > most {
        let why = format!("it has more than {MOST_MIB} MiB");
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() + 1;
        let why = format!("it is no text in UTF-8 from byte {at} on");
        io::Error::new(ErrorKind::InvalidData, why)
    })
}
