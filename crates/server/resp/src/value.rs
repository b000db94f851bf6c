//! Replies, read as trees.

use crate::answer::{Answers, Body, Head, Kind, Malformed, any_double, signed_integer};

/// A reply and all that is in it, for tests and small tools. Attributes in front of a value are dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A status.
    Simple(Vec<u8>),
    /// An error of one line.
    Error(Vec<u8>),
    /// An error of any bytes.
    BulkError(Vec<u8>),
    /// An integer of 64 bits.
    Integer(i64),
    /// The digits of an integer of any size, and its sign.
    BigNumber(Vec<u8>),
    /// A floating-point number.
    Double(f64),
    /// Yes or no.
    Boolean(bool),
    /// A string of any bytes.
    Bulk(Vec<u8>),
    /// A text for people.
    Verbatim {
        /// What the text is: `txt` or `mkd`.
        format: [u8; 3],
        /// The text.
        text: Vec<u8>,
    },
    /// No value: the null of RESP3, or where RESP2 would have a string.
    Null,
    /// No value where RESP2 would have an array.
    NullArray,
    /// An array.
    Array(Vec<Value>),
    /// A set.
    Set(Vec<Value>),
    /// A map: pairs of a key and a value, in their order.
    Map(Vec<(Value, Value)>),
    /// A message that was not asked for.
    Push(Vec<Value>),
}

/// How large a value may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueLimits {
    /// The aggregates that may be in one another. More than [`Answers::DEPTH`] are refused anyway.
    pub depth: usize,
    /// The bytes of memory that the value may need, with its strings.
    pub bytes: usize,
}

impl Default for ValueLimits {
    /// The depth of [`Answers`], and 1 GiB.
    fn default() -> Self {
        Self {
            depth: Answers::DEPTH,
            bytes: 1024 * 1024 * 1024,
        }
    }
}

impl Value {
    /// Reads the reply at the start of the input, and returns the bytes that it takes; `None` if it is not whole.
    ///
    /// Each call begins at the start. A caller that gets large replies in pieces waits for a whole one with
    /// [`Answers`].
    ///
    /// ```
    /// use perflab_resp::{Value, ValueLimits};
    ///
    /// let (value, length) = Value::read(b"*1\r\n:7\r\n", &ValueLimits::default())?.unwrap();
    /// assert_eq!(value, Value::Array(vec![Value::Integer(7)]));
    /// assert_eq!(length, 8);
    /// # Ok::<(), perflab_resp::Malformed>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there can be no reply, or one that the limits refuse.
    pub fn read(input: &[u8], limits: &ValueLimits) -> Result<Option<(Self, usize)>, Malformed> {
        // So nothing is built in vain, and no element that is announced is missing.
        let Some(answer) = Answers::default().skip(input)? else {
            return Ok(None);
        };
        let mut reading = Reading {
            input: &input[..answer.length],
            position: 0,
            free: limits.bytes,
        };
        reading.take(1, 0)?;
        let value = reading.value(limits.depth)?;
        Ok(Some((value, answer.length)))
    }
}

/// A reply that is whole, read up to a position.
struct Reading<'i> {
    input: &'i [u8],
    position: usize,
    /// The bytes of memory that may still be used.
    free: usize,
}

impl Reading<'_> {
    /// Takes the memory of values and of the bytes in them.
    fn take(&mut self, values: usize, bytes: usize) -> Result<(), Malformed> {
        let used = values
            .checked_mul(size_of::<Value>())
            .and_then(|values| values.checked_add(bytes));
        self.free = used
            .and_then(|used| self.free.checked_sub(used))
            .ok_or(Malformed::TooLarge)?;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Value, Malformed> {
        loop {
            let head = self.head()?;
            match head.body {
                Body::Bytes(place) => {
                    let bytes = &self.input[place];
                    self.take(0, kept(head.kind, bytes))?;
                    return scalar(head.kind, bytes);
                }
                Body::Elements(length) => {
                    let length = usize::try_from(length).map_err(|_| Malformed::TooLarge)?;
                    // Nothing is in an empty one.
                    let inside = depth.checked_sub(usize::from(length > 0));
                    let inside = inside.ok_or(Malformed::TooDeep)?;
                    if head.is_attribute {
                        self.drop_attributes(length, inside)?;
                    } else {
                        return self.aggregate(head.kind, length, inside);
                    }
                }
            }
        }
    }

    fn head(&mut self) -> Result<Head, Malformed> {
        // The reply is whole, so the end of its last element is there.
        let head = Head::read(self.input, self.position, &mut 0)?.ok_or(Malformed::Length)?;
        self.position = head.end;
        Ok(head)
    }

    fn drop_attributes(&mut self, length: usize, depth: usize) -> Result<(), Malformed> {
        let free = self.free;
        for _ in 0..length {
            self.take(1, 0)?;
            self.value(depth)?;
            self.free = free;
        }
        Ok(())
    }

    fn aggregate(&mut self, kind: Kind, length: usize, depth: usize) -> Result<Value, Malformed> {
        self.take(length, 0)?;
        if kind == Kind::Map {
            let mut pairs = Vec::with_capacity(length / 2);
            for _ in 0..length / 2 {
                pairs.push((self.value(depth)?, self.value(depth)?));
            }
            return Ok(Value::Map(pairs));
        }
        let mut values = Vec::with_capacity(length);
        for _ in 0..length {
            values.push(self.value(depth)?);
        }
        Ok(match kind {
            Kind::Set => Value::Set(values),
            Kind::Push => Value::Push(values),
            _ => Value::Array(values),
        })
    }
}

/// The bytes that are copied into a value.
fn kept(kind: Kind, bytes: &[u8]) -> usize {
    match kind {
        Kind::Integer | Kind::Double | Kind::Boolean | Kind::Null | Kind::NullArray => 0,
        // Its format is in the value itself.
        Kind::Verbatim => bytes.len().saturating_sub(4),
        _ => bytes.len(),
    }
}

/// A value without parts, from bytes that were checked when its element was read.
fn scalar(kind: Kind, bytes: &[u8]) -> Result<Value, Malformed> {
    Ok(match kind {
        Kind::Simple => Value::Simple(bytes.to_vec()),
        Kind::Error => Value::Error(bytes.to_vec()),
        Kind::BulkError => Value::BulkError(bytes.to_vec()),
        Kind::Integer => Value::Integer(signed_integer(bytes).ok_or(Malformed::Integer)?),
        Kind::BigNumber => Value::BigNumber(bytes.to_vec()),
        Kind::Double => Value::Double(any_double(bytes).ok_or(Malformed::Double)?),
        Kind::Boolean => Value::Boolean(bytes == b"t"),
        Kind::Verbatim => match bytes {
            [a, b, c, b':', text @ ..] => Value::Verbatim {
                format: [*a, *b, *c],
                text: text.to_vec(),
            },
            _ => return Err(Malformed::Verbatim),
        },
        Kind::NullArray => Value::NullArray,
        Kind::Null => Value::Null,
        // An element with bytes is no aggregate, so this is the one that is left.
        Kind::Bulk | Kind::Array | Kind::Set | Kind::Map | Kind::Push => {
            Value::Bulk(bytes.to_vec())
        }
    })
}
