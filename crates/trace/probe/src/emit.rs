//! From names, description and words to the code of a site, one way for each backend.

/// Nothing, but that the expressions are checked.
#[cfg(any(
    feature = "none",
    not(all(
        target_arch = "x86_64",
        target_os = "linux",
        target_pointer_width = "64"
    ))
))]
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    (($provider:ident $name:ident $flags:literal $way:ident) ($($text:tt)*) ($($let:tt)*) ($([$($word:expr),*])*)) => {
        if false {
            $crate::__check!($provider $name $($text)*);
            $($let)*
            $($(let _ = $word;)*)*
        }
    };
}

/// A flag that is tested.
#[cfg(all(
    feature = "branch",
    not(feature = "none"),
    all(
        target_arch = "x86_64",
        target_os = "linux",
        target_pointer_width = "64"
    )
))]
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    (($provider:ident $name:ident $flags:literal $way:ident) ($($text:tt)*) $let:tt $words:tt) => {{
        $crate::__check!($provider $name $($text)*);
        static POINT: $crate::abi::Point = $crate::site::point();
        if $crate::site::is_enabled(&POINT) {
            // SAFETY: no instruction is emitted, only entries of other sections.
            unsafe {
                ::core::arch::asm!(
                    $crate::__entry_text!("1", $flags, "0", "0",
                        $crate::__semaphore!($provider $name),
                        concat!(stringify!($provider), "\\n", stringify!($name), "\\n", file!(), "\\n", line!(), $($text)*)),
                    $crate::__semaphore_text!($crate::__semaphore!($provider $name)),
                    $crate::__object_text!(),
                    point = sym POINT,
                    options(att_syntax, nomem, nostack, preserves_flags),
                );
            }
            $crate::__on!($way POINT ($provider $name) $let $words);
        }
    }};
}

/// A no-op that becomes a jump.
#[cfg(all(
    not(feature = "branch"),
    not(feature = "none"),
    all(
        target_arch = "x86_64",
        target_os = "linux",
        target_pointer_width = "64"
    )
))]
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    (($provider:ident $name:ident $flags:literal $way:ident) ($($text:tt)*) $let:tt $words:tt) => {{
        $crate::__check!($provider $name $($text)*);
        static POINT: $crate::abi::Point = $crate::site::point();
        // SAFETY: the bytes at the site are a no-op, or a jump to the block at the end, which begins
        // and ends as any that is jumped to; the rest goes into other sections.
        unsafe {
            ::core::arch::asm!(
                // A prefix, not a further no-op: see the header for C.
                ".p2align 3, 0x2e, 1",
                "990: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00",
                $crate::__entry_text!("0", $flags, "990b - .", "{target} - .",
                    $crate::__semaphore!($provider $name),
                    concat!(stringify!($provider), "\\n", stringify!($name), "\\n", file!(), "\\n", line!(), $($text)*)),
                $crate::__semaphore_text!($crate::__semaphore!($provider $name)),
                $crate::__object_text!(),
                target = label { $crate::__on!($way POINT ($provider $name) $let $words); },
                point = sym POINT,
                options(att_syntax, nomem, nostack, preserves_flags),
            );
        }
    }};
}

/// Names that could not be read are errors of the compiler.
#[doc(hidden)]
#[macro_export]
macro_rules! __check {
    ($provider:ident $name:ident $($text:tt)*) => {
        const _: () = $crate::site::check_text(concat!(
            stringify!($provider), " ", stringify!($name), " ", $($text)*
        ));
    };
}

/// Symbol of the count of tracers that want a probe's sites open. No identifier has a dot, so no two probes have the same.
#[doc(hidden)]
#[macro_export]
macro_rules! __semaphore {
    ($provider:ident $name:ident) => {
        concat!(
            "perflab_semaphore.",
            stringify!($provider),
            ".",
            stringify!($name)
        )
    };
}

/// The out-of-line path: the handler, then the tracers in the kernel. With few arguments both get each word, with many
/// the address of all.
#[doc(hidden)]
#[macro_export]
macro_rules! __on {
    (few $point:ident $probe:tt ($($let:tt)*) ($([$($word:expr),*])*)) => {{
        $($let)*
        $crate::site::hit(&$point, [$($($word),*),*]);
        $crate::__traced!($probe ($crate::__places_text!($([$($word),*])*))
            $crate::site::places([$(&[$($word),*]),*]));
    }};
    (many $point:ident $probe:tt ($($let:tt)*) ($([$($word:expr),*])*)) => {{
        $($let)*
        let words = [$($($word),*),*];
        $crate::site::hit_record(&$point, &words);
        $crate::__traced!($probe ($crate::__first_places_text!()) &words);
    }};
}

/// Where tracers in the kernel stop, if there are any.
#[doc(hidden)]
#[macro_export]
macro_rules! __traced {
    (($provider:ident $name:ident) ($($text:tt)*) $places:expr) => {
        let tracers: u32;
        // SAFETY: it loads two bytes that `__semaphore_text` placed, which only the kernel changes.
        unsafe {
            ::core::arch::asm!(
                concat!("movzwl ", $crate::__semaphore!($provider $name), "(%rip), {tracers:e}"),
                tracers = out(reg) tracers,
                options(att_syntax, nostack, preserves_flags, readonly),
            );
        }
        if tracers != 0 {
            let places = $places;
            // SAFETY: a no-op that a tracer in the kernel stops at, to read the places.
            unsafe {
                ::core::arch::asm!(
                    $crate::__tracer_text!(stringify!($provider), stringify!($name),
                        $crate::__semaphore!($provider $name), $($text)*),
                    places = in(reg) places.as_ptr(),
                    options(att_syntax, nostack, preserves_flags, readonly),
                );
            }
        }
    };
}
