//! What is written is read back: the input says which replies are written.

use perflab_resp::{Protocol, Replies, Value, ValueLimits, double};

pub fn check(input: &[u8]) {
    for protocol in [Protocol::Two, Protocol::Three] {
        let mut program = Program { rest: input };
        while !program.rest.is_empty() {
            let mut out = Vec::new();
            let mut replies = Replies::new(&mut out, protocol);
            let written = program.reply(&mut replies, 3);
            let read = Value::read(&out, &ValueLimits::default());
            assert_eq!(read, Ok(Some((written, out.len()))));
        }
    }
}

struct Program<'i> {
    rest: &'i [u8],
}

impl Program<'_> {
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *byte
    }

    /// Some bytes, as many as the next one says or as there are.
    fn bytes(&mut self) -> Vec<u8> {
        let length = usize::from(self.byte()).min(self.rest.len());
        let (bytes, rest) = self.rest.split_at(length);
        self.rest = rest;
        bytes.to_vec()
    }

    fn number(&mut self) -> u64 {
        let mut bytes = [0; 8];
        for (byte, value) in bytes.iter_mut().zip(self.bytes()) {
            *byte = value;
        }
        u64::from_le_bytes(bytes)
    }

    /// Writes a reply with at most so many aggregates in one another, and says what was written.
    fn reply(&mut self, replies: &mut Replies<'_>, depth: usize) -> Value {
        let is_three = replies.protocol() == Protocol::Three;
        let kinds = if depth > 0 { 15 } else { 11 };
        match self.byte() % kinds {
            0 => {
                replies.ok();
                Value::Simple(b"OK".to_vec())
            }
            1 => {
                let text = self.bytes();
                replies.simple(&text);
                Value::Simple(one_line(&text))
            }
            2 => {
                let text = self.bytes();
                replies.error(&text);
                Value::Error(one_line(&text))
            }
            3 => {
                let number = self.number() as i64;
                replies.integer(number);
                Value::Integer(number)
            }
            4 => {
                let bytes = self.bytes();
                replies.bulk(&bytes);
                Value::Bulk(bytes)
            }
            5 => {
                let number = self.number() as i64;
                replies.bulk_integer(number);
                Value::Bulk(number.to_string().into_bytes())
            }
            6 => {
                replies.null();
                Value::Null
            }
            7 => {
                replies.null_array();
                if is_three {
                    Value::Null
                } else {
                    Value::NullArray
                }
            }
            8 => self.double(replies),
            9 => {
                let value = self.byte() % 2 == 1;
                replies.boolean(value);
                if is_three {
                    Value::Boolean(value)
                } else {
                    Value::Integer(i64::from(value))
                }
            }
            10 => self.text(replies),
            kind => self.aggregate(replies, kind, depth - 1),
        }
    }

    fn double(&mut self, replies: &mut Replies<'_>) -> Value {
        let number = f64::from_bits(self.number());
        // What is no number differs from itself, also where it was read back.
        let number = if number.is_nan() { 0.5 } else { number };
        replies.double(number);
        match replies.protocol() {
            Protocol::Two => Value::Bulk(double::text(number).as_bytes().to_vec()),
            Protocol::Three => Value::Double(number),
        }
    }

    fn text(&mut self, replies: &mut Replies<'_>) -> Value {
        let is_three = replies.protocol() == Protocol::Three;
        let digits = self.number().to_string().into_bytes();
        if self.byte().is_multiple_of(2) {
            replies.big_number(&digits);
            if is_three {
                Value::BigNumber(digits)
            } else {
                Value::Bulk(digits)
            }
        } else {
            let (format, text) = (*b"txt", self.bytes());
            replies.verbatim(format, &text);
            if is_three {
                Value::Verbatim { format, text }
            } else {
                Value::Bulk(text)
            }
        }
    }

    fn aggregate(&mut self, replies: &mut Replies<'_>, kind: u8, depth: usize) -> Value {
        let is_three = replies.protocol() == Protocol::Three;
        let length = usize::from(self.byte() % 5);
        match kind {
            11 => replies.array(length),
            12 => replies.set(length),
            13 => replies.push(length),
            _ => {
                replies.map(length);
                let elements: Vec<Value> = (0..2 * length)
                    .map(|_| self.reply(replies, depth))
                    .collect();
                if !is_three {
                    return Value::Array(elements);
                }
                let pairs = elements.chunks(2);
                let pairs = pairs.map(|pair| (pair[0].clone(), pair[1].clone()));
                return Value::Map(pairs.collect());
            }
        }
        let elements = (0..length).map(|_| self.reply(replies, depth)).collect();
        match kind {
            12 if is_three => Value::Set(elements),
            13 if is_three => Value::Push(elements),
            _ => Value::Array(elements),
        }
    }
}

/// The text of a line that should have had these bytes.
fn one_line(text: &[u8]) -> Vec<u8> {
    let ends_line = |byte: &u8| *byte == b'\r' || *byte == b'\n';
    let mut line = text.to_vec();
    while line.last().is_some_and(ends_line) {
        line.pop();
    }
    while line.first().is_some_and(ends_line) {
        line.remove(0);
    }
    for byte in &mut line {
        if ends_line(byte) {
            *byte = b' ';
        }
    }
    line
}
