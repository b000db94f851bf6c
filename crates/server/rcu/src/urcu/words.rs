//! The words of liburcu that readers touch, and the functions that they call, as soname 8 has them.
//!
//! Only these of the library's words are used: the grace period's counter and futex, the reader's counter, and
//! `has_sys_membarrier`. They are shared with plain accesses of C that are aligned and of one word each, as all of
//! liburcu takes for granted.
#![expect(
    unsafe_code,
    reason = "symbols of a library are taken for what their names say"
)]

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, AtomicU64};

use crate::unavailable::Unavailable;

use super::library::Handle;

/// The bits of a reader's word that count its sections. It is 0 outside of sections.
pub const NEST: u64 = PHASE - 1;

/// The bit that a grace period flips, in the words of gp and of readers in sections.
pub const PHASE: u64 = 1 << 32;

/// The beginning of the symbol `urcu_F_gp`.
#[repr(C)]
pub struct Gp {
    /// A reader stores it in its own word when it enters a section, or is online.
    pub ctr: AtomicU64,
    /// -1 while a grace period sleeps. bp has memory here that nobody uses.
    pub futex: AtomicI32,
}

/// The words of the library that all threads share.
#[derive(Clone, Copy)]
pub struct Shared {
    /// The grace period's.
    pub gp: &'static Gp,
    /// Whether the library uses membarrier: 1 if it cannot do without, or if its flavour has nothing to do with that.
    pub has: &'static AtomicI32,
}

/// A function without arguments and result.
pub type Function = unsafe extern "C" fn();

/// The functions that are called. Those of the read side are called while the library is looked at, and never by
/// readers, but for what only the library knows.
pub struct Functions {
    /// Makes the calling thread a reader.
    pub register: Function,
    /// Takes that back. bp does it by itself when a thread ends.
    pub unregister: Option<Function>,
    /// Opens a section.
    pub read_lock: Function,
    /// Ends it.
    pub read_unlock: Function,
    /// Whether the calling thread is in a section; of qsbr, whether it is online.
    pub read_ongoing: unsafe extern "C" fn() -> c_int,
    /// Waits for a grace period.
    pub synchronize: Function,
    /// Functions that only qsbr has.
    pub states: Option<States>,
}

/// Functions of qsbr.
#[derive(Clone, Copy)]
pub struct States {
    /// Announces a quiescent state.
    pub quiescent: Function,
    /// Announces that there is no section from here on.
    pub offline: Function,
    /// Takes that back.
    pub online: Function,
}

/// A library that was built to take membarrier for granted has no word that says so.
static GRANTED: AtomicI32 = AtomicI32::new(1);

impl Shared {
    /// Finds the words of a library.
    pub fn find(handle: &Handle, flavour: &str) -> Result<Self, Unavailable> {
        let gp = handle.symbol(&format!("urcu_{flavour}_gp"))?;
        let has = handle.symbol(&format!("urcu_{flavour}_has_sys_membarrier"));
        Ok(Self {
            // SAFETY: a variable of the library, which is never unloaded: of 128 bytes and so aligned, the first of
            // them the counter and the futex.
            gp: unsafe { gp.cast::<Gp>().as_ref() },
            has: match has {
                // SAFETY: an `int` of the library.
                Ok(has) => unsafe { has.cast::<AtomicI32>().as_ref() },
                Err(_) => &GRANTED,
            },
        })
    }

    /// Whether the library has a word that says whether it uses membarrier.
    pub fn has_fallback(&self) -> bool {
        !std::ptr::eq(self.has, &raw const GRANTED)
    }
}

impl Functions {
    /// Finds the functions of a library.
    pub fn find(handle: &Handle, flavour: &str) -> Result<Self, Unavailable> {
        let find = |name: &str| handle.symbol(&format!("urcu_{flavour}_{name}"));
        let function = |name: &str| find(name).map(called);
        let states = match flavour {
            "qsbr" => Some(States {
                quiescent: function("quiescent_state")?,
                offline: function("thread_offline")?,
                online: function("thread_online")?,
            }),
            _ => None,
        };
        Ok(Self {
            register: function("register_thread")?,
            unregister: match flavour {
                "bp" => None,
                _ => Some(function("unregister_thread")?),
            },
            read_lock: function("read_lock")?,
            read_unlock: function("read_unlock")?,
            // SAFETY: a function of the library that is declared so.
            read_ongoing: unsafe {
                transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(
                    find("read_ongoing")?.as_ptr(),
                )
            },
            synchronize: function("synchronize_rcu")?,
            states,
        })
    }
}

/// The function at an address. It must be one: the symbols that are asked for are functions without arguments.
fn called(address: NonNull<c_void>) -> Function {
    // SAFETY: a pointer to a function is an address that is not null. Whoever calls it promises what it is.
    unsafe { transmute::<*mut c_void, Function>(address.as_ptr()) }
}
