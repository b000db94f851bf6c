//! From the arguments of the macro to the words that a handler gets.

/// Takes argument after argument and collects the text of its description, the statements that
/// evaluate it, and its words; then emits the site.
///
/// Hygiene gives each step's `value` a name of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)) => {
        $crate::__site!($probe ($($text)*) ($($let)*) ($($word)*))
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: enum($($names:tt)*) = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\nenum(", stringify!($($names)*), ") ", stringify!($name),)
            ($($let)* let value: i64 = $value;)
            ($($word)* [value as u64])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: $kind:ident = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@$kind ($probe
            ($($text)* "\\n", stringify!($kind), " ", stringify!($name),)
            ($($let)*) ($($word)*)) $value, ($($($rest)*)?))
    };
    (@str ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value: &str = $value;)
            ($($word)* [value.as_ptr() as u64, value.len() as u64]) $($rest)*)
    };
    (@bytes ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value: &[u8] = $value;)
            ($($word)* [value.as_ptr() as u64, value.len() as u64]) $($rest)*)
    };
    (@cstr ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value: &::core::ffi::CStr = $value;)
            ($($word)* [value.as_ptr() as u64]) $($rest)*)
    };
    (@ptr ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value = $crate::site::address($value);)
            ($($word)* [value]) $($rest)*)
    };
    (@f32 ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value: f32 = $value;)
            ($($word)* [u64::from(value.to_bits())]) $($rest)*)
    };
    (@f64 ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value: f64 = $value;)
            ($($word)* [value.to_bits()]) $($rest)*)
    };
    (@$kind:ident ($probe:tt $text:tt ($($let:tt)*) ($($word:tt)*)) $value:expr, ($($rest:tt)*)) => {
        $crate::__words!(@each $probe $text ($($let)* let value: ::core::primitive::$kind = $value;)
            ($($word)* [$crate::site::Word::word(value)]) $($rest)*)
    };
}
