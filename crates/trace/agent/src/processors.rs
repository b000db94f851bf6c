//! The processors that threads of this process may run on.
#![expect(unsafe_code, reason = "affinity has no safe wrapper")]

use std::io;

/// Does something on each processor that threads of this process may run on.
///
/// # Errors
/// When the calling thread cannot move, or not back.
pub fn on_each_processor(mut act: impl FnMut()) -> io::Result<()> {
    let before = affinity()?;
    // Threads of the process may run where this one may not yet: try all, and skip what is refused, as
    // such processors are offline or not the process's.
    let mut visited = 0;
    for cpu in 0..libc::CPU_SETSIZE as usize {
        // SAFETY: a set of processors is plain bits.
        let mut one: libc::cpu_set_t = unsafe { std::mem::zeroed() };
        // SAFETY: `cpu` is within the set.
        unsafe { libc::CPU_SET(cpu, &mut one) };
        if set_affinity(&one).is_ok() {
            // SAFETY: gives up the processor, so that it is one that we came to by the scheduler.
            unsafe { libc::sched_yield() };
            act();
            visited += 1;
        }
    }
    set_affinity(&before)?;
    if visited == 0 {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(())
}

fn affinity() -> io::Result<libc::cpu_set_t> {
    // SAFETY: a set of processors is plain bits, and has the size that is said.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(set)
    }
}

fn set_affinity(set: &libc::cpu_set_t) -> io::Result<()> {
    // SAFETY: it has the size that is said.
    let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), set) };
    if result != 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
