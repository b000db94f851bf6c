//! From the arguments of the macro to the words that a handler gets.

/// Takes argument after argument and collects the text of its description, the statements that
/// evaluate it, and its words; then emits the site. One step takes one argument: the compiler allows 128 of them.
///
/// Hygiene gives each step's `value` a name of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    (@each ($provider:ident $name:ident $few:literal $many:literal) $text:tt $let:tt
     ($a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt $i:tt $j:tt $k:tt $l:tt $m:tt $($word:tt)*)) => {
        $crate::__site!(($provider $name $many many) $text $let
            ($a $b $c $d $e $f $g $h $i $j $k $l $m $($word)*))
    };
    (@each ($provider:ident $name:ident $few:literal $many:literal) $text:tt $let:tt $words:tt) => {
        $crate::__site!(($provider $name $few few) $text $let $words)
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
     $name:ident: str = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\nstr ", stringify!($name),)
            ($($let)* let value: &str = $value;)
            ($($word)* [value.as_ptr() as u64, value.len() as u64])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: bytes = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\nbytes ", stringify!($name),)
            ($($let)* let value: &[u8] = $value;)
            ($($word)* [value.as_ptr() as u64, value.len() as u64])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: cstr = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\ncstr ", stringify!($name),)
            ($($let)* let value: &::core::ffi::CStr = $value;)
            ($($word)* [value.as_ptr() as u64])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: ptr = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\nptr ", stringify!($name),)
            ($($let)* let value = $crate::site::address($value);)
            ($($word)* [value])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: f32 = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\nf32 ", stringify!($name),)
            ($($let)* let value: f32 = $value;)
            ($($word)* [u64::from(value.to_bits())])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: f64 = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\nf64 ", stringify!($name),)
            ($($let)* let value: f64 = $value;)
            ($($word)* [value.to_bits()])
            $($($rest)*)?)
    };
    (@each $probe:tt ($($text:tt)*) ($($let:tt)*) ($($word:tt)*)
     $name:ident: $kind:ident = $value:expr $(, $($rest:tt)*)?) => {
        $crate::__words!(@each $probe
            ($($text)* "\\n", stringify!($kind), " ", stringify!($name),)
            ($($let)* let value: ::core::primitive::$kind = $value;)
            ($($word)* [$crate::site::Word::word(value)])
            $($($rest)*)?)
    };
}
