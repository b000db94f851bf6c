//! What numbers become: as RFC 9669 defines it, and for the verifier's constants as well.
//!
//! Floating-point numbers are taken apart as integers. The processor's own operations obey what the traced program has
//! set for its threads: how results are rounded, whether the smallest numbers count as zero (`-ffast-math`), and which
//! exceptions end in a signal. They also leave flags that the program may look at.

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
    /// By zero: the first number.
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
            Self::DoubleOfInteger => double_of_integer(value),
            Self::IntegerOfDouble => integer_of_double(value),
        }
    }
}

/// The bits of the floating-point number nearest to a signed number; the even one if two are as near.
fn double_of_integer(value: u64) -> u64 {
    const HALF: u64 = 1 << 63;
    let size = (value as i64).unsigned_abs();
    if size == 0 {
        return 0;
    }
    let zeros = size.leading_zeros();
    let left = size << zeros;
    // The highest 53 bits are kept. The first of them adds one to the exponent, as a carry out of them does.
    let (kept, rest) = (left >> 11, left << 53);
    let exponent = u64::from(1085 - zeros) << 52;
    let is_up = rest > HALF || (rest == HALF && kept & 1 == 1);
    let sign = value & (1 << 63);
    sign | (exponent + kept + u64::from(is_up))
}

/// The bits of a floating-point number of 32 bits as those of one of 64.
pub fn double_of_single(bits: u32) -> u64 {
    let sign = u64::from(bits >> 31) << 63;
    let (exponent, fraction) = (bits >> 23 & 0xff, u64::from(bits & 0x7f_ffff));
    let size = match (exponent, fraction) {
        (0, 0) => 0,
        // So many times the smallest one, which is 2 to the power of -149.
        (0, _) => double_of_integer(fraction) - (149 << 52),
        (255, 0) => 0x7ff << 52,
        // Not a number: a quiet one from now on, as the processor's conversion makes it.
        (255, _) => 0xfff << 51 | fraction << 29,
        _ => (u64::from(exponent) + 896) << 52 | fraction << 29,
    };
    sign | size
}

/// [`crate::Helper::IntegerOfDouble`].
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
pub fn compare_doubles(one: u64, other: u64) -> u64 {
    const INFINITY: u64 = 0x7ff << 52;
    let [one, other] = [one, other].map(|bits| (bits & !(1 << 63), bits >> 63 == 1));
    if one.0 > INFINITY || other.0 > INFINITY {
        return 2;
    }
    // Without their sign, they are ordered as their bits are. Both zeros are the same.
    let place = |(size, is_negative): (u64, bool)| {
        let size = size as i64;
        if is_negative { -size } else { size }
    };
    place(one).cmp(&place(other)) as i64 as u64
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The other way to the same results: by the processor, whose settings are the usual ones here.
    #[test]
    fn as_the_processor_calculates() {
        let near = |place: u32| (-3..=3).map(move |more| (1_i64 << place).wrapping_add(more));
        let mut state = 1_u64;
        let random = core::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state as i64 >> (state >> 58)
        });
        // With a half behind the last bit that is kept, and a little less or more.
        let halves = [1 << 53, 3 << 53, 5 << 55, 7 << 60];
        let halves = halves.into_iter().flat_map(|number: i64| {
            [1_i64, 2, 3, 127, 128, 129, 255, 256, 257, 512, 1024].map(|more| number + more)
        });
        let integers = (0..64).flat_map(near).chain(halves);
        for integer in integers.chain(random.take(20_000)) {
            for integer in [integer, integer.wrapping_neg()] {
                let expected = (integer as f64).to_bits();
                assert_eq!(double_of_integer(integer as u64), expected, "{integer}");
            }
        }
        let singles = (0..=u32::MAX).step_by(60_007);
        for bits in singles.chain([1, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000]) {
            for bits in [bits, bits ^ 1 << 31] {
                let (found, single) = (double_of_single(bits), f32::from_bits(bits));
                let expected = f64::from(single).to_bits();
                assert!(found == expected || single.is_nan(), "{bits:#x} {found:#x}");
                assert_eq!(f64::from_bits(found).is_nan(), single.is_nan(), "{bits:#x}");
            }
        }
    }

    #[test]
    fn what_is_no_number_stays_so() {
        // The highest bit of the fraction says that it is quiet.
        for (bits, expected) in [
            (0x7f80_0001, 0x7ff8_0000_2000_0000),
            (0xffc0_0003, 0xfff8_0000_6000_0000),
        ] {
            assert_eq!(double_of_single(bits), expected, "{bits:#x}");
        }
    }

    #[test]
    fn order_is_that_of_the_processor() {
        let halves = (0..=u64::MAX).step_by(usize::MAX / 300);
        let edges = [
            1,
            1 << 52,
            (0x7ff << 52) - 1,
            0x7ff << 52,
            (0x7ff << 52) + 1,
        ];
        let even = halves.chain(edges).map(|bits: u64| bits & !1);
        let all = even.flat_map(|bits| [bits, bits ^ (1 << 63), bits | 1]);
        let all: alloc::vec::Vec<u64> = all.collect();
        for one in &all {
            for other in &all {
                let order = f64::from_bits(*one).partial_cmp(&f64::from_bits(*other));
                let expected = order.map_or(2, |order| order as i64 as u64);
                assert_eq!(
                    compare_doubles(*one, *other),
                    expected,
                    "{one:#x} {other:#x}"
                );
            }
        }
    }
}
