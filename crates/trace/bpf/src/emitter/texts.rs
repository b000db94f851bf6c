//! Texts, compared with literals that are in the code, or behind it.
//!
//! Each compare looks at 1, 2, 4, 8 or 16 bytes. Longer numbers than 32 bits are put behind the code: in instructions
//! they fill the processor's caches, and take longer than the load. In `bench/filters/forms` 50 texts of 15 bytes
//! took 15 ns like this, and 24 ns to 28 ns with the numbers in the instructions.
//!
//! A text with a terminator is compared together with that, so a part of the text or of the literal never passes. All
//! bytes are loaded at once if they are on one page, as in `strcmp`: with the first byte, the others of its page can be
//! read. One test finds those that do not, and null with them: of `address + size - 1`, where the size is a power of
//! two, the bits from the size to that of a page are zero if the last byte is on another page than the first, and if
//! the first is the first of its page. Null is, as are few others. These go the slow way.
//!
//! A text with a length is compared only if it has as many bytes, so all of them can be read.

use super::encode::{Arithmetic, Operand, Register};
use super::link::{Condition, Label};
use super::program::Emitter;
use crate::lowered::{Literal, Part};
use crate::place::Place;
use crate::texts::{PAGE, TextTest};

/// Most bytes that are compared in the code. If a longer text is equal so far, the rest is compared slowly.
const MOST_BYTES: usize = 32;

/// A text whose length is not that of the literal; looked at behind all operations.
#[derive(Debug, Clone, Copy)]
pub struct Longer {
    from: Label,
    /// Where it would end.
    end: Operand,
    no: Label,
    back: Label,
}

