//! Where the values of an event are: in the words that a site passes, and around it.

use perflab_abi::recording::LONGEST_TEXT;

use crate::arithmetic::double_of_single;
use crate::program::Class;
use crate::texts::{SLACK, Text};

/// Where the value of an import is; words are those of the event's arguments, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A word is the number: an integer, or the bits of a floating-point number of 64 bits.
    Number(u8),
    /// The lower half of a word is the bits of a floating-point number of 32 bits.
    Single(u8),
    /// A word is the address of a text that ends with a zero, or null.
    Terminated(u8),
    /// A word is the address of a text, or null; the next is its length in bytes. It ends at its first zero if that
    /// comes before.
    Counted(u8),
    /// As [`Place::Terminated`], but the text may not be there.
    TerminatedNofault(u8),
    /// As [`Place::Counted`], but the text may not be there.
    CountedNofault(u8),
    /// Not in the words.
    Context(ContextField),
}

/// What is known of an event besides its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextField {
    /// Number of the thread, as its process sees it.
    Vtid,
    /// Number of the process, as it sees itself.
    Vpid,
    /// Number of the processor.
    CpuId,
    /// What `pthread_self` returns.
    PthreadId,
    /// Address of the instruction that the handler returns to.
    Ip,
    /// Name of the thread.
    Procname,
}

impl ContextField {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Vtid,
        Self::Vpid,
        Self::CpuId,
        Self::PthreadId,
        Self::Ip,
        Self::Procname,
    ];

    /// The name under which a program imports it. No argument is called so.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vtid => "$ctx.vtid",
            Self::Vpid => "$ctx.vpid",
            Self::CpuId => "$ctx.cpu_id",
            Self::PthreadId => "$ctx.pthread_id",
            Self::Ip => "$ctx.ip",
            Self::Procname => "$ctx.procname",
        }
    }

    /// How it can be used.
    pub fn class(self) -> Class {
        match self {
            Self::Procname => Class::Text,
            _ => Class::Integer,
        }
    }

    /// The field of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.name() == name)
    }
}

/// What is around an event. Fields that no [`Place`] names need not be filled in.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// See [`ContextField::Vtid`].
    pub vtid: u64,
    /// See [`ContextField::Vpid`].
    pub vpid: u64,
    /// See [`ContextField::CpuId`].
    pub cpu_id: u64,
    /// See [`ContextField::PthreadId`].
    pub pthread_id: u64,
    /// See [`ContextField::Ip`].
    pub ip: u64,
    /// See [`ContextField::Procname`]; it ends at the first zero.
    pub procname: [u8; 16],
    /// Copies what can be read from an address on, and returns how many bytes that is. Asked for texts that may not
    /// be there.
    pub read: fn(u64, &mut [u8]) -> usize,
}

impl Default for Context {
    /// Zeros, and nothing can be read.
    fn default() -> Self {
        Self {
            vtid: 0,
            vpid: 0,
            cpu_id: 0,
            pthread_id: 0,
            ip: 0,
            procname: [0; 16],
            read: |_, _| 0,
        }
    }
}

/// The values of an event.
#[derive(Clone, Copy)]
pub(crate) struct Event<'e> {
    pub places: &'e [Place],
    pub words: &'e [u64],
    pub context: &'e Context,
}

impl Event<'_> {
    #[inline(always)]
    fn place(&self, import: u8) -> Option<Place> {
        self.places.get(usize::from(import)).copied()
    }

    #[inline(always)]
    fn word(&self, at: u8) -> u64 {
        self.words.get(usize::from(at)).copied().unwrap_or(0)
    }

    /// An integer, or the bits of a floating-point number.
    #[inline(always)]
    pub fn number(&self, import: u8) -> u64 {
        match self.place(import) {
            Some(Place::Number(at)) => self.word(at),
            Some(Place::Single(at)) => double_of_single(self.word(at) as u32),
            Some(Place::Context(field)) => self.field(field),
            _ => 0,
        }
    }

    fn field(&self, field: ContextField) -> u64 {
        match field {
            ContextField::Vtid => self.context.vtid,
            ContextField::Vpid => self.context.vpid,
            ContextField::CpuId => self.context.cpu_id,
            ContextField::PthreadId => self.context.pthread_id,
            ContextField::Ip => self.context.ip,
            ContextField::Procname => 0,
        }
    }

    /// What is made of a text, or of none if its address is null.
    #[inline(always)]
    pub fn text<R>(&self, import: u8, then: impl FnOnce(Option<Text>) -> R) -> R {
        let text = match self.place(import) {
            Some(Place::Terminated(at)) => Text::terminated(self.word(at)),
            Some(Place::Counted(at)) => Text::counted(self.word(at), self.word(at.wrapping_add(1))),
            Some(elsewhere) => return self.text_elsewhere(elsewhere, then),
            None => None,
        };
        then(text)
    }

    #[cold]
    #[inline(never)]
    fn text_elsewhere<R>(&self, place: Place, then: impl FnOnce(Option<Text>) -> R) -> R {
        let mut copy = [0; LONGEST_TEXT + SLACK];
        let (address, most) = match place {
            Place::TerminatedNofault(at) => (self.word(at), u64::MAX),
            Place::CountedNofault(at) => (self.word(at), self.word(at.wrapping_add(1))),
            Place::Context(ContextField::Procname) => {
                let name = &self.context.procname;
                return then(Text::counted(name.as_ptr() as u64, until_zero(name)));
            }
            _ => return then(None),
        };
        let is_terminated = matches!(place, Place::TerminatedNofault(_));
        if address == 0 {
            let text = Text::counted(0, most);
            return then(text);
        }
        // As many as are recorded.
        let most = most.min(LONGEST_TEXT as u64) as usize;
        let to = copy.get_mut(..most).unwrap_or_default();
        let read = (self.context.read)(address, to).min(most);
        let text = copy.get(..read).unwrap_or_default();
        let length = if is_terminated {
            until_zero(text)
        } else {
            read as u64
        };
        then(Text::counted(copy.as_ptr() as u64, length))
    }
}

/// Bytes before the first zero.
fn until_zero(text: &[u8]) -> u64 {
    let end = text.iter().position(|byte| *byte == 0);
    end.unwrap_or(text.len()) as u64
}
