//! What agents say and write, and traces.

use super::collection::Collection;

const TRACE: &str = "crates/trace/file/tests/golden/small.trace";

pub fn collect(all: &mut Collection<'_>) {
    probe_abi(all);
    ring_files(all);
    all.add_file("trace_file", "whole", "", TRACE);
    all.add_file("trace_file", "mended", "m\n", TRACE);
}

fn probe_abi(all: &mut Collection<'_>) {
    let target = "probe_abi";
    all.add(
        target,
        "description",
        "d\nredis\ncommand\nsrc/server.c\n3541\ni32 fd\nenum(GET=0, SET=1) kind\nbytes key",
    );
    let types = ["u64", "cstr", "str_nofault", "f32"];
    let lines = types.map(|kind| format!("\n{kind} a")).concat().repeat(16);
    all.add(target, "many", format!("d\nkv\ncommand\nkv.c\n7{lines}"));
    all.add(target, "names", "p\nredis:*, shop:request_start ,x");
    let header = b"PFLB\x01\0\x80\0\x40\0\0\0";
    let counts = [b'0'; 28];
    let rest = b"\x04\0/bin\x0e\0p\nn\nf\n1\ncstr a";
    all.add(
        target,
        "site",
        [b"m\n".as_slice(), header, &counts, rest].concat(),
    );
    let filter = b"\x01\0\x02\x03\0\0\0\x05\0x > 1\x06\0absent";
    all.add(
        target,
        "site-filtered",
        [b"m\n".as_slice(), header, &counts, rest, filter].concat(),
    );
    // The text of an import, an instruction, and a literal.
    let alternative = b"\x01\x02\x01\0a\x08\0\0\0\x95\0\0\0\0\0\0\0\x03\0\0\0SET";
    let head = b"\x01\x01\0*\x05\0\0\0\0\0\0\0\x01\x08\0a == 'b'\x02";
    let filter = [head.as_slice(), alternative, alternative].concat();
    all.add(target, "filter", [b"w\n".as_slice(), &filter].concat());
    let stops = b"t\n\x02\x06\0shop:*\x07\0\0\0\0\0\0\0";
    all.add(target, "trigger", [stops.as_slice(), &filter].concat());
    let hits = b"v\n\x07\0\0\0\0\0\0\0\x03\x03\0\0\0SET";
    all.add(target, "value", hits.as_slice());
    all.add(target, "digits", "h\n01fFa90000");
    let times = [7u8; 24];
    let became = b"f\n\x03\0a:b\x02\0\0\0\x01\x09\x03\0\0\x07\0\0\0";
    all.add(
        target,
        "filtered",
        [became.as_slice(), &times, b"\x02\0no"].concat(),
    );
}

/// A ring that nothing changes, of a process that has ended and of one that runs; one word at the head of a ring that is
/// read while it is kept; a ring that is cut short; a chunk behind those of the process.
fn ring_files(all: &mut Collection<'_>) {
    let target = "ring_files";
    all.add(target, "dead", b"\n\0");
    all.add(target, "living", b"\n\x03");
    all.add(target, "position", b"\n\x03\x01\x08\0\0\0\0\x40\0\0\0\0");
    all.add(target, "cut", b"\n\x0f");
    all.add(
        target,
        "probe",
        b"c\n\x02\x1b\0\0\0\0\0\x03\0\0\0\0\0\x0f\0p\nm\nf\n1\ni8 abcde",
    );
}
