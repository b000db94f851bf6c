//! Expressions as programs: generated, verified, lowered, and executed on events as a site passes them.

#![expect(unsafe_code, reason = "events have addresses of texts")]

mod memory;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use perflab_abi::recording::LONGEST_TEXT;
use perflab_bpf::oracle::{Addresses, Datum, Native, run};
use perflab_bpf::{
    Context, ContextField, Instruction, Lowered, Outside, Place, Shown, Verdict, judge, opcode,
};
use perflab_filter::{FilterProgram, Ir, ebpf, lower};

use crate::naive::{Answer, Event, Value};
use crate::vectors::checked;
use memory::{Memory, read};
pub use memory::{PAGE, READABLE};

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::new());
    /// Of the event that native code judges.
    static CONTEXT: Cell<Context> = Cell::new(Context::default());
}

/// A filter for events of a probe.
pub struct Executed {
    ir: Ir,
    program: FilterProgram,
    lowered: Arc<Lowered>,
    /// Where each import is.
    places: Vec<Place>,
    /// Nothing if it has too many values, or takes what native code finds by itself: no event can choose that.
    native: Option<Native>,
}

impl Executed {
    /// The filter `text` for events with arguments like those of `event`; else as [`checked`].
    pub fn of(text: &str, event: &Event) -> Result<Self, (Answer, String)> {
        let ir = lower(&checked(text, event)?);
        let program = ebpf(&ir).unwrap_or_else(|error| panic!("{error}: {text}"));
        let lowered = program.lowered();
        let lowered =
            lowered.unwrap_or_else(|refused| panic!("{refused}: {text}\n{}", code(&program)));
        let lowered = Arc::new(lowered);
        let imports = program.imports.iter();
        let places: Vec<Place> = imports.map(|import| place(event, &import.name)).collect();
        let is_own = |place: &Place| {
            use ContextField::{Ip, PthreadId};
            matches!(place, Place::Context(Ip | PthreadId))
        };
        let arguments = event.arguments.iter();
        let words: usize = arguments.map(|argument| width(&argument.kind)).sum();
        let native = if places.iter().any(is_own) {
            None
        } else {
            Native::with_outside(&lowered, &places, words, Outside { read, fill })
        };
        Ok(Self {
            native,
            ir,
            program,
            lowered,
            places,
        })
    }

    /// Whether there is native code.
    pub fn is_native(&self) -> bool {
        self.native.is_some()
    }

    /// What the oracle does with an event: it executes the program as it is.
    pub fn by_oracle(&self, event: &Event) -> Answer {
        let names = self.program.imports.iter().map(|import| &import.name);
        let data: Vec<Datum> = names.map(|name| datum(event, name)).collect();
        let imports = self.program.borrowed();
        let program = self.program.program(&imports);
        let verdict = run(&program, &data, Addresses::FIRST);
        answer(verdict.unwrap_or_else(|harm| panic!("{harm:?} is done by\n{self}")))
    }

    /// What the interpreter does with an event. Each text is at the place in its memory that `at` gives for so many
    /// bytes, with its zero.
    pub fn by_interpreter(&self, event: &Event, at: impl FnMut(usize) -> usize) -> Answer {
        let words = words(event, at);
        let context = context(event);
        // SAFETY: the texts are where the words say.
        answer(unsafe { judge(&self.lowered, &self.places, &words, &context) })
    }

    /// What native code does with an event, if there is any; as [`Executed::by_interpreter`].
    pub fn by_native(&self, event: &Event, at: impl FnMut(usize) -> usize) -> Option<Answer> {
        let native = self.native.as_ref()?;
        let words = words(event, at);
        CONTEXT.set(context(event));
        // SAFETY: the texts are where the words say.
        Some(answer(unsafe { native.judge(&words) }))
    }
}

/// What the oracle does with the filter `text` and an event.
pub fn by_oracle(text: &str, event: &Event) -> Answer {
    Executed::of(text, event)
        .map_or_else(|(answer, _)| answer, |executed| executed.by_oracle(event))
}

/// What the interpreter does with the filter `text` and an event. Texts end where nothing can be read.
pub fn by_interpreter(text: &str, event: &Event) -> Answer {
    Executed::of(text, event).map_or_else(
        |(answer, _)| answer,
        |executed| executed.by_interpreter(event, |length| READABLE - length),
    )
}

/// What native code does with the filter `text` and an event; the interpreter where there is none.
pub fn by_native(text: &str, event: &Event) -> Answer {
    Executed::of(text, event).map_or_else(
        |(answer, _)| answer,
        |executed| {
            let native = executed.by_native(event, |length| READABLE - length);
            native.unwrap_or_else(|| by_interpreter(text, event))
        },
    )
}

fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Reject => Answer::No,
        Verdict::Record => Answer::Yes,
        Verdict::RecordAndTrigger => panic!("an expression alone triggers nothing"),
    }
}

/// Blocks, then instructions.
impl fmt::Display for Executed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.ir, code(&self.program))
    }
}

/// The instructions of a program as text, with their numbers.
pub fn code(program: &FilterProgram) -> String {
    let (code, rest) = program.code.as_chunks::<{ Instruction::BYTES }>();
    assert!(rest.is_empty());
    let code: Vec<Instruction> = code
        .iter()
        .map(|bytes| Instruction::decode(*bytes))
        .collect();
    let mut text = String::new();
    let mut at = 0;
    while let Some(shown) = code.get(at) {
        let second = code.get(at + 1).copied();
        text += &format!("{at}: {}\n", Shown(*shown, second));
        at += if shown.opcode == opcode::WIDE { 2 } else { 1 };
    }
    text
}

