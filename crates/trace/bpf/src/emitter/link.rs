//! Code with jumps that are as short as they can be.

use alloc::vec::Vec;

/// Fills the space between pieces of code: an instruction that traps.
pub const INT3: u8 = 0xcc;

/// Most bytes of code, so that a place in it has 16 bits, also if it is moved a little.
const MOST_BYTES: usize = u16::MAX as usize - u8::MAX as usize;

/// A place in the code, which need not be known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(usize);

/// What a jump asks of the flags, by its number in the jump's opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition(u8);

impl Condition {
    /// Unsigned.
    pub const BELOW: Self = Self(0x2);
    pub const EQUAL: Self = Self(0x4);
    pub const NOT_EQUAL: Self = Self(0x5);
    /// Unsigned.
    pub const ABOVE: Self = Self(0x7);
    pub const LESS: Self = Self(0xc);
    pub const GREATER: Self = Self(0xf);

    /// The condition that holds where this one does not.
    pub fn inverse(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// Code that is being made. Jumps are kept apart from all other bytes until their sizes are known.
#[derive(Debug, Default)]
pub struct Assembler {
    bytes: Vec<u8>,
    jumps: Vec<Jump>,
    labels: Vec<Option<Spot>>,
    /// Constants behind the instructions: first those that must be aligned.
    blocks: Vec<[u8; 16]>,
    words: Vec<u64>,
    /// Where the distance to a constant is to be, in four bytes.
    distances: Vec<(Spot, Constant)>,
}

/// A constant, by its number.
#[derive(Debug, Clone, Copy)]
enum Constant {
    Block(usize),
    Word(usize),
}

/// A place behind so many bytes and so many jumps.
#[derive(Debug, Clone, Copy)]
struct Spot {
    bytes: usize,
    jumps: usize,
}

#[derive(Debug)]
struct Jump {
    /// How many bytes come before it.
    bytes: usize,
    kind: Kind,
    to: Label,
    is_near: bool,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Always,
    If(Condition),
    Call,
}

/// Code that is complete.
#[derive(Debug)]
pub struct Linked {
    /// The instructions, then the constants.
    pub bytes: Vec<u8>,
    /// Bytes of the instructions.
    pub instructions: usize,
    /// Where the distances to constants are, in four bytes each.
    pub distances: Vec<u16>,
    labels: Vec<u16>,
}

impl Linked {
    /// Where a label is.
    pub fn place(&self, label: Label) -> u16 {
        self.labels.get(label.0).copied().unwrap_or(0)
    }
}

impl Assembler {
    /// Adds bytes that are the same wherever they are.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// The label is here.
    pub fn bind(&mut self, label: Label) {
        let here = self.here();
        if let Some(spot) = self.labels.get_mut(label.0) {
            *spot = Some(here);
        }
    }

    pub fn jump(&mut self, to: Label) {
        self.add(Kind::Always, to);
    }

    pub fn jump_if(&mut self, condition: Condition, to: Label) {
        self.add(Kind::If(condition), to);
    }

    pub fn call(&mut self, to: Label) {
        self.add(Kind::Call, to);
    }

    /// Adds an instruction that ends with the distance to a constant.
    pub fn put_with_word(&mut self, opcode: &[u8], value: u64) {
        let word = number_of(value, &mut self.words);
        self.put_with(opcode, Constant::Word(word));
    }

    /// The same of sixteen bytes, at an address that is a multiple of that.
    pub fn put_with_block(&mut self, opcode: &[u8], value: [u8; 16]) {
        let block = number_of(value, &mut self.blocks);
        self.put_with(opcode, Constant::Block(block));
    }

    fn put_with(&mut self, opcode: &[u8], constant: Constant) {
        self.put(opcode);
        self.distances.push((self.here(), constant));
        self.put(&[0; 4]);
    }

    fn here(&self) -> Spot {
        Spot {
            bytes: self.bytes.len(),
            jumps: self.jumps.len(),
        }
    }

    fn add(&mut self, kind: Kind, to: Label) {
        self.jumps.push(Jump {
            bytes: self.bytes.len(),
            kind,
            to,
            is_near: matches!(kind, Kind::Call),
        });
    }

    /// Finds the sizes of all jumps. Nothing if there are too many bytes, or if a jump leads to a label that is
    /// nowhere.
    pub fn finish(mut self) -> Option<Linked> {
        let sizes = self.sizes()?;
        let place = |spot: Spot| spot.bytes + sizes[spot.jumps];
        let mut code = Vec::with_capacity(self.bytes.len() + 6 * self.jumps.len());
        let mut done = 0;
        for jump in &self.jumps {
            code.extend_from_slice(&self.bytes[done..jump.bytes]);
            done = jump.bytes;
            let distance = place(self.spot(jump.to)?) as i64 - (code.len() + jump.size()) as i64;
            jump.write(distance as i32, &mut code);
        }
        code.extend_from_slice(&self.bytes[done..]);
        let instructions = code.len();
        let alignment = if self.blocks.is_empty() { 8 } else { 16 };
        code.resize(instructions.next_multiple_of(alignment), INT3);
        let blocks = code.len();
        code.extend_from_slice(self.blocks.as_flattened());
        let words = code.len();
        code.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        let mut distances = Vec::with_capacity(self.distances.len());
        for (spot, constant) in &self.distances {
            let at = place(*spot);
            let constant = match constant {
                Constant::Block(number) => blocks + 16 * number,
                Constant::Word(number) => words + 8 * number,
            };
            let distance = constant as i64 - (at + 4) as i64;
            code[at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
            distances.push(at as u16);
        }
        let labels = self.labels.iter();
        let labels = labels.map(|spot| spot.map_or(0, |spot| place(spot) as u16));
        (code.len() <= MOST_BYTES).then(|| Linked {
            labels: labels.collect(),
            bytes: code,
            instructions,
            distances,
        })
    }

    fn spot(&self, label: Label) -> Option<Spot> {
        self.labels.get(label.0).copied().flatten()
    }

    /// Bytes of the first jumps, for each number of them. All are short at first; those that do not reach grow, which
    /// may put others out of reach, until all do.
    fn sizes(&mut self) -> Option<Vec<usize>> {
        loop {
            let mut sizes = Vec::with_capacity(self.jumps.len() + 1);
            let mut sum = 0;
            sizes.push(0);
            for jump in &self.jumps {
                sum += jump.size();
                sizes.push(sum);
            }
            let mut has_grown = false;
            for index in 0..self.jumps.len() {
                let jump = &self.jumps[index];
                let to = self.spot(jump.to)?;
                let end = jump.bytes + sizes[index + 1];
                let distance = (to.bytes + sizes[to.jumps]) as i64 - end as i64;
                if !jump.is_near && i8::try_from(distance).is_err() {
                    self.jumps[index].is_near = true;
                    has_grown = true;
                }
            }
            if !has_grown {
                return Some(sizes);
            }
        }
    }
}

/// The number of a value among those that are there, to which it is added.
fn number_of<T: PartialEq>(value: T, all: &mut Vec<T>) -> usize {
    let known = all.iter().position(|known| *known == value);
    known.unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

impl Jump {
    fn size(&self) -> usize {
        match (self.is_near, self.kind) {
            (false, _) => 2,
            (true, Kind::If(_)) => 6,
            (true, _) => 5,
        }
    }

    /// Writes it with the distance from its end.
    fn write(&self, distance: i32, code: &mut Vec<u8>) {
        let distance = distance.to_le_bytes();
        match (self.is_near, self.kind) {
            (false, Kind::If(condition)) => code.extend([0x70 | condition.0, distance[0]]),
            (false, _) => code.extend([0xeb, distance[0]]),
            (true, Kind::If(condition)) => code.extend([0x0f, 0x80 | condition.0]),
            (true, Kind::Always) => code.push(0xe9),
            (true, Kind::Call) => code.push(0xe8),
        }
        if self.is_near {
            code.extend(distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A jump over so many bytes, forward and then back.
    fn over(bytes: usize) -> Vec<u8> {
        let mut code = Assembler::default();
        let [begin, end] = [(); 2].map(|()| code.label());
        code.bind(begin);
        code.jump_if(Condition::EQUAL, end);
        code.put(&alloc::vec![0x90; bytes]);
        code.bind(end);
        code.jump(begin);
        code.finish().unwrap().bytes
    }

    #[test]
    fn jumps_are_short_where_that_reaches() {
        assert_eq!(over(0), [0x74, 0, 0xeb, 0xfc, INT3, INT3, INT3, INT3]);
        let short = over(124);
        assert_eq!(short[..2], [0x74, 124]);
        assert_eq!(short[126..128], [0xeb, 0x80]);
        // Back it is a byte too far; forward it is not.
        let longer = over(125);
        assert_eq!(longer[..2], [0x74, 125]);
        assert_eq!(longer[127..132], [0xe9, 0x7c, 0xff, 0xff, 0xff]);
        let near = over(128);
        assert_eq!(near[..6], [0x0f, 0x84, 128, 0, 0, 0]);
        assert_eq!(near[134..139], [0xe9, 0x75, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn a_jump_that_grows_puts_another_out_of_reach() {
        let mut code = Assembler::default();
        let [first, second] = [(); 2].map(|()| code.label());
        code.jump(first);
        code.put(&[0x90; 123]);
        code.jump(second);
        code.put(&[0x90; 2]);
        code.bind(first);
        code.put(&[0x90; 126]);
        code.bind(second);
        let linked = code.finish().unwrap();
        // The second one skips 128 bytes, so it is near, and the first one skips 123 + 5 + 2.
        assert_eq!(linked.bytes[..5], [0xe9, 130, 0, 0, 0]);
        assert_eq!(linked.bytes[128..133], [0xe9, 128, 0, 0, 0]);
        assert_eq!((linked.place(first), linked.place(second)), (135, 261));
    }

    #[test]
    fn constants_lie_behind() {
        let mut code = Assembler::default();
        let back = code.label();
        code.put_with_word(&[0xff, 0x25], 7);
        code.put_with_word(&[0xff, 0x35], 9);
        code.bind(back);
        code.call(back);
        code.put_with_word(&[0xff, 0x25], 7);
        let linked = code.finish().unwrap();
        assert_eq!(linked.instructions, 23);
        let expected = [
            &[0xff, 0x25, 18, 0, 0, 0, 0xff, 0x35, 20, 0, 0, 0][..],
            &[0xe8, 0xfb, 0xff, 0xff, 0xff, 0xff, 0x25, 1, 0, 0, 0, INT3],
            &7_u64.to_le_bytes(),
            &9_u64.to_le_bytes(),
        ];
        assert_eq!(linked.bytes, expected.concat());
        assert_eq!(linked.distances, [2, 8, 19]);
    }

    #[test]
    fn blocks_are_aligned() {
        let mut code = Assembler::default();
        code.put_with_word(&[0xff, 0x25], 7);
        code.put_with_block(&[0x66, 0x0f, 0x74, 0x05], [1; 16]);
        code.put_with_block(&[0x66, 0x0f, 0x74, 0x05], [2; 16]);
        code.put_with_block(&[0x66, 0x0f, 0x74, 0x05], [1; 16]);
        let linked = code.finish().unwrap();
        assert_eq!((linked.instructions, linked.bytes.len()), (30, 72));
        assert_eq!(linked.bytes[32..48], [1; 16]);
        let distance = |at: usize| linked.bytes[at];
        // From the end of each to 64, 32, 48 and 32.
        assert_eq!([2, 10, 18, 26].map(distance), [58, 18, 26, 2]);
    }

    #[test]
    fn what_cannot_be_linked() {
        let mut code = Assembler::default();
        let nowhere = code.label();
        code.jump(nowhere);
        assert!(code.finish().is_none());
        let mut code = Assembler::default();
        code.put(&alloc::vec![0x90; MOST_BYTES + 1]);
        assert!(code.finish().is_none());
    }
}
