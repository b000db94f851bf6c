//! Loops that do nothing but read, one for each flavour of liburcu: `scripts/prove-rcu-code` looks at their
//! instructions.
#![expect(
    unsafe_code,
    reason = "their names in the program are those that the script looks for"
)]

use std::hint::{black_box, cold_path};
use std::sync::atomic::{AtomicBool, Ordering};

use perflab_rcu::urcu::{Bp, Checked, Forced, Locked, Mb, Memb, Mfence, Qsbr, Signal};
use perflab_rcu::{Guarded, Reader};

macro_rules! loops {
    ($($name:ident: $flavour:ty,)+) => {
        $(
            // SAFETY: nothing else in this program has this name.
            #[unsafe(no_mangle)]
            #[inline(never)]
            fn $name(
                reader: &mut Reader<$flavour>,
                pointer: &Guarded<u32, $flavour>,
                ends: &AtomicBool,
            ) -> u64 {
                let mut sum = 0;
                loop {
                    let section = reader.enter();
                    if let Some(object) = pointer.load(&section) {
                        sum += u64::from(*object);
                    } else {
                        // A C compiler takes it for granted that most pointers lead somewhere.
                        cold_path();
                    }
                    drop(section);
                    if ends.load(Ordering::Relaxed) {
                        return sum;
                    }
                }
            }
        )+

        fn main() {
            black_box([$($name as *const (),)+]);
        }
    };
}

loops! {
    reads_qsbr: Qsbr,
    reads_bp: Bp<Mfence>,
    reads_memb: Memb<Checked, Mfence>,
    reads_memb_forced: Memb<Forced, Mfence>,
    reads_mb: Mb<Mfence>,
    reads_mb_locked: Mb<Locked>,
    reads_signal: Signal,
}
