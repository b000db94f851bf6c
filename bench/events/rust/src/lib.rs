//! The loop of `events.c` in Rust: with `perflab_probe::probe!`, `tracing::trace!` and an event of fastrace.
use std::arch::asm;
use std::cell::{Cell, UnsafeCell};

use fastrace::Event;
use fastrace::local::{LocalCollector, LocalSpan};

type Loop = extern "C" fn(u64, u64);

/// A loop with a statement, moved by `LAYOUT` bytes.
macro_rules! make {
    ($name:ident: $a:ident, $b:ident, $state:pat_param = $begin:expr, $event:stmt) => {
        /// The loop of that kind at a layout from 0 to 63.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_work: i32, layout: i32, times: u64, a: u64) {
            #[inline(never)]
            extern "C" fn run<const LAYOUT: usize>(times: u64, $a: u64) {
                let $state = $begin;
                // SAFETY: no-ops.
                unsafe { asm!(".skip {layout}, 0x90", layout = const LAYOUT) };
                let mut $b = times;
                while $b != 0 {
                    $event
                    $b -= 1;
                }
                let _ = $a;
            }
            make!(@all run layout times a;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
                32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60
                61 62 63);
        }
    };
    (@all $run:ident $layout:ident $times:ident $a:ident; $($number:literal)*) => {
        static ALL: [Loop; 64] = [$($run::<$number>),*];
        ALL[$layout as usize % 64]($times, $a);
    };
}

make!(rust_recorded: a, b, () = (), perflab_probe::probe!(cost, pair, a: u64 = a, b: u64 = b));
make!(rust_tracing: a, b, () = (), tracing::trace!(a, b));
make!(rust_fastrace: a, b, mut collector = Some(LocalCollector::start()), {
    // A collector takes 10240 events and no more.
    if b % 8192 == 0 {
        drop(collector.take().map(LocalCollector::collect));
        collector = Some(LocalCollector::start());
    }
    LocalSpan::add_event(
        Event::new("pair").with_properties(|| [("a", a.to_string()), ("b", b.to_string())]),
    );
});

/// Before the first event.
#[unsafe(no_mangle)]
pub extern "C" fn rust_begin() {
    let _ = tracing::subscriber::set_global_default(Recorder);
}

/// The same as `minimal` of `events.c` for each event of tracing: its time and its fields, in a ring of the
/// thread's own.
struct Recorder;

#[repr(C)]
#[derive(Clone, Copy)]
struct Record {
    number: u64,
    time: u64,
    values: [u64; 2],
}

const RECORDS: usize = (256 << 10) / size_of::<Record>();

thread_local! {
    static RECORDS_OF_THREAD: UnsafeCell<[Record; RECORDS]> = const {
        UnsafeCell::new([Record { number: 0, time: 0, values: [0; 2] }; RECORDS])
    };
    static PLACE: Cell<usize> = const { Cell::new(0) };
}

impl tracing::Subscriber for Recorder {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        let mut values = Values {
            values: [0; 2],
            next: 0,
        };
        // SAFETY: every processor that this is built for has it.
        let time = unsafe { std::arch::x86_64::_rdtsc() };
        event.record(&mut values);
        let number = std::ptr::from_ref(event.metadata()).addr() as u64;
        let place = PLACE.get();
        RECORDS_OF_THREAD.with(|records| {
            // SAFETY: the thread's own, and only this function comes to it.
            unsafe {
                (*records.get())[place] = Record {
                    number,
                    time,
                    values: values.values,
                }
            };
        });
        PLACE.set((place + 1) % RECORDS);
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

struct Values {
    values: [u64; 2],
    next: usize,
}

impl tracing::field::Visit for Values {
    fn record_u64(&mut self, _: &tracing::field::Field, value: u64) {
        self.values[self.next] = value;
        self.next ^= 1;
    }
    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn std::fmt::Debug) {}
}
