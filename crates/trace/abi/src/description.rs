//! What a site is called and what its arguments are.
//!
//! A description is text in lines: provider, name, file, line number, then one line for each
//! argument, which is its type, a space and its name:
//!
//! ```text
//! redis
//! command
//! src/server.c
//! 3541
//! i32 fd
//! cstr name
//! enum(GET=0,SET=1) kind
//! ```

use core::fmt;

/// Arguments that a probe may have.
pub const MOST_ARGUMENTS: usize = 64;

/// Arguments up to which a site passes each word to its handler by itself. With more of them it passes the address of
/// all words, see [`Site::RECORD`](crate::Site::RECORD).
pub const FEW_ARGUMENTS: usize = 12;

/// Longest name of a provider, a probe or an argument, in bytes.
const LONGEST_NAME: usize = 128;

/// A site's description, borrowed from its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description<'a> {
    /// Who offers the probe: an identifier.
    pub provider: &'a str,
    /// What it is called there: an identifier.
    pub name: &'a str,
    /// The source file, as the compiler was given it.
    pub file: &'a str,
    /// The line in it, from 1.
    pub line: u32,
    arguments: &'a str,
}

/// The type of an argument, and how it is passed to a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentType<'a> {
    /// A signed integer of so many bits, sign-extended to one word.
    Signed(u8),
    /// An unsigned integer of so many bits, zero-extended to one word.
    Unsigned(u8),
    /// A floating-point number of so many bits, 32 or 64, its bits in one word.
    Float(u8),
    /// A truth value, 0 or 1 in one word.
    Bool,
    /// An address, one word.
    Pointer,
    /// The address of text that ends with a zero byte, or null; one word.
    CString,
    /// Text in UTF-8: address and length, two words.
    Str,
    /// Bytes: address and length, two words.
    Bytes,
    /// A signed integer in one word, whose values have names, written as `NAME=value,...`; spaces
    /// around the parts do not count. A value is decimal, or hexadecimal behind `0x`. Without one it is the one before
    /// plus one, from 0, as in C; a name whose value is none of these, or follows one, stands for nothing.
    Enum(&'a str),
}

impl<'a> ArgumentType<'a> {
    /// Reads a type as it stands in a description.
    pub fn parse(text: &'a str) -> Option<Self> {
        Some(match text {
            "i8" => Self::Signed(8),
            "i16" => Self::Signed(16),
            "i32" => Self::Signed(32),
            "i64" => Self::Signed(64),
            "u8" => Self::Unsigned(8),
            "u16" => Self::Unsigned(16),
            "u32" => Self::Unsigned(32),
            "u64" => Self::Unsigned(64),
            "f32" => Self::Float(32),
            "f64" => Self::Float(64),
            "bool" => Self::Bool,
            "ptr" => Self::Pointer,
            "cstr" | "cstr_nofault" => Self::CString,
            "str" | "str_nofault" => Self::Str,
            "bytes" | "bytes_nofault" => Self::Bytes,
            _ => {
                let names = text.strip_prefix("enum(")?.strip_suffix(')')?;
                let each = names.split(',');
                each.map(enumerator).collect::<Option<()>>()?;
                Self::Enum(names)
            }
        })
    }

    /// Words that a handler gets for it.
    pub fn words(self) -> usize {
        match self {
            Self::Str | Self::Bytes => 2,
            _ => 1,
        }
    }

    /// The names and values of an [`ArgumentType::Enum`]; nothing for other types.
    pub fn enumerators(self) -> impl Iterator<Item = (&'a str, i64)> {
        let names = if let Self::Enum(names) = self {
            names.split(',')
        } else {
            // Nothing comes.
            let mut none = "".split(',');
            none.next();
            none
        };
        let mut next = Some(0);
        names.filter_map(move |text| {
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, number(value.trim())),
                None => (text, next),
            };
            next = value.and_then(|value| value.checked_add(1));
            Some((name.trim(), value?))
        })
    }
}

fn enumerator(text: &str) -> Option<()> {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    is_identifier(name.trim()).then_some(())
}

