//! Barriers of readers, as liburcu's headers have them on x86-64.
#![expect(unsafe_code, reason = "a barrier is an instruction")]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering, compiler_fence};

use sealed::Sealed;

/// Its trait cannot be named outside of this module.
mod sealed {
    /// Keeps other crates from implementing what it bounds.
    pub trait Sealed {}
}

/// The full barrier that a library was compiled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierKind {
    /// `mfence`: up to 0.15.4.
    Mfence,
    /// An instruction with a `lock` prefix: from 0.15.5 on.
    Locked,
}

impl BarrierKind {
    /// As it is shown.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mfence => "mfence",
            Self::Locked => "lock",
        }
    }
}

/// A full barrier, on which flavours rely. So no other crate can make one:
///
/// ```compile_fail,E0277
/// use perflab_rcu::urcu::{Barrier, BarrierKind, Mb};
///
/// struct Nothing;
///
/// impl Barrier for Nothing {
///     const KIND: BarrierKind = BarrierKind::Mfence;
///
///     fn full() {}
/// }
///
/// perflab_rcu::as_reader::<Mb<Nothing>, _>(|reader| drop(reader.enter()));
/// ```
pub trait Barrier: Sealed + 'static {
    /// Which one it is.
    const KIND: BarrierKind;

    /// No access to memory moves across it, in either direction.
    fn full();
}

/// [`BarrierKind::Mfence`].
#[derive(Debug, Clone, Copy)]
pub struct Mfence;

/// [`BarrierKind::Locked`].
#[derive(Debug, Clone, Copy)]
pub struct Locked;

impl Sealed for Mfence {}
impl Sealed for Locked {}

impl Barrier for Mfence {
    const KIND: BarrierKind = BarrierKind::Mfence;

    #[inline(always)]
    fn full() {
        // SAFETY: it changes neither registers nor memory. The compiler takes it for an access to all memory.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!("mfence", options(nostack, preserves_flags));
        }
        #[cfg(not(target_arch = "x86_64"))]
        std::sync::atomic::fence(Ordering::SeqCst);
    }
}

impl Barrier for Locked {
    const KIND: BarrierKind = BarrierKind::Locked;

    #[inline(always)]
    fn full() {
        // SAFETY: a word of the stack becomes what it is. The compiler takes it for an access to all memory.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::asm!("lock add dword ptr [rsp], 0", options(nostack));
        }
        #[cfg(not(target_arch = "x86_64"))]
        std::sync::atomic::fence(Ordering::SeqCst);
    }
}

/// The barrier of a flavour's readers: what orders their word with what they read.
pub trait Light: 'static {
    /// The barrier. `has` is the library's `has_sys_membarrier`, if it has one.
    fn light(has: &AtomicI32);

    /// The end of the outermost section: a barrier, the store to the reader's word, a barrier.
    #[inline(always)]
    fn end(word: &AtomicU64, value: u64, has: &AtomicI32) {
        Self::light(has);
        word.store(value, Ordering::Release);
        Self::light(has);
    }
}

/// For the compiler only: the writer makes the processors of readers execute the barrier.
pub struct ForCompiler;

impl Light for ForCompiler {
    #[inline(always)]
    fn light(_: &AtomicI32) {
        compiler_fence(Ordering::SeqCst);
    }
}

/// As [`ForCompiler`] if the library uses membarrier, which is looked up each time; else a full barrier.
pub struct Dynamic<B>(PhantomData<B>);

impl<B: Barrier> Light for Dynamic<B> {
    #[inline(always)]
    fn light(has: &AtomicI32) {
        if has.load(Ordering::Relaxed) != 0 {
            compiler_fence(Ordering::SeqCst);
        } else {
            std::hint::cold_path();
            B::full();
        }
    }
}

/// A full barrier.
pub struct Always<B>(PhantomData<B>);

impl<B: Barrier> Light for Always<B> {
    #[inline(always)]
    fn light(_: &AtomicI32) {
        B::full();
    }

    /// The headers with locked instructions exchange the word, which is the barrier of both sides.
    #[inline(always)]
    fn end(word: &AtomicU64, value: u64, _: &AtomicI32) {
        match B::KIND {
            BarrierKind::Mfence => {
                B::full();
                word.store(value, Ordering::Release);
                B::full();
            }
            BarrierKind::Locked => {
                word.swap(value, Ordering::SeqCst);
            }
        }
    }
}
