//! Commands as they are printed, to be copied into a shell.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use perflab_store::RunRecord;

/// A program and its arguments.
pub fn command<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    let quoted = |(index, word): (usize, W)| match word.as_ref() {
        // A shell takes what looks like `A=b` in front for a variable.
        word if index > 0 && is_plain(word) => word.to_string_lossy().into_owned(),
        word => quoted(word),
    };
    let words: Vec<String> = words.into_iter().enumerate().map(quoted).collect();
    words.join(" ")
}

/// What a run executed, where it is known. An import has it as a line for a shell already.
pub fn command_of_run(record: &RunRecord) -> Option<String> {
    match record.argv.as_slice() {
        [] => None,
        [line] if record.source.is_some() => Some(line.clone()),
        words => Some(command(words)),
    }
}

/// A file or a name as an argument of its own, which no leading dash makes a flag.
pub fn operand(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    match word.as_bytes() {
        [b'-', _, ..] => format!("./{}", quoted(word)),
        _ => quoted(word),
    }
}

/// Whether a shell takes an argument as it is, as `--out=results/first`.
fn is_plain(word: &OsStr) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_=/,.+:@%".contains(byte);
    word.as_bytes().iter().all(is_plain)
        && word.as_bytes().first().is_some_and(|byte| *byte != b'=')
}

/// A word as every shell takes it; with characters that would not survive a terminal, as bash, zsh and busybox do.
fn quoted(word: &OsStr) -> String {
    if let Some(text) = word.to_str()
        && !text.chars().any(char::is_control)
    {
        return shell_words::quote(text).into_owned();
    }
    let mut out = "$'".to_owned();
    for chunk in word.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' | '\\' => out.extend(['\\', character]),
                _ if character.is_control() => {
                    octal(&mut out, character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => out.push(character),
            }
        }
        octal(&mut out, chunk.invalid());
    }
    out + "'"
}

fn octal(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "\\{byte:03o}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::process::Command;

    #[test]
    fn a_shell_gives_back_what_was_quoted() {
        let words = [
            &b"plain"[..],
            b"--out=a/b,c:d@e%f+1",
            b"two words",
            b"it's",
            b"\"x\"",
            b"$HOME `id` \\",
            b"-r",
            b"",
            b"~",
            b"a\nb\x1b[2J",
            b"\xff\xc3\xa9",
            b"a;b|c&d",
            b"*?[",
            b"!!",
            b"=x",
            b"#",
        ];
        let words = words.map(|word| OsString::from_vec(word.to_vec()));
        let line = command(&words);
        assert!(!line.chars().any(char::is_control), "{line:?}");
        let said = Command::new("bash")
            .args(["-c", &format!("printf '%s\\0' {line}")])
            .output()
            .unwrap();
        let expected: Vec<u8> = words
            .iter()
            .flat_map(|word| [word.as_bytes(), b"\0"].concat())
            .collect();
        assert_eq!(said.stdout, expected, "{line}");
        assert_eq!(command(["A=b", "--c=d"]), "'A=b' --c=d");
    }

    #[test]
    fn an_operand_is_no_flag() {
        assert_eq!(operand("-r"), "./-r");
        assert_eq!(operand("-r 1"), "./'-r 1'");
        assert_eq!(operand("-"), "-");
        assert_eq!(operand("results/x y"), "'results/x y'");
    }
}