/// The type of an import, and its value.
fn import<'e>(event: &'e Event, name: &str) -> (&'e str, &'e Value) {
    if let Some(name) = name.strip_prefix("$ctx.") {
        let mut context = event.context.iter();
        let (_, value) = context.find(|(own, _)| *own == name).unwrap();
        let kind = match value {
            Value::Text(_) => "cstr",
            Value::Integer(_) | Value::Double(_) => "i64",
        };
        return (kind, value);
    }
    let mut arguments = event.arguments.iter();
    let argument = arguments.find(|argument| argument.name == name).unwrap();
    (argument.kind.as_str(), &argument.value)
}

fn datum(event: &Event, name: &str) -> Datum {
    let (kind, value) = import(event, name);
    match value {
        Value::Integer(value) => Datum::Integer(*value as u64),
        Value::Double(value) if kind == "f32" => Datum::Single((*value as f32).to_bits()),
        Value::Double(value) => Datum::Double(value.to_bits()),
        Value::Text(text) => {
            let text = text.as_deref().map(|text| recorded(kind, text).to_vec());
            if kind.starts_with("cstr") {
                let until_zero = |text: Vec<u8>| text.into_iter().take_while(|byte| *byte != 0);
                Datum::Terminated(text.map(|text| until_zero(text).collect()))
            } else {
                Datum::Counted(text)
            }
        }
    }
}

/// What is judged of a text: of one that may not be there, what would be recorded.
fn recorded<'t>(kind: &str, text: &'t [u8]) -> &'t [u8] {
    if kind.ends_with("_nofault") {
        &text[..text.len().min(LONGEST_TEXT)]
    } else {
        text
    }
}

/// The event with its texts as they are judged.
pub fn as_judged(event: &Event) -> Event {
    let mut event = event.clone();
    for argument in &mut event.arguments {
        if let Value::Text(Some(text)) = &mut argument.value {
            let kept = recorded(&argument.kind, text).len();
            text.truncate(kept);
        }
    }
    event
}

/// Words of an argument.
fn width(kind: &str) -> usize {
    if kind.starts_with("str") || kind.starts_with("bytes") {
        2
    } else {
        1
    }
}

fn place(event: &Event, name: &str) -> Place {
    if let Some(field) = ContextField::from_name(name) {
        return Place::Context(field);
    }
    let arguments = event.arguments.iter();
    let before = arguments.take_while(|argument| argument.name != name);
    let at = before.map(|argument| width(&argument.kind)).sum::<usize>() as u8;
    match import(event, name).0 {
        "f32" => Place::Single(at),
        "cstr" => Place::Terminated(at),
        "str" | "bytes" => Place::Counted(at),
        "cstr_nofault" => Place::TerminatedNofault(at),
        "str_nofault" | "bytes_nofault" => Place::CountedNofault(at),
        _ => Place::Number(at),
    }
}

/// The words that a site passes. Texts stay in memory until the next event of this thread.
fn words(event: &Event, mut at: impl FnMut(usize) -> usize) -> Vec<u64> {
    MEMORY.with_borrow_mut(|memory| {
        memory.clear();
        let mut put = |text: &[u8]| memory.put(text, at(text.len()));
        let mut words = Vec::new();
        for argument in &event.arguments {
            let kind = argument.kind.as_str();
            match &argument.value {
                Value::Integer(value) => words.push(*value as u64),
                // What is above is nobody's.
                Value::Double(value) if kind == "f32" => {
                    words.push(u64::from((*value as f32).to_bits()) | 0xabcd << 32);
                }
                Value::Double(value) => words.push(value.to_bits()),
                Value::Text(None) if width(kind) == 1 => words.push(0),
                Value::Text(None) => words.extend([0, 5]),
                Value::Text(Some(text)) if width(kind) == 1 => {
                    words.push(put(&[text.as_slice(), &[0]].concat()));
                }
                // No bytes need no address.
                Value::Text(Some(text)) if text.is_empty() && kind == "str" => {
                    words.extend([0, 0]);
                }
                Value::Text(Some(text)) => words.extend([put(text), text.len() as u64]),
            }
        }
        words
    })
}

fn context(event: &Event) -> Context {
    let number = |name| match import(event, name).1 {
        Value::Integer(value) => *value as u64,
        other => panic!("{name} is {other:?}"),
    };
    let mut procname = [0; 16];
    if let Value::Text(Some(name)) = import(event, "$ctx.procname").1 {
        procname[..name.len()].copy_from_slice(name);
    }
    Context {
        vtid: number("$ctx.vtid"),
        vpid: number("$ctx.vpid"),
        cpu_id: number("$ctx.cpu_id"),
        pthread_id: number("$ctx.pthread_id"),
        ip: number("$ctx.ip"),
        procname,
        read,
    }
}

/// What native code asks of the context.
fn fill(field: ContextField, to: &mut Context) {
    let from = CONTEXT.get();
    match field {
        ContextField::Vtid => to.vtid = from.vtid,
        ContextField::Vpid => to.vpid = from.vpid,
        ContextField::CpuId => to.cpu_id = from.cpu_id,
        ContextField::Procname => to.procname = from.procname,
        ContextField::Ip | ContextField::PthreadId => panic!("native code has {field:?}"),
    }
}