/// Digits; nothing for octal ones, which begin with 0 in C and are not told from decimal ones elsewhere.
fn number(text: &str) -> Option<i64> {
    let digits = text.trim_start_matches(['-', '+']);
    if digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// One argument of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument<'a> {
    /// Its type.
    pub kind: ArgumentType<'a>,
    /// The type as it is written.
    pub kind_text: &'a str,
    /// Its name: an identifier.
    pub name: &'a str,
}

impl Argument<'_> {
    /// Whether it is a text that may not be there, which the kernel reads: the name of its type ends so.
    pub fn is_nofault(&self) -> bool {
        self.kind_text.ends_with("_nofault")
    }
}

/// Why a description cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionError {
    /// It ends before this part.
    Missing(&'static str),
    /// The provider, the name or an argument's name is not an identifier of at most 128 bytes.
    Name,
    /// The line is not a number.
    Line,
    /// An argument is not a known type, a space and an identifier.
    Argument,
    /// There are more than [`MOST_ARGUMENTS`].
    TooMany,
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(part) => write!(f, "the description ends before the {part}"),
            Self::Name => write!(f, "a name is no identifier of at most {LONGEST_NAME} bytes"),
            Self::Line => f.write_str("the line is no number"),
            Self::Argument => write!(
                f,
                "an argument is no known type and an identifier of at most {LONGEST_NAME} bytes"
            ),
            Self::TooMany => write!(f, "there are more than {MOST_ARGUMENTS} arguments"),
        }
    }
}

impl core::error::Error for DescriptionError {}

impl<'a> Description<'a> {
    /// Reads a description, which need not come from a friend.
    ///
    /// # Errors
    /// When the text is not as this module says.
    pub fn parse(text: &'a str) -> Result<Self, DescriptionError> {
        let (provider, rest) = part(text, "name")?;
        let (name, rest) = part(rest, "file")?;
        let (file, rest) = part(rest, "line")?;
        let (line, arguments) = rest.split_once('\n').unwrap_or((rest, ""));
        if !is_identifier(provider) || !is_identifier(name) {
            return Err(DescriptionError::Name);
        }
        let line = line.parse().map_err(|_| DescriptionError::Line)?;
        let description = Self {
            provider,
            name,
            file,
            line,
            arguments,
        };
        if description.lines().count() > MOST_ARGUMENTS {
            return Err(DescriptionError::TooMany);
        }
        for line in description.lines() {
            argument(line).ok_or(DescriptionError::Argument)?;
        }
        Ok(description)
    }

    /// The arguments, in order.
    pub fn arguments(&self) -> impl Iterator<Item = Argument<'a>> {
        self.lines().filter_map(argument)
    }

    /// Whether both have the same names and arguments, wherever they are.
    pub fn is_same_probe(&self, other: &Self) -> bool {
        (self.provider, self.name, self.arguments) == (other.provider, other.name, other.arguments)
    }

    fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.arguments.split('\n').filter(|line| !line.is_empty())
    }
}

fn part<'a>(text: &'a str, next: &'static str) -> Result<(&'a str, &'a str), DescriptionError> {
    text.split_once('\n').ok_or(DescriptionError::Missing(next))
}

fn argument(line: &str) -> Option<Argument<'_>> {
    let (kind_text, name) = line.rsplit_once(' ')?;
    is_identifier(name).then_some(Argument {
        kind: ArgumentType::parse(kind_text)?,
        kind_text,
        name,
    })
}

