//! Moves the code behind it. A loop of ten instructions can be 20 % faster or slower by its place in memory. So a
//! comparison of two programs goes through several places in each run.
#![expect(unsafe_code, reason = "no-op instructions are written in assembler")]

/// Number of layouts: from 0, each has 16 bytes more of no-ops than the one before. Compilers align loops to
/// 16 bytes, so smaller steps would move nothing.
pub const LAYOUTS: usize = 8;

/// Executes this number of bytes of no-ops once, behind those that lead to a multiple of 128 bytes. So the place does
/// not depend on what the linker puts in front.
#[inline(always)]
pub fn pad<const BYTES: usize>() {
    // SAFETY: no-ops change neither registers nor flags nor memory.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!(
            ".p2align 7, 0x90",
            ".skip {bytes}, 0x90",
            bytes = const BYTES,
            options(nomem, nostack, preserves_flags)
        );
    }
}
