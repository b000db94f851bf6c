//! The eBPF that perflab makes of an expression, executed by rbpf: compiled by it, or interpreted.
//!
//! What the program gets is what an agent would give it: a word for each import, which are those that the site passes,
//! and the functions of the same numbers. `text_is` compares sixteen bytes at once where an agent's does.
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicPtr, Ordering};

use perflab_filter::{Fields, FilterProgram, check, ebpf, lower, parse};
use rbpf::EbpfVmRaw;

/// Arguments of the probes of events.c with so many.
const FIELDS: usize = 50;

/// `LD IMM64`, whose source says that it is the address of the program's read-only data with an offset.
const WIDE: u8 = 0x18;
const OF_DATA: u8 = 6;

/// A program that is loaded. It stays, as the handler may be in it.
struct Judge {
    machine: EbpfVmRaw<'static>,
    is_interpreted: bool,
}

static JUDGE: AtomicPtr<Judge> = AtomicPtr::new(std::ptr::null_mut());

/// Type and name of an argument, by the number of the probe in chains.h.
fn argument(probe: c_int, at: usize) -> (&'static str, String) {
    match (probe, at % 2) {
        (0, _) | (2, 0) => ("cstr", format!("t{at}")),
        _ => ("i64", format!("n{at}")),
    }
}

/// Loads the program of an expression for a probe.
///
/// # Safety
/// The expression ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rbpf_load(
    expression: *const c_char,
    probe: c_int,
    is_interpreted: c_int,
) -> c_int {
    // SAFETY: what the caller promises.
    let expression = unsafe { CStr::from_ptr(expression) };
    let judge = loaded(expression.to_str().unwrap(), probe, is_interpreted != 0);
    JUDGE.store(Box::into_raw(Box::new(judge)), Ordering::Release);
    1
}

fn loaded(expression: &str, probe: c_int, is_interpreted: bool) -> Judge {
    let arguments: Vec<_> = (0..FIELDS).map(|at| argument(probe, at)).collect();
    let arguments = arguments.iter().map(|(kind, name)| (*kind, name.as_str()));
    let fields = Fields::new(arguments.clone()).unwrap();
    let checked = check(&parse(expression).unwrap(), &fields).unwrap();
    let program = ebpf(&lower(&checked)).unwrap();
    // The words of the site are the slots of the program.
    let imports = program.imports.iter().map(|import| import.name.as_str());
    let mut pairs = imports.zip(arguments);
    assert!(pairs.all(|(import, (_, name))| import == name));
    let code: &'static [u8] = relocated(&program).leak();
    let mut machine = EbpfVmRaw::new(Some(code)).unwrap();
    machine.register_helper(1, text_is).unwrap();
    if !is_interpreted {
        machine.jit_compile().unwrap();
    }
    Judge {
        machine,
        is_interpreted,
    }
}

/// The code with the addresses of its literals, which stay.
fn relocated(program: &FilterProgram) -> Vec<u8> {
    // Sixteen bytes can be read of each.
    let data: Vec<u8> = program.literals.iter().copied().chain([0; 16]).collect();
    let data: &'static [u8] = data.leak();
    let mut code = program.code.clone();
    let mut at = 0;
    while at + 16 <= code.len() {
        if code[at] != WIDE {
            at += 8;
            continue;
        }
        if code[at + 1] >> 4 == OF_DATA {
            let offset = u32::from_le_bytes(code[at + 12..at + 16].try_into().unwrap());
            let address = data.as_ptr() as u64 + u64::from(offset);
            code[at + 1] &= 0x0f;
            code[at + 4..at + 8].copy_from_slice(&(address as u32).to_le_bytes());
            code[at + 12..at + 16].copy_from_slice(&((address >> 32) as u32).to_le_bytes());
        }
        at += 16;
    }
    code
}

/// Whether the text whose address is in a slot is a literal: 1 or 0, or -1 if there is none.
fn text_is(context: u64, slot: u64, literal: u64, bytes: u64, _: u64) -> u64 {
    // SAFETY: the program was made for these words, of which this one is the address of a text that ends with a zero,
    // or null. Sixteen bytes are read only within the page of its first.
    unsafe {
        let text = *((context + slot) as *const *const u8);
        if text.is_null() {
            return u64::MAX;
        }
        let bytes = bytes as usize;
        let literal = literal as *const u8;
        if bytes == 15 && (text as usize + 15) & 0xff0 != 0 {
            let [found, wanted] = [text, literal].map(|at| at.cast::<u128>().read_unaligned());
            // Another literal may follow, and behind the text is a zero.
            return u64::from(found == wanted & (u128::MAX >> 8));
        }
        for at in 0..bytes {
            if *text.add(at) != *literal.add(at) {
                return 0;
            }
        }
        u64::from(*text.add(bytes) == 0)
    }
}

/// Whether the program accepts an event.
///
/// # Safety
/// A program is loaded, and the words are those of its probe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rbpf_accepts(words: *mut u64) -> c_int {
    // SAFETY: what the caller promises.
    unsafe {
        let judge = &*JUDGE.load(Ordering::Relaxed);
        let memory = std::slice::from_raw_parts_mut(words.cast::<u8>(), 8 * FIELDS);
        let verdict = if judge.is_interpreted {
            judge.machine.execute_program(memory)
        } else {
            judge.machine.execute_program_jit(memory)
        };
        c_int::from(verdict.unwrap() != 0)
    }
}
