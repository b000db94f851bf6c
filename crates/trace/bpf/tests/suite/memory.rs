//! Memory for native code: executable, never writable, and given back.

#![expect(
    unsafe_code,
    reason = "code is called that was made here, and limits of the process are set"
)]

use std::io;
use std::process::Command;
use std::sync::Arc;

use libc::c_long;
use perflab_bpf::{Class, Code, Place, Target, emit, publish};
use perflab_testing::{not_checked, test_name};

use crate::assembler::*;

extern "C" fn seven() -> u32 {
    7
}

/// Code that rejects all events, which comes to `seven`.
fn made(refused: &[c_long]) -> Result<Code, Vec<String>> {
    let lowered = lowered(&[import(Class::Integer, "a")], &[set(0, 0), exit()], &[]);
    let target = Target {
        reject: seven as *const () as usize,
        ..target(true)
    };
    let emitted = emit(&Arc::new(lowered), &[Place::Number(0)], &target).unwrap();
    publish(emitted, &mut |call, _| {
        if refused.contains(&call) {
            Err(io::Error::other("it is refused"))
        } else {
            Ok(())
        }
    })
}

fn call(code: &Code) -> u32 {
    // SAFETY: it goes on in a function like that.
    unsafe {
        let code = std::mem::transmute::<*const (), extern "C" fn() -> u32>(code.entry());
        code()
    }
}

/// The line of the list of mappings that has the code, without its addresses.
fn mapping(code: &Code) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mut lines = maps.lines().map(|line| line.split_once(' ').unwrap());
    let found = lines.find(|(range, _)| {
        let (start, end) = range.split_once('-').unwrap();
        let [start, end] = [start, end].map(|text| usize::from_str_radix(text, 16).unwrap());
        (start..end).contains(&code.entry().addr())
    });
    found.unwrap().1.to_owned()
}

/// Whether this process runs one test alone, as what that does has no way back. Else it starts one that does.
fn is_alone(name: &str) -> bool {
    const VARIABLE: &str = "PERFLAB_TEST_ALONE";
    if std::env::var_os(VARIABLE).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:#?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("1 passed"), "{said}");
    false
}

#[test]
fn both_ways() {
    let by_file = made(&[]).unwrap();
    let by_memory = made(&[libc::SYS_memfd_create]).unwrap();
    for (code, is_file) in [(&by_file, true), (&by_memory, false)] {
        assert_eq!(call(code), 7, "{is_file}");
        assert_eq!(code.bytes(), 4096);
        assert!((4096..4500).contains(&code.memory()), "{}", code.memory());
        let mapping = mapping(code);
        assert!(mapping.starts_with("r-xp"), "{mapping}");
        assert_eq!(mapping.contains("perflab-filter"), is_file, "{mapping}");
        // SAFETY: a page is mapped.
        let page = unsafe { std::slice::from_raw_parts(code.entry().cast::<u8>(), 4096) };
        // One instruction and one address.
        assert!(page[16..].iter().all(|byte| *byte == 0xcc));
    }
}

#[test]
fn no_way() {
    let expected = [
        "a file in memory: it is refused",
        "pages written through /proc/self/mem: it is refused",
    ];
    assert_eq!(made(&[libc::SYS_mmap]).unwrap_err(), expected);
    // A file without seals is none, nor one of which nobody knows how large it may be.
    for call in [libc::SYS_fcntl, libc::SYS_prlimit64] {
        let code = made(&[call]).unwrap();
        assert!(!mapping(&code).contains("perflab-filter"));
    }
}

/// A process in which nothing becomes executable that was writable.
#[test]
fn with_memory_denial() {
    if !is_alone("memory::with_memory_denial") {
        return;
    }
    // SAFETY: it takes numbers only.
    let result = unsafe { libc::prctl(libc::PR_SET_MDWE, 1_u64, 0_u64, 0_u64, 0_u64) };
    if result != 0 {
        not_checked(&test_name(), "the kernel has no PR_SET_MDWE");
        return;
    }
    assert_eq!(call(&made(&[]).unwrap()), 7);
    assert_eq!(call(&made(&[libc::SYS_memfd_create]).unwrap()), 7);
}

/// One that is too large would end the process by a signal.
#[test]
fn where_files_have_no_bytes() {
    if !is_alone("memory::where_files_have_no_bytes") {
        return;
    }
    let limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: it reads the limit.
    let result = unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
    assert_eq!(result, 0);
    let code = made(&[]).unwrap();
    assert_eq!(call(&code), 7);
    assert!(!mapping(&code).contains("perflab-filter"));
}

/// No memory is both writable and executable while there is code, and all is given back.
#[test]
fn what_is_mapped() {
    if !is_alone("memory::what_is_mapped") {
        return;
    }
    let maps = || std::fs::read_to_string("/proc/self/maps").unwrap();
    let files = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut before = None;
    for round in 0..1000 {
        let refused = [libc::SYS_memfd_create];
        let both = [made(&[]).unwrap(), made(&refused).unwrap()];
        assert_eq!(both.each_ref().map(call), [7, 7]);
        let during = maps();
        let mut flags = during.lines().map(|line| line.split(' ').nth(1).unwrap());
        let is_both = |flags: &str| flags.contains('w') && flags.contains('x');
        assert!(!flags.any(is_both), "{during}");
        drop(both);
        assert!(!maps().contains("perflab-filter"), "round {round}");
        assert_eq!(*before.get_or_insert_with(files), files(), "round {round}");
    }
}