/// Whether it is what a compiler takes for an identifier: letters of any alphabet, digits, `_` and `$`.
fn is_identifier(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphabetic() || matches!(letter, '_' | '$');
    text.len() <= LONGEST_NAME
        && text.starts_with(is_letter)
        && text
            .chars()
            .all(|letter| is_letter(letter) || letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn all_types() {
        let text = "p\nn\na file.c\n7\ni8 a\ni64 b\nu16 c\nf32 d\nf64 e\nbool f\nptr g\ncstr h\nstr i\nbytes j\nenum(A = 0, B=-1) k";
        let read = Description::parse(text).unwrap();
        assert_eq!(
            (read.provider, read.name, read.file, read.line),
            ("p", "n", "a file.c", 7)
        );
        let kinds: Vec<_> = read.arguments().map(|argument| argument.kind).collect();
        let expected = [
            ArgumentType::Signed(8),
            ArgumentType::Signed(64),
            ArgumentType::Unsigned(16),
            ArgumentType::Float(32),
            ArgumentType::Float(64),
            ArgumentType::Bool,
            ArgumentType::Pointer,
            ArgumentType::CString,
            ArgumentType::Str,
            ArgumentType::Bytes,
            ArgumentType::Enum("A = 0, B=-1"),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(kinds.iter().map(|kind| kind.words()).sum::<usize>(), 13);
        assert_eq!(
            kinds[10].enumerators().collect::<Vec<_>>(),
            [("A", 0), ("B", -1)]
        );
        assert_eq!(kinds[0].enumerators().count(), 0);
    }

    #[test]
    fn texts_that_may_not_be_there() {
        let text = "p\nn\nf\n1\ncstr_nofault a\nstr_nofault b\nbytes_nofault c\ncstr d";
        let read = Description::parse(text).unwrap();
        let arguments: Vec<_> = read
            .arguments()
            .map(|each| (each.kind, each.is_nofault()))
            .collect();
        let expected = [
            (ArgumentType::CString, true),
            (ArgumentType::Str, true),
            (ArgumentType::Bytes, true),
            (ArgumentType::CString, false),
        ];
        assert_eq!(arguments, expected);
    }

    #[test]
    fn enumerations_as_in_c() {
        let of = |names| ArgumentType::Enum(names).enumerators().collect::<Vec<_>>();
        assert_eq!(of("A,B,C=7,D"), [("A", 0), ("B", 1), ("C", 7), ("D", 8)]);
        assert_eq!(of("A=0x10, B"), [("A", 16), ("B", 17)]);
        // The value of a macro or a constant is not known here, nor what follows it.
        assert_eq!(of("A=FIRST,B,C=3"), [("C", 3)]);
        // Octal digits in C.
        assert_eq!(of("A=010,B,C=-08,D=0,E=-7,F=1u"), [("D", 0), ("E", -7)]);
        assert!(Description::parse("p\nn\nf\n1\nenum(A,B=FIRST) a").is_ok());
    }

    #[test]
    fn names_as_compilers_take_them() {
        for name in ["a", "_1", "my$name", "größe", "$"] {
            let text = std::format!("p\nn\nf\n1\ni32 {name}");
            assert_eq!(
                Description::parse(&text)
                    .unwrap()
                    .arguments()
                    .next()
                    .unwrap()
                    .name,
                name
            );
        }
        for name in ["", "1a", "a-b", "a.b", "a\u{7f}", "\u{202e}a"] {
            let text = std::format!("p\n{name}\nf\n1");
            assert_eq!(
                Description::parse(&text),
                Err(DescriptionError::Name),
                "{name}"
            );
        }
    }

    #[test]
    fn without_arguments() {
        let read = Description::parse("p\nn\nf\n1").unwrap();
        assert_eq!(read.arguments().count(), 0);
        assert_eq!(Description::parse("p\nn\nf\n1\n"), Ok(read));
    }

    #[test]
    fn refused() {
        let cases = [
            ("", DescriptionError::Missing("name")),
            ("p", DescriptionError::Missing("name")),
            ("p\nn", DescriptionError::Missing("file")),
            ("p\nn\nf", DescriptionError::Missing("line")),
            ("p p\nn\nf\n1", DescriptionError::Name),
            ("p\n1n\nf\n1", DescriptionError::Name),
            ("p\nn\nf\nx", DescriptionError::Line),
            ("p\nn\nf\n1\ni128 a", DescriptionError::Argument),
            ("p\nn\nf\n1\ni8", DescriptionError::Argument),
            ("p\nn\nf\n1\nenum() a", DescriptionError::Argument),
            ("p\nn\nf\n1\nenum(4=4) a", DescriptionError::Argument),
        ];
        for (text, error) in cases {
            assert_eq!(Description::parse(text), Err(error), "{text:?}");
        }
        let with = |arguments| std::format!("p\nn\nf\n1{}", "\ni8 a".repeat(arguments));
        assert!(Description::parse(&with(MOST_ARGUMENTS)).is_ok());
        let too_many = with(MOST_ARGUMENTS + 1);
        let refused = Description::parse(&too_many);
        assert_eq!(refused, Err(DescriptionError::TooMany));
    }
}
