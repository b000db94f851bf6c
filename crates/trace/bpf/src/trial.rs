//! Programs that judge events of the process which has made them: to measure what that takes.
#![expect(
    unsafe_code,
    reason = "code is called that was made just now, with addresses of texts"
)]

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hint::black_box;
use core::mem::transmute;
use std::time::{Duration, Instant};

use crate::emitter::{Outside, Target, emit};
use crate::interpreter::judge;
use crate::lowered::Lowered;
use crate::memory::{Code, publish};
use crate::place::{Context, Place};
use crate::program::{Class, Verdict};
use crate::values::Value;

/// By what an event is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Native code.
    Native,
    /// The interpreter.
    Interpreted,
}

/// A program with its native code. What is known of an event besides its arguments is passed like these.
#[derive(Debug)]
pub struct Trial {
    lowered: Arc<Lowered>,
    places: Box<[Place]>,
    code: Result<Code, String>,
    emitted: Duration,
    mapped: Duration,
}

/// An event: a word for each import, and the texts whose addresses are among them.
#[derive(Debug)]
pub struct TrialEvent {
    words: Box<[u64]>,
    places: Box<[Place]>,
    _texts: Vec<Box<[u8]>>,
}

type ByRecord = unsafe extern "C" fn(*const (), *const u64) -> u64;

extern "C" fn rejected() -> u64 {
    0
}

extern "C" fn accepted() -> u64 {
    1
}

/// A word for an import of this class.
fn place(class: Class, word: usize) -> Place {
    let word = word as u8;
    match class {
        Class::Integer | Class::Double => Place::Number(word),
        Class::Text => Place::Terminated(word),
    }
}

impl Trial {
    /// Makes native code, where it can be had.
    pub fn new(lowered: Arc<Lowered>) -> Self {
        let classes = lowered.classes.iter().enumerate();
        let places = classes.map(|(word, class)| place(*class, word));
        let places: Box<[Place]> = places.collect();
        let ends = [rejected, accepted].map(|end| end as *const () as usize);
        let target = Target {
            reject: ends[0],
            accept: ends[1],
            trigger: ends[1],
            next: 0,
            by_record: true,
            // Asked for nothing: no place is of such a kind.
            outside: Outside {
                read: |_, _| 0,
                fill: |_, _| {},
            },
        };
        let start = Instant::now();
        let emitted = emit(&lowered, &places, &target).map_err(|error| error.to_string());
        let between = Instant::now();
        let code = emitted.and_then(|emitted| {
            let published = publish(emitted, &mut |_, _| Ok(()));
            published.map_err(|reasons| reasons.join("; "))
        });
        Self {
            emitted: between - start,
            mapped: between.elapsed(),
            code,
            lowered,
            places,
        }
    }

    /// The native code, or why there is none.
    pub fn code(&self) -> Result<&Code, &str> {
        self.code.as_ref().map_err(String::as_str)
    }

    /// How long it took to make the code, and to make it executable.
    pub fn took(&self) -> [Duration; 2] {
        [self.emitted, self.mapped]
    }

    /// An event with these values of the imports, in their order. Nothing if there are more or fewer, or one is of
    /// another class. A text ends at its first zero.
    pub fn event(&self, values: &[Value<'_>]) -> Option<TrialEvent> {
        let mut texts: Vec<Box<[u8]>> = Vec::new();
        let values = values.iter();
        let pairs = values.clone().zip(self.places.iter());
        let words = pairs.map(|pair| match pair {
            (Value::Number(number), Place::Number(_)) => Some(*number),
            (Value::Text(None), Place::Terminated(_)) => Some(0),
            (Value::Text(Some(text)), Place::Terminated(_)) => {
                let text: Box<[u8]> = text.iter().copied().chain([0]).collect();
                let address = text.as_ptr() as u64;
                texts.push(text);
                Some(address)
            }
            _ => None,
        });
        let words: Box<[u64]> = words.collect::<Option<_>>()?;
        (words.len() == self.places.len() && values.len() == words.len()).then_some(TrialEvent {
            words,
            places: self.places.clone(),
            _texts: texts,
        })
    }

    /// Judges an event so many times, and returns how often it was accepted. Nothing if it is no event of this program,
    /// or there is no native code.
    pub fn judge(&self, event: &TrialEvent, times: u64, by: Way) -> Option<u64> {
        if event.places != self.places {
            return None;
        }
        match by {
            Way::Native => self.natively(event, times),
            Way::Interpreted => Some(self.interpreted(event, times)),
        }
    }

    fn natively(&self, event: &TrialEvent, times: u64) -> Option<u64> {
        let code = self.code.as_ref().ok()?;
        // SAFETY: the code begins there, and is made for calls of this type: see below.
        let code = unsafe { transmute::<*const (), ByRecord>(code.entry()) };
        let judged = (0..times).map(|_| {
            let words = black_box(&event.words).as_ptr();
            // SAFETY: the code is called as sites do that pass the address of their words, and ends in a function
            // above. The words are of the classes that it was made for, and the texts are there and end with zeros.
            unsafe { code(core::ptr::null(), words) }
        });
        Some(judged.sum())
    }

    fn interpreted(&self, event: &TrialEvent, times: u64) -> u64 {
        let context = Context::default();
        let judged = (0..times).map(|_| {
            let words = black_box(&event.words);
            // SAFETY: the words are of the classes of these places, and the texts are there and end with zeros.
            let verdict = unsafe { judge(&self.lowered, &self.places, words, &context) };
            u64::from(verdict != Verdict::Reject)
        });
        judged.sum()
    }
}
