//! What numbers become: as RFC 9669 defines it, and for the verifier's constants as well.

/// Two numbers become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the operation of its name")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// By zero: 0.
    Divide,
    DivideSigned,
    /// Of a division by zero: the first number.
    Remainder,
    RemainderSigned,
    Or,
    And,
    Xor,
    /// By the lowest 6 bits of the second number; of 32 bits, by the lowest 5.
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
}

impl Binary {
    /// The result: of all 64 bits if it is wide, else of the lower 32, with zeros above.
    #[inline]
    pub fn of(self, wide: bool, one: u64, other: u64) -> u64 {
        let (a, b, mask) = if wide {
            (one, other, 63)
        } else {
            (u64::from(one as u32), u64::from(other as u32), 31)
        };
        let (signed_a, signed_b) = if wide {
            (a as i64, b as i64)
        } else {
            (i64::from(a as i32), i64::from(b as i32))
        };
        let shift = b as u32 & mask;
        let result = match self {
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Multiply => a.wrapping_mul(b),
            Self::Divide => a.checked_div(b).unwrap_or(0),
            Self::DivideSigned if signed_b == 0 => 0,
            Self::DivideSigned => signed_a.wrapping_div(signed_b) as u64,
            Self::Remainder => a.checked_rem(b).unwrap_or(a),
            Self::RemainderSigned if signed_b == 0 => a,
            Self::RemainderSigned => signed_a.wrapping_rem(signed_b) as u64,
            Self::Or => a | b,
            Self::And => a & b,
            Self::Xor => a ^ b,
            Self::ShiftLeft => a.wrapping_shl(shift),
            Self::ShiftRight => a.wrapping_shr(shift),
            Self::ShiftRightSigned => signed_a.wrapping_shr(shift) as u64,
        };
        if wide {
            result
        } else {
            u64::from(result as u32)
        }
    }
}

/// One number becomes another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// The negative number.
    Negate,
    /// The negative number of the lower 32 bits, zeros above.
    Negate32,
    /// The lower 16 bits, zeros above.
    Truncate16,
    /// The lower 32 bits, zeros above.
    Truncate32,
    /// From the sign of 8 bits to 64.
    Extend8,
    /// From the sign of 16 bits to 64.
    Extend16,
    /// From the sign of 32 bits to 64.
    Extend32,
    /// From the sign of 8 bits to 32, zeros above.
    Extend8To32,
    /// From the sign of 16 bits to 32, zeros above.
    Extend16To32,
    /// The lower 2 bytes in the other order, zeros above.
    Swap16,
    /// The lower 4 bytes in the other order, zeros above.
    Swap32,
    /// The bytes in the other order.
    Swap64,
    /// [`crate::Helper::DoubleOfInteger`].
    DoubleOfInteger,
    /// [`crate::Helper::IntegerOfDouble`].
    IntegerOfDouble,
}

impl Unary {
    /// The result.
    #[inline]
    pub fn of(self, value: u64) -> u64 {
        match self {
            Self::Negate => value.wrapping_neg(),
            Self::Negate32 => u64::from((value as u32).wrapping_neg()),
            Self::Truncate16 => u64::from(value as u16),
            Self::Truncate32 => u64::from(value as u32),
            Self::Extend8 => i64::from(value as i8) as u64,
            Self::Extend16 => i64::from(value as i16) as u64,
            Self::Extend32 => i64::from(value as i32) as u64,
            Self::Extend8To32 => u64::from(i32::from(value as i8) as u32),
            Self::Extend16To32 => u64::from(i32::from(value as i16) as u32),
            Self::Swap16 => u64::from((value as u16).swap_bytes()),
            Self::Swap32 => u64::from((value as u32).swap_bytes()),
            Self::Swap64 => value.swap_bytes(),
            Self::DoubleOfInteger => (value as i64 as f64).to_bits(),
            Self::IntegerOfDouble => integer_of_double(value),
        }
    }
}

/// Without the processor's conversion: of a number that is none or too great, that would raise an exception, for which
/// the program may have asked to be signalled.
fn integer_of_double(bits: u64) -> u64 {
    let fraction = bits & ((1 << 52) - 1) | 1 << 52;
    // How far the lowest bit of the fraction is to the left of the point.
    let size = match (bits >> 52 & 0x7ff) as i32 - 1075 {
        ..=-53 => 0,
        left @ -52..0 => fraction >> -left,
        left @ 0..=10 => fraction << left,
        _ => return 1 << 63,
    };
    if bits >> 63 == 0 {
        size
    } else {
        size.wrapping_neg()
    }
}

/// [`crate::Helper::CompareDoubles`].
#[inline]
pub fn compare_doubles(one: u64, other: u64) -> u64 {
    let order = f64::from_bits(one).partial_cmp(&f64::from_bits(other));
    order.map_or(2, |order| order as i64 as u64)
}

/// What a jump asks of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the comparison of its name")]
pub enum Relation {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    SignedGreater,
    SignedGreaterOrEqual,
    SignedLess,
    SignedLessOrEqual,
    /// Whether there is a bit that both have.
    Common,
}

impl Relation {
    /// Whether it holds: for all 64 bits if it is wide, else for the lower 32.
    #[inline(always)]
    pub fn holds(self, wide: bool, one: u64, other: u64) -> bool {
        // Extended by their sign, numbers of 32 bits are ordered as before, signed and unsigned.
        let (one, other) = if wide {
            (one, other)
        } else {
            (Unary::Extend32.of(one), Unary::Extend32.of(other))
        };
        let (signed_one, signed_other) = (one as i64, other as i64);
        match self {
            Self::Equal => one == other,
            Self::NotEqual => one != other,
            Self::Greater => one > other,
            Self::GreaterOrEqual => one >= other,
            Self::Less => one < other,
            Self::LessOrEqual => one <= other,
            Self::SignedGreater => signed_one > signed_other,
            Self::SignedGreaterOrEqual => signed_one >= signed_other,
            Self::SignedLess => signed_one < signed_other,
            Self::SignedLessOrEqual => signed_one <= signed_other,
            Self::Common => one & other != 0,
        }
    }
}
