//! Libraries that misbehave: none of them gives a number, and each is named.

use crate::possible::{FAKE, library};
use crate::{Said, rcu};

/// Calls a command with the libraries of a directory.
fn with(directory: &str, arguments: &[&str]) -> Said {
    rcu(&[arguments, &["--libraries", directory]].concat())
}

/// Calls a command on memb, whose library is the small one, compiled with these arguments.
fn of_memb(arguments: &[&str], more: &[&str]) -> Said {
    let directory = library("memb", &[&["-DFLAVOUR=memb", FAKE], more].concat(), "");
    with(directory.to_str().unwrap(), arguments)
}

#[test]
fn a_memb_that_soon_calls_membarrier_no_more_gives_no_number() {
    let run = [
        "run",
        "memb",
        "--readers",
        "1",
        "--writers",
        "1",
        "--milliseconds",
        "1000",
    ];
    let said = of_memb(&run, &["-DTIRED"]).code(4);
    assert!(said.out.is_empty(), "{}", said.out);
    let words = "waits of 1 writer with 1 reader, calls of membarrier(PRIVATE_EXPEDITED): ";
    assert!(said.err.contains(words), "{}", said.err);
}

#[test]
fn a_membarrier_that_failed_is_no_evidence() {
    let said = of_memb(&["possible", "memb"], &["-DFLAGS=77"]).code(77);
    let words = "MEMBARRIER_CMD_PRIVATE_EXPEDITED: 0, expected at least 2; membarrier failed: Invalid argument (os \
                 error 22)\n";
    assert!(said.out.ends_with(words), "{}", said.out);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_library_that_calls_the_kernel_itself_is_refused() {
    let said = of_memb(&["possible", "memb"], &["-DINSTRUCTION"]).code(77);
    let words =
        "liburcu-memb.so.8 has the instruction syscall, so its system calls cannot be counted\n";
    assert!(said.out.ends_with(words), "{}", said.out);
}

/// Standard output is the program's own.
#[test]
fn what_a_library_prints_is_no_part_of_an_answer() {
    let prints = "#include <unistd.h>
__attribute__((constructor)) static void prints(void) { write(1, \"{\\n\", 2); }
";
    let directory = library("memb", &["-DFLAVOUR=memb", FAKE], prints);
    let directory = directory.to_str().unwrap();
    let run = ["run", "memb", "--readers", "1", "--milliseconds", "100"];
    let said = with(directory, &run).code(0);
    assert_eq!(
        (said.json()["flavour"].as_str(), &*said.err),
        (Some("memb"), "{\n")
    );
    let said = with(directory, &["possible", "memb", "--json"]).code(0);
    assert_eq!(said.json()["available"], true);
    let said = with(directory, &["list", "--json"]).code(0);
    assert!(said.json().is_array(), "{}", said.out);
}
