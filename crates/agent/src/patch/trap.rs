//! The handler of SIGTRAP: a thread that comes to a site under change goes on behind it.
#![expect(
    unsafe_code,
    reason = "a signal handler changes the interrupted thread's registers"
)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use perflab_probe_abi::SITE_LENGTH;

/// The instruction of one byte that traps.
pub const INT3: u8 = 0xcc;

/// Sites that may trap, sorted. Replaced whole; null while there was none.
static TABLE: AtomicPtr<Vec<usize>> = AtomicPtr::new(ptr::null_mut());

/// Handlers that may look at a table.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// What was to be done with SIGTRAP before; set once, before the handler is installed.
static FORMER: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());

/// Who has SIGTRAP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Nobody.
    Default,
    /// This module.
    Ours,
    /// The program, or another library in it.
    Other,
}

/// Who has SIGTRAP now.
pub fn owner() -> Owner {
    match action(libc::SIGTRAP) {
        Some(action) if action.sa_sigaction == handler_address() => Owner::Ours,
        Some(action) if action.sa_sigaction == libc::SIG_DFL => Owner::Default,
        _ => Owner::Other,
    }
}

/// Whether the program has a handler during which SIGTRAP is blocked.
pub fn is_blocked_by_a_handler() -> bool {
    (1..=libc::SIGRTMAX())
        .filter(|signal| *signal != libc::SIGTRAP)
        .filter_map(action)
        .any(|action| {
            // SAFETY: a set of signals that the kernel filled.
            let blocks =
                unsafe { libc::sigismember(&raw const action.sa_mask, libc::SIGTRAP) == 1 };
            blocks && action.sa_sigaction != libc::SIG_DFL && action.sa_sigaction != libc::SIG_IGN
        })
}

/// Installs the handler, in front of another that there may be.
///
/// # Errors
/// When the kernel refuses.
pub fn install() -> Result<(), String> {
    if owner() == Owner::Ours {
        return Ok(());
    }
    let Some(former) = action(libc::SIGTRAP) else {
        return Err("the action of SIGTRAP cannot be read".to_owned());
    };
    // Handlers may be looking at the former one, so it stays.
    FORMER.store(Box::into_raw(Box::new(former)), Ordering::Release);
    // SAFETY: the handler has the signature of SA_SIGINFO.
    let result = unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handler_address();
        // Its own stack if there is one: a coroutine's may be too small for the frame of a signal.
        // SIGTRAP stays deliverable meanwhile: a handler of the program that comes in between may execute
        // sites, and a trap that is blocked ends the process.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
        libc::sigemptyset(&raw mut ours.sa_mask);
        libc::sigaction(libc::SIGTRAP, &raw const ours, ptr::null_mut())
    };
    if result != 0 {
        return Err(format!(
            "SIGTRAP cannot be handled: {}",
            std::io::Error::last_os_error()
        ));
    }
    Ok(())
}

/// Adds sites to the table.
pub fn add(sites: impl Iterator<Item = usize>) {
    // SAFETY: only this module makes tables, one caller at a time (the agent's lock).
    let old = unsafe { TABLE.load(Ordering::Acquire).as_ref() };
    let mut table: Vec<usize> = old.into_iter().flatten().copied().chain(sites).collect();
    table.sort_unstable();
    table.dedup();
    replace(table);
}

/// Takes the sites in a range out of the table: their object goes.
pub fn remove(is_gone: impl Fn(usize) -> bool) {
    // SAFETY: as in `add`.
    let old = unsafe { TABLE.load(Ordering::Acquire).as_ref() };
    if let Some(old) = old {
        replace(old.iter().copied().filter(|site| !is_gone(*site)).collect());
    }
}

fn replace(table: Vec<usize>) {
    let old = TABLE.swap(Box::into_raw(Box::new(table)), Ordering::SeqCst);
    if old.is_null() {
        return;
    }
    // A handler counts itself before it loads the table, in one order that all see. So if there is none
    // after the exchange, none has the old table. If there is one all the time, the table is left.
    for _ in 0..1000 {
        if LOOKING.load(Ordering::SeqCst) == 0 {
            // SAFETY: it came from a box, and nobody has it any more.
            drop(unsafe { Box::from_raw(old) });
            return;
        }
        std::thread::yield_now();
    }
}

/// After a fork: handlers that ran in other threads do not exist here.
pub fn forget_handlers() {
    LOOKING.store(0, Ordering::SeqCst);
}

fn action(signal: c_int) -> Option<libc::sigaction> {
    // SAFETY: an action is filled by the kernel, or the call fails.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (libc::sigaction(signal, ptr::null(), &raw mut action) == 0).then_some(action)
    }
}

fn handler_address() -> usize {
    handler as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize
}

/// Calls nothing that could set `errno`, allocate, lock or touch what is the thread's own.
extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel gives a context; its registers are this thread's.
    let next = unsafe { &mut (*context).uc_mcontext.gregs[libc::REG_RIP as usize] };
    let site = (*next as usize).wrapping_sub(1);
    LOOKING.fetch_add(1, Ordering::SeqCst);
    // SAFETY: a table stays while somebody looks, see `replace`.
    let table = unsafe { TABLE.load(Ordering::SeqCst).as_ref() };
    let found = table.is_some_and(|table| table.binary_search(&site).is_ok());
    LOOKING.fetch_sub(1, Ordering::SeqCst);
    if found {
        *next = (site + SITE_LENGTH) as i64;
        return;
    }
    pass_on(signal, info, context.cast());
}

/// A trap that is not ours: what would have happened without us.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: set before the handler was installed, and never freed.
    let Some(former) = (unsafe { FORMER.load(Ordering::Acquire).as_ref() }) else {
        return;
    };
    match former.sa_sigaction {
        libc::SIG_IGN => {}
        libc::SIG_DFL => {
            // SAFETY: restores what was, and repeats the signal, which ends the process when this
            // handler returns.
            unsafe {
                libc::sigaction(libc::SIGTRAP, former, ptr::null_mut());
                libc::raise(libc::SIGTRAP);
            }
        }
        address if former.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: the program gave it as a handler of this kind.
            let handler = unsafe {
                std::mem::transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(
                    address,
                )
            };
            handler(signal, info, context);
        }
        address => {
            // SAFETY: the program gave it as a handler of this kind.
            let handler = unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(address) };
            handler(signal);
        }
    }
}
