//! From a flavour's name to its type: once, at the start of a program.

use crate::unavailable::Unavailable;
use crate::urcu::{self, BarrierKind};

/// The names of all flavours.
pub const NAMES: [&str; 12] = [
    "qsbr",
    "bp",
    "memb",
    "mb",
    "signal",
    "memb-forced",
    "memb-without",
    "memb-global",
    "own-qsbr",
    "own-membarrier",
    "own-membarrier-global",
    "rwlock",
];

/// A flavour, with what was found out about its library: see [`with_flavour`](crate::with_flavour).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// liburcu's `qsbr`.
    Qsbr,
    /// liburcu's `bp`.
    Bp(BarrierKind),
    /// liburcu's `memb`, as Debian's headers have it: readers look each time whether the library uses membarrier.
    Memb(BarrierKind),
    /// `memb` without that look.
    MembForced(BarrierKind),
    /// `memb` whose library believes that there is no membarrier.
    MembWithout(BarrierKind),
    /// `memb` whose library calls the membarrier that is not expedited.
    MembGlobal(BarrierKind),
    /// liburcu's `mb`.
    Mb(BarrierKind),
    /// liburcu's `signal`.
    Signal,
    /// The own domain with quiescent states.
    OwnQsbr,
    /// The own domain with an expedited membarrier.
    OwnMembarrier,
    /// The own domain with a membarrier that is not expedited.
    OwnMembarrierGlobal,
    /// The read-write lock.
    Rwlock,
}

impl Choice {
    /// The flavour of this name. The library of one whose readers may have barriers is loaded, to see which.
    ///
    /// # Errors
    /// If there is no flavour of this name, or its library cannot be loaded.
    pub fn new(name: &str) -> Result<Self, Unavailable> {
        Ok(match name {
            "qsbr" => Self::Qsbr,
            "bp" => Self::Bp(urcu::barrier(name)?),
            "memb" => Self::Memb(urcu::barrier(name)?),
            "memb-forced" => Self::MembForced(urcu::barrier(name)?),
            "memb-without" => Self::MembWithout(urcu::barrier(name)?),
            "memb-global" => Self::MembGlobal(urcu::barrier(name)?),
            "mb" => Self::Mb(urcu::barrier(name)?),
            "signal" => Self::Signal,
            "own-qsbr" => Self::OwnQsbr,
            "own-membarrier" => Self::OwnMembarrier,
            "own-membarrier-global" => Self::OwnMembarrierGlobal,
            "rwlock" => Self::Rwlock,
            other => return Err(Unavailable::Unknown(other.to_owned())),
        })
    }
}

/// Evaluates an expression in which a name is the type of a chosen flavour.
///
/// The expression is compiled for each type, and one `match` picks one of them: nothing is looked up later.
///
/// ```
/// use perflab_rcu::{Choice, Flavour, with_flavour};
///
/// let choice = Choice::new("own-qsbr")?;
/// let name = with_flavour!(choice, F => {
///     F::load()?;
///     F::NAME
/// });
/// assert_eq!(name, "own-qsbr");
/// # Ok::<(), perflab_rcu::Unavailable>(())
/// ```
#[macro_export]
macro_rules! with_flavour {
    ($choice:expr, $flavour:ident => $body:expr) => {
        match $choice {
            $crate::Choice::Qsbr => $crate::with_flavour!(@as $flavour, $body, Qsbr),
            $crate::Choice::Bp(kind) => $crate::with_flavour!(@by kind, $flavour, $body, Bp),
            $crate::Choice::Memb(kind) => {
                $crate::with_flavour!(@by kind, $flavour, $body, Memb, Checked)
            }
            $crate::Choice::MembForced(kind) => {
                $crate::with_flavour!(@by kind, $flavour, $body, Memb, Forced)
            }
            $crate::Choice::MembWithout(kind) => {
                $crate::with_flavour!(@by kind, $flavour, $body, Memb, Without)
            }
            $crate::Choice::MembGlobal(kind) => {
                $crate::with_flavour!(@by kind, $flavour, $body, Memb, Global)
            }
            $crate::Choice::Mb(kind) => $crate::with_flavour!(@by kind, $flavour, $body, Mb),
            $crate::Choice::Signal => $crate::with_flavour!(@as $flavour, $body, Signal),
            $crate::Choice::OwnQsbr => {
                type $flavour = $crate::OwnQsbr;
                $body
            }
            $crate::Choice::OwnMembarrier => {
                type $flavour = $crate::OwnMembarrier;
                $body
            }
            $crate::Choice::OwnMembarrierGlobal => {
                type $flavour = $crate::OwnMembarrierGlobal;
                $body
            }
            $crate::Choice::Rwlock => {
                type $flavour = $crate::Lock;
                $body
            }
        }
    };
    // A flavour of liburcu.
    (@as $flavour:ident, $body:expr, $type:ident) => {{
        type $flavour = $crate::urcu::$type;
        $body
    }};
    // One whose type has the kind of its barrier, and perhaps a view.
    (@by $kind:ident, $flavour:ident, $body:expr, $type:ident $(, $view:ident)?) => {
        match $kind {
            $crate::urcu::BarrierKind::Mfence => {
                type $flavour = $crate::urcu::$type<$($crate::urcu::$view,)? $crate::urcu::Mfence>;
                $body
            }
            $crate::urcu::BarrierKind::Locked => {
                type $flavour = $crate::urcu::$type<$($crate::urcu::$view,)? $crate::urcu::Locked>;
                $body
            }
        }
    };
}
