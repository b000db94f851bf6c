//! The handlers of the signals that a site under change raises: a thread that comes there goes on behind it.
#![expect(
    unsafe_code,
    reason = "a signal handler changes the interrupted thread's registers"
)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use perflab_abi::SITE_LENGTH;

use super::table::Table;

/// An instruction of one byte that raises a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// `udb`, which AMD and Intel keep undefined: SIGILL, at the instruction.
    Fault,
    /// `int3`: SIGTRAP, behind the instruction.
    Trap,
}

impl Stop {
    /// The instruction.
    pub fn byte(self) -> u8 {
        match self {
            Self::Fault => 0xd6,
            Self::Trap => 0xcc,
        }
    }

    /// What it raises.
    pub fn signal(self) -> c_int {
        match self {
            Self::Fault => libc::SIGILL,
            Self::Trap => libc::SIGTRAP,
        }
    }

    /// Name of the signal.
    pub fn signal_name(self) -> &'static str {
        match self {
            Self::Fault => "SIGILL",
            Self::Trap => "SIGTRAP",
        }
    }

    fn of_signal(signal: c_int) -> Self {
        if signal == libc::SIGILL {
            Self::Fault
        } else {
            Self::Trap
        }
    }

    /// How far behind the instruction's first byte the thread is when it gets the signal.
    fn behind(self) -> usize {
        match self {
            Self::Fault => 0,
            Self::Trap => 1,
        }
    }

    /// What was to be done with the signal before; set before the handler is installed.
    fn former(self) -> &'static AtomicPtr<libc::sigaction> {
        static FAULT: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
        static TRAP: AtomicPtr<libc::sigaction> = AtomicPtr::new(ptr::null_mut());
        match self {
            Self::Fault => &FAULT,
            Self::Trap => &TRAP,
        }
    }
}

/// Sites that may stop a thread, sorted.
static TABLE: Table<Vec<usize>> = Table {
    current: AtomicPtr::new(ptr::null_mut()),
    looking: AtomicUsize::new(0),
};

/// What may stand before a site, once, so that it begins where it can be written.
const PREFIX: u8 = 0x2e;

/// How often a table that is replaced is tried to be freed.
const PATIENCE: u32 = 1000;

/// Installs the handler, in front of another that there may be.
///
/// # Errors
/// When the kernel refuses.
pub fn install(stop: Stop) -> Result<(), String> {
    let Some(former) = action(stop.signal()) else {
        return Err(format!(
            "the action of {} cannot be read",
            stop.signal_name()
        ));
    };
    if former.sa_sigaction == handler_address() {
        return Ok(());
    }
    // Handlers may be looking at the one before, so it stays.
    stop.former()
        .store(Box::into_raw(Box::new(former)), Ordering::Release);
    // SAFETY: the handler has the signature of SA_SIGINFO.
    let result = unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = handler_address();
        // Its own stack if there is one: a coroutine's may be too small for the frame of a signal.
        // The signal stays deliverable meanwhile: a handler of the program that comes in between may
        // execute sites, and one that is blocked ends the process.
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART | libc::SA_NODEFER;
        libc::sigemptyset(&raw mut ours.sa_mask);
        libc::sigaction(stop.signal(), &raw const ours, ptr::null_mut())
    };
    if result != 0 {
        return Err(format!(
            "{} cannot be handled: {}",
            stop.signal_name(),
            std::io::Error::last_os_error()
        ));
    }
    Ok(())
}

/// Adds sites to the table. One caller at a time, as with `remove`: the agent's lock is held.
pub fn add(sites: impl Iterator<Item = usize>) {
    let mut all = TABLE.look(|sites| sites.cloned().unwrap_or_default());
    all.extend(sites);
    all.sort_unstable();
    all.dedup();
    TABLE.replace(all, PATIENCE);
}

/// Takes sites out of the table: their object goes.
pub fn remove(is_gone: impl Fn(usize) -> bool) {
    let mut left = TABLE.look(|sites| sites.cloned().unwrap_or_default());
    left.retain(|site| !is_gone(*site));
    TABLE.replace(left, PATIENCE);
}

/// After a fork: handlers that ran in other threads do not exist here.
pub fn forget_handlers() {
    TABLE.looking.store(0, Ordering::SeqCst);
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

/// The site of the instruction at an address, which may begin with a prefix.
fn site_of(stopped: usize, sites: &[usize]) -> Option<usize> {
    let site = *sites.get(sites.partition_point(|site| *site < stopped))?;
    // SAFETY: code that this thread came to.
    let is_prefix = || unsafe { ptr::read_volatile(stopped as *const u8) } == PREFIX;
    (site == stopped || (site == stopped + 1 && is_prefix())).then_some(site)
}

/// Calls nothing that could set `errno`, allocate, lock or touch what is the thread's own.
extern "C" fn handler(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let stop = Stop::of_signal(signal);
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel gives a context; its registers are this thread's.
    let next = unsafe { &mut (*context).uc_mcontext.gregs[libc::REG_RIP as usize] };
    // SAFETY: the kernel gives the signal's description.
    let by_instruction = unsafe { (*info).si_code } > 0;
    let stopped = (*next as usize).wrapping_sub(stop.behind());
    let site = TABLE.look(|sites| site_of(stopped, sites?));
    if let (Some(site), true) = (site, by_instruction) {
        *next = (site + SITE_LENGTH) as i64;
        return;
    }
    pass_on(stop, by_instruction, info, context.cast());
}

/// A signal that is not ours: what would have happened without us.
fn pass_on(stop: Stop, by_instruction: bool, info: *mut libc::siginfo_t, context: *mut c_void) {
    let signal = stop.signal();
    // SAFETY: set before the handler was installed, and never freed.
    let Some(former) = (unsafe { stop.former().load(Ordering::Acquire).as_ref() }) else {
        return;
    };
    match former.sa_sigaction {
        // The kernel ignores those only that somebody sent.
        libc::SIG_IGN if !by_instruction => {}
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: restores what ends the process. A fault repeats itself; any other is repeated here,
            // and comes when this handler returns.
            unsafe {
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &raw const default, ptr::null_mut());
                if stop == Stop::Trap || !by_instruction {
                    libc::raise(signal);
                }
            }
        }
        address => {
            if former.sa_flags & libc::SA_RESETHAND != 0 {
                // SAFETY: it asked to be called once; whatever comes next ends the process.
                unsafe {
                    let mut default: libc::sigaction = std::mem::zeroed();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &raw const default, ptr::null_mut());
                }
            }
            // SAFETY: plain bits; the mask from before comes back when this handler returns. What may stop
            // a thread stays deliverable, as its handler may execute sites.
            unsafe {
                let mut mask = former.sa_mask;
                libc::sigdelset(&raw mut mask, libc::SIGILL);
                libc::sigdelset(&raw mut mask, libc::SIGTRAP);
                libc::pthread_sigmask(libc::SIG_BLOCK, &raw const mask, ptr::null_mut());
            }
            if former.sa_flags & libc::SA_SIGINFO == 0 {
                // SAFETY: the program gave it as a handler of this kind.
                let handler =
                    unsafe { std::mem::transmute::<usize, extern "C" fn(c_int)>(address) };
                handler(signal);
            } else {
                // SAFETY: the program gave it as a handler of this kind.
                let handler = unsafe {
                    std::mem::transmute::<
                        usize,
                        extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
                    >(address)
                };
                handler(signal, info, context);
            }
        }
    }
}