impl Emitter<'_> {
    /// Tests a text and goes on where it passes, does not, or is not there.
    pub fn if_text(
        &mut self,
        at: usize,
        how: TextTest,
        import: u8,
        literal: Literal,
        ends: [Label; 3],
    ) {
        self.held = None;
        let literal = self.lowered.literal(literal);
        match (self.place(import), how) {
            (Place::Terminated(word), TextTest::Is) => {
                self.terminated(at, word, literal, 1, ends);
            }
            (Place::Terminated(word), TextTest::Begins) => {
                self.terminated(at, word, literal, 0, ends);
            }
            (Place::Counted(word), TextTest::Is) => self.counted(at, word, literal, true, ends),
            (Place::Counted(word), TextTest::Begins) => {
                self.counted(at, word, literal, false, ends);
            }
            _ => {
                let number = self.pending(at, Some(ends), None);
                self.code.constant(Register::RAX, number);
                self.code.jump(self.help_and_go);
                self.falls = false;
            }
        }
    }

    /// Tests a text that ends with a zero: the literal, then so many zeros.
    fn terminated(&mut self, at: usize, word: u8, literal: &[u8], zeros: usize, ends: [Label; 3]) {
        let [yes, no, absent] = ends;
        let all = literal.len() + zeros;
        let compared = all.min(MOST_BYTES);
        let base = self.address(word);
        let slow = if all <= 1 {
            // No byte but the first is read.
            self.code.test(true, Operand::Register(base), base);
            self.code.jump_if(Condition::EQUAL, absent);
            None
        } else {
            let size = compared.next_power_of_two();
            let slow = self.slow(at, ends);
            self.code.address_32(Register::RAX, base, size as i32 - 1);
            let rax = Operand::Register(Register::RAX);
            self.code.test_with(false, rax, (PAGE - size) as i32);
            self.code.jump_if(Condition::EQUAL, slow);
            Some(slow)
        };
        let is_compared = self.compare_bytes(base, literal, compared, no);
        match slow {
            Some(slow) if all > compared => self.rest(no, slow),
            _ if is_compared => self.branch_to(at, Condition::EQUAL, yes, no),
            _ => self.go(at, yes),
        }
    }

    /// Tests a text that has a length, up to its end or not.
    fn counted(&mut self, at: usize, word: u8, literal: &[u8], to_end: bool, ends: [Label; 3]) {
        let [yes, no, _] = ends;
        let slow = self.slow(at, ends);
        let length = self.word(word + 1);
        let bytes = literal.len() as i32;
        let base = self.address(word);
        // A text of no bytes may be there all the same.
        self.code.test(true, Operand::Register(base), base);
        self.code.jump_if(Condition::EQUAL, slow);
        if to_end || bytes > 0 {
            let how = Arithmetic::Compare;
            self.code.arithmetic_with(how, true, length, bytes);
        }
        if to_end {
            let [from, back] = [(); 2].map(|()| self.code.label());
            self.code.jump_if(Condition::NOT_EQUAL, from);
            self.code.bind(back);
            let end = Operand::Memory(base, bytes);
            self.longer.push(Longer {
                from,
                end,
                no,
                back,
            });
        } else if bytes > 0 {
            self.code.jump_if(Condition::BELOW, no);
        }
        let compared = literal.len().min(MOST_BYTES);
        let is_compared = self.compare_bytes(base, literal, compared, no);
        if literal.len() > compared {
            self.rest(no, slow);
        } else if is_compared {
            self.branch_to(at, Condition::EQUAL, yes, no);
        } else {
            self.go(at, yes);
        }
    }

    /// The code of a text that does not have as many bytes as the literal: if it has more, a zero must end it there.
    pub fn longer(&mut self, text: Longer) {
        self.code.bind(text.from);
        self.code.jump_if(Condition::BELOW, text.no);
        self.code.compare_byte(text.end, 0);
        self.code.jump_if(Condition::EQUAL, text.back);
        self.code.jump(text.no);
    }

    /// Compares what is left, if all so far is equal.
    fn rest(&mut self, no: Label, slow: Label) {
        self.code.jump_if(Condition::NOT_EQUAL, no);
        self.code.jump(slow);
        self.falls = false;
    }

    /// Where an operation is done slowly.
    fn slow(&mut self, at: usize, ends: [Label; 3]) -> Label {
        let from = self.code.label();
        self.pending(at, Some(ends), Some(from));
        from
    }

    /// Compares the first bytes of a text with those of a literal and zeros behind it. If any differ but in the last
    /// compare it goes on at `no`; the flags say of the last one whether it is equal. Returns whether there is one.
    fn compare_bytes(&mut self, base: Register, literal: &[u8], bytes: usize, no: Label) -> bool {
        for (index, (start, size)) in chunks(bytes).enumerate() {
            if index > 0 {
                self.code.jump_if(Condition::NOT_EQUAL, no);
            }
            let mut value = [0; 16];
            for (to, from) in value.iter_mut().zip(literal.iter().skip(start).take(size)) {
                *to = *from;
            }
            let number = u128::from_le_bytes(value) as u64;
            let place = Operand::Memory(base, start as i32);
            let (how, rax) = (Arithmetic::Compare, Register::RAX);
            match size {
                1 => self.code.compare_byte(place, number as u8),
                2 => {
                    // A number of 16 bits in an instruction takes some processors a few cycles to read.
                    self.code.load_part(rax, place, Part::new(0, 1, false));
                    let rax = Operand::Register(rax);
                    self.code.arithmetic_with(how, false, rax, number as i32);
                }
                4 => self.code.arithmetic_with(how, false, place, number as i32),
                8 => {
                    self.code.load(rax, place);
                    self.code.compare_rax(number);
                }
                _ => self.code.compare_block(place, value),
            }
        }
        bytes > 0
    }
}

/// Where compares begin that look at so many bytes, and how many each looks at: as many as fit, all the same. The last
/// one may look at some bytes again.
fn chunks(bytes: usize) -> impl Iterator<Item = (usize, usize)> {
    let size = match bytes {
        0 | 1 => 1,
        2 | 3 => 2,
        4..8 => 4,
        8..16 => 8,
        _ => 16,
    };
    (0..bytes.div_ceil(size)).map(move |index| ((index * size).min(bytes - size), size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn all_bytes_are_compared_and_no_others() {
        for bytes in 0..=MOST_BYTES {
            let mut is_compared = alloc::vec![false; bytes];
            for (start, size) in chunks(bytes) {
                is_compared[start..start + size].fill(true);
            }
            assert!(is_compared.iter().all(|byte| *byte), "{bytes}");
        }
        let some = |bytes| chunks(bytes).collect::<Vec<_>>();
        assert_eq!(some(3), [(0, 2), (1, 2)]);
        assert_eq!(some(7), [(0, 4), (3, 4)]);
        assert_eq!(some(15), [(0, 8), (7, 8)]);
        assert_eq!(some(16), [(0, 16)]);
        assert_eq!(some(17), [(0, 16), (1, 16)]);
    }
}
