//! Floating-point numbers of 64 bits as Redis takes and prints them: scores of sorted sets, and replies.
//!
//! `INCRBYFLOAT` and `HINCRBYFLOAT` have another format, which is not here.

mod hexadecimal;
mod parse;
mod text;

pub use parse::parse;
pub use text::Text;

/// The text of a number, as `%.17g` of C prints it: up to 17 significant digits, which give the number back.
///
/// ```
/// use perflab_resp::double::text;
///
/// assert_eq!(text(3.0).as_bytes(), b"3");
/// assert_eq!(text(0.1).as_bytes(), b"0.10000000000000001");
/// assert_eq!(text(-1e300).as_bytes(), b"-1.0000000000000001e+300");
/// assert_eq!(text(f64::INFINITY).as_bytes(), b"inf");
/// ```
#[inline]
pub fn text(number: f64) -> Text {
    Text::new(number)
}
