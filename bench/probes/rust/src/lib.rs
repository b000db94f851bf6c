//! The loops of `loops.h` in Rust: without sites, with `perflab_probe::probe!`, with `tracing::trace!`.
use std::arch::asm;

type Loop = extern "C" fn(u64, u64);

/// What lies before each site in the loop `work`: registers that the compiler knows nothing of.
macro_rules! work {
    ($x:tt, $y:tt) => {
        if WORK {
            // SAFETY: it changes the registers that it names and reads the top of the stack.
            unsafe {
                asm!(
                    concat!("add ", $x, ", rcx"),
                    concat!("add ", $y, ", rcx"),
                    "mov rax, [rsp]",
                    "mov edx, eax",
                    out("rax") _, out("rcx") _, out("rdx") _, out($x) _, out($y) _,
                );
            }
        }
    };
}

/// A loop with 16 times the same statement, moved by `LAYOUT` bytes.
macro_rules! make {
    ($name:ident: $a:ident, $b:ident, $site:stmt) => {
        /// The loop of that kind: 0 for `tight`, 1 for `work`; a layout from 0 to 63.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(work: i32, layout: i32, times: u64, a: u64) {
            #[inline(never)]
            extern "C" fn run<const WORK: bool, const LAYOUT: usize>(times: u64, $a: u64) {
                // SAFETY: no-ops.
                unsafe { asm!(".skip {layout}, 0x90", layout = const LAYOUT) };
                let mut $b = times;
                while $b != 0 {
                    // SAFETY: nothing; it keeps a loop without sites from being left out.
                    unsafe { asm!("") };
                    make!(@two $site);
                    make!(@two $site);
                    make!(@two $site);
                    make!(@two $site);
                    make!(@two $site);
                    make!(@two $site);
                    make!(@two $site);
                    make!(@two $site);
                    $b -= 1;
                }
                let _ = $a;
            }
            make!(@all run work layout times a;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
                32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
                61 62 63);
        }
    };
    (@two $site:stmt) => {
        work!("r8", "r9");
        $site
        work!("r10", "r11");
        $site
    };
    (@all $run:ident $work:ident $layout:ident $times:ident $a:ident; $($number:literal)*) => {
        static TIGHT: [Loop; 64] = [$($run::<false, $number>),*];
        static WORK: [Loop; 64] = [$($run::<true, $number>),*];
        let all = if $work == 0 { &TIGHT } else { &WORK };
        all[$layout as usize % 64]($times, $a);
    };
}

make!(rust_nothing: a, b, ());
make!(rust_patched: a, b, perflab_probe::probe!(cost, site, a: i64 = a as i64, b: i64 = b as i64));
make!(rust_tracing: a, b, tracing::trace!(a, b));

/// Listens to everything. Nothing calls it, but that something could is what `trace!` must reckon with:
/// in a program that never sets a subscriber, the compiler drops it.
#[unsafe(no_mangle)]
pub extern "C" fn rust_listen() {
    let _ = tracing::subscriber::set_global_default(Listener);
}

struct Listener;

impl tracing::Subscriber for Listener {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}
