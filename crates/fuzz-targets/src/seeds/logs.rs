//! Append-only files.

use super::collection::Collection;

pub fn collect(all: &mut Collection<'_>) {
    let target = "aof";
    all.add(
        target,
        "blocks",
        b"\n*1\r\n$4\r\nPING\r\n\0\0#block 00000004 1340d049 26d80bc9\nPING\n".as_slice(),
    );
    all.add(
        target,
        "damaged",
        b"\nfirst\0second\0third\xff\0\x2a\x01".as_slice(),
    );
    all.add(
        target,
        "cut",
        b"\nfirst\0second\0third\xff\0\x60\0".as_slice(),
    );
    all.add(
        target,
        "whole",
        "=\n#perflab-aof 1 0123456789abcdef 65fd416c\n#block 00000004 1340d049 26d80bc9\nPING\n",
    );
    // It claims 4 GiB, by a sound header.
    all.add(
        target,
        "huge",
        "=\n#perflab-aof 1 0123456789abcdef 65fd416c\n#block ffffffff 00000000 95d3ff56\nPING\n",
    );
    all.add(target, "version", "=\n#perflab-aof 2 \n");
}
