//! Decisions of which filter programs are made.

use super::collection::Collection;

pub fn collect(all: &mut Collection<'_>) {
    for (name, count) in [("short", 60), ("medium", 200), ("long", 800)] {
        for seed in 0..4_u32 {
            let mut state = seed;
            let bytes = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            });
            let bytes: Vec<u8> = bytes.take(count).collect();
            all.add("filter_program", format!("{name}-{seed}"), bytes);
        }
    }
}
