//! Any bytes as a file of another tool. The first line names the format; in a tree of files each
//! begins with a line `== path`. What is read is finite, and can be written in every format or is
//! refused with a reason; what was written in a format that is also read can be read again.

use perflab_formats::{File, Format, Target, detect};

use crate::shared::first_line;

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (name, content) = first_line(input);
    let format = std::str::from_utf8(name).ok().and_then(Format::by_name);
    let Some(format) = format else {
        return false;
    };
    let files = files(content);
    let _ = detect(&files, files.len() > 1);
    let contents = match format.read(&files) {
        Ok(contents) => contents,
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            return true;
        }
    };
    assert!(!contents.runs.is_empty());
    let samples = || contents.runs.iter().flat_map(|run| &run.samples);
    assert!(samples().all(|sample| sample.value.is_finite()));
    for target in Target::ALL {
        let Ok(text) = target.write(&contents.runs, str::to_owned) else {
            continue;
        };
        let back = match target {
            Target::GoBench => Format::GoBench,
            Target::Hyperfine => Format::Hyperfine,
            Target::Pyperf => Format::Pyperf,
            _ => continue,
        };
        let file = File {
            path: "file".to_owned(),
            bytes: text.into_bytes(),
        };
        let again = back.read(&[file]).expect("what is written can be read");
        assert!(!again.runs.is_empty());
    }
    true
}

fn files(content: &[u8]) -> Vec<File> {
    let mut files = vec![File {
        path: "file".to_owned(),
        bytes: Vec::new(),
    }];
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        if let Some(path) = line.strip_prefix(b"== ") {
            files.push(File {
                path: String::from_utf8_lossy(path).trim().to_owned(),
                bytes: Vec::new(),
            });
        } else if let Some(file) = files.last_mut() {
            file.bytes.extend_from_slice(line);
        }
    }
    // In a tree, nothing stands before the first path.
    if files.len() > 1 {
        files.remove(0);
    }
    files
}
