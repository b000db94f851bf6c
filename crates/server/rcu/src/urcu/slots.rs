//! Counts what a library asks of the kernel, at the slots through which it calls libc.
//!
//! liburcu calls membarrier and futex through `syscall`, and `poll` and `pthread_kill` by their names. A function of
//! this module takes the place of each in the slots of that one library. It counts the call for the flavour, and
//! makes it. Nothing else of the process is touched, and nothing is hidden from the library: arguments, results and
//! `errno` are those of libc. The one exception is asked for: as memb-global, expedited membarriers are made global
//! ones.
#![expect(
    unsafe_code,
    reason = "functions take the place of libc's in another object"
)]

use std::ffi::{CStr, c_int, c_long};
use std::io;
use std::sync::atomic::Ordering;

use crate::counts::{Counters, count};

use super::elf::Object;
use super::load::Liburcu;

/// Counts the calls of a library for the flavour F, from here on.
///
/// # Errors
/// If they cannot be counted: a full sentence but for its beginning, which says who is meant.
pub fn count_calls<F: Liburcu>(object: &Object) -> Result<(), String> {
    if object.has_syscall() {
        return Err(format!(
            "{} has the instruction syscall, so its system calls cannot be counted",
            object.file.display()
        ));
    }
    let functions: [(&CStr, usize); 3] = [
        (c"syscall", syscall::<F> as *const () as usize),
        (c"poll", poll::<F> as *const () as usize),
        (c"pthread_kill", pthread_kill::<F> as *const () as usize),
    ];
    for (name, function) in functions {
        let shown = name.to_string_lossy();
        let slots = object.slots(name);
        if slots.is_empty() && name == c"syscall" {
            return Err(format!(
                "{} has no slot for {shown}, so its system calls cannot be counted",
                object.file.display()
            ));
        }
        for slot in slots {
            // SAFETY: a slot of this object for a function of libc; ours of the same name takes and returns the same.
            unsafe { object.put(slot, function) }.map_err(|error| {
                let file = object.file.display();
                format!("calls of {shown} in {file} cannot be counted: mprotect: {error}")
            })?;
        }
    }
    Ok(())
}

/// As libc's, which takes any number of arguments. Integers and pointers are passed in the same places however many
/// there are: six in registers, the seventh on the stack. So all seven are passed on. Where there are fewer, the others
/// are what the places hold, which the kernel does not look at.
unsafe extern "C" fn syscall<F: Liburcu>(
    number: c_long,
    mut first: c_long,
    second: c_long,
    third: c_long,
    fourth: c_long,
    fifth: c_long,
    sixth: c_long,
) -> c_long {
    let counters = F::domain().counters();
    // The library passes them as `int`, so only the lower half is theirs.
    let (membarrier, futex) = (first as c_int, second as c_int);
    match number {
        libc::SYS_membarrier
            if F::AS_GLOBAL && membarrier == libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED =>
        {
            first = c_long::from(libc::MEMBARRIER_CMD_GLOBAL);
        }
        libc::SYS_futex => match futex & libc::FUTEX_CMD_MASK {
            libc::FUTEX_WAIT => count(&counters.futex_waits),
            libc::FUTEX_WAKE => count(&counters.futex_wakes),
            _ => {}
        },
        _ => {}
    }
    // SAFETY: the call that the library makes, with its arguments.
    let answer = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if number == libc::SYS_membarrier {
        count_membarrier(counters, first as c_int, answer);
    }
    answer
}

/// A call that failed was no barrier. Nothing here changes `errno`.
fn count_membarrier(counters: &Counters, command: c_int, answer: c_long) {
    if answer < 0 {
        let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
        counters.membarrier_error.store(error, Ordering::Relaxed);
        return;
    }
    match command {
        libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED => count(&counters.membarrier_expedited),
        libc::MEMBARRIER_CMD_GLOBAL => count(&counters.membarrier_global),
        command if is_no_barrier(command) => {}
        _ => count(&counters.membarrier_other),
    }
}

/// Whether a command of membarrier asks or registers, and orders nothing.
fn is_no_barrier(command: c_int) -> bool {
    /// MEMBARRIER_CMD_GET_REGISTRATIONS of `linux/membarrier.h`, which the crate `libc` lacks.
    const GET_REGISTRATIONS: c_int = 1 << 9;
    matches!(
        command,
        libc::MEMBARRIER_CMD_QUERY
            | libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
            | libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED
            | libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE
            | libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ
            | GET_REGISTRATIONS
    )
}

unsafe extern "C" fn poll<F: Liburcu>(
    descriptors: *mut libc::pollfd,
    number: libc::nfds_t,
    milliseconds: c_int,
) -> c_int {
    count(&F::domain().counters().polls);
    // SAFETY: the call that the library makes, with its arguments.
    unsafe { libc::poll(descriptors, number, milliseconds) }
}

unsafe extern "C" fn pthread_kill<F: Liburcu>(thread: libc::pthread_t, signal: c_int) -> c_int {
    // SAFETY: the call that the library makes, with its arguments.
    let result = unsafe { libc::pthread_kill(thread, signal) };
    let counters = F::domain().counters();
    if result == 0 {
        count(&counters.signals_sent);
    } else {
        counters.signal_error.store(result, Ordering::Relaxed);
    }
    result
}
