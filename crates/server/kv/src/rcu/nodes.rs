//! The objects that the stress publishes: they show whether they are whole, and whether they were freed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use perflab_rcu::Reclaim;

/// The first word of a node that is in use.
const MAGIC: u64 = 0x7065_7266_6c61_6221;

/// Each byte of a freed node.
const POISON: u64 = 0xDEDE_DEDE_DEDE_DEDE;

/// Most words of content: 256 bytes.
const WORDS: usize = 32;

/// Freed nodes that each thread keeps before it gives them back to the allocator. So a reader that comes too late finds
/// poison instead of another node at the same place.
const QUARANTINE: usize = 4096;

/// Nodes that were freed.
static FREED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static KEPT: RefCell<VecDeque<Box<Node>>> = const { RefCell::new(VecDeque::new()) };
}

/// An object with a number, from which its content follows, and a hash of both.
#[derive(Debug)]
pub struct Node {
    magic: u64,
    number: u64,
    hash: u64,
    length: u64,
    content: [u64; WORDS],
}

/// Damage of a node that a reader saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It was freed while a reader could see it.
    Freed,
    /// It is neither whole nor freed: a part of it was overwritten.
    Torn,
    /// It became another node while a section was open.
    Replaced,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Freed => "was freed, and a reader still saw it",
            Self::Torn => "is neither whole nor freed",
            Self::Replaced => "became another one inside of a section",
        })
    }
}

/// A step of splitmix64: words that look random, one after the other.
pub fn next_word(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Node {
    /// The node of a number; its length of 0 to 256 bytes follows from the number.
    pub fn new(number: u64) -> Box<Self> {
        let mut state = number;
        let length = next_word(&mut state) % (WORDS as u64 + 1);
        let mut content = [0; WORDS];
        for word in content.iter_mut().take(length as usize) {
            *word = next_word(&mut state);
        }
        let mut node = Self {
            magic: MAGIC,
            number,
            hash: 0,
            length,
            content,
        };
        node.hash = node.hashed();
        Box::new(node)
    }

    fn hashed(&self) -> u64 {
        let content = self.content.iter().take(self.length as usize);
        content.fold(self.number ^ self.length, |hash, word| {
            (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    /// Looks at the whole node, and returns its number.
    ///
    /// # Errors
    /// Its damage.
    // Neither inlined nor told which node it is: the compiler may take what is behind a reference for constant, and
    // would otherwise look only once.
    #[inline(never)]
    pub fn check(&self) -> Result<u64, Damage> {
        let node = black_box(self);
        let words = [node.magic, node.number, node.hash, node.length];
        if words.contains(&POISON) || node.content.contains(&POISON) {
            return Err(Damage::Freed);
        }
        if node.magic != MAGIC || node.length > WORDS as u64 || node.hash != node.hashed() {
            return Err(Damage::Torn);
        }
        Ok(node.number)
    }
}

/// Frees nodes as the stress wants it: overwritten, and kept for a while by the thread that frees them.
#[derive(Debug)]
pub struct Quarantine;

impl Reclaim<Node> for Quarantine {
    fn reclaim(mut node: Box<Node>) {
        *node = Node {
            magic: POISON,
            number: POISON,
            hash: POISON,
            length: POISON,
            content: [POISON; WORDS],
        };
        FREED.fetch_add(1, Ordering::Relaxed);
        // A thread that ends frees what it still gets at once.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            kept.push_back(node);
            if kept.len() > QUARANTINE {
                kept.pop_front();
            }
        });
    }
}

/// Nodes that were freed by this process so far.
pub fn freed() -> u64 {
    FREED.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_whole() {
        for number in 0..1000 {
            assert_eq!(Node::new(number).check(), Ok(number));
        }
    }

    #[test]
    fn each_damage_is_seen() {
        let mut node = Node::new(7);
        node.number = 8;
        assert_eq!(node.check(), Err(Damage::Torn));
        node.number = 7;
        node.length = 1000;
        assert_eq!(node.check(), Err(Damage::Torn));
        let mut node = Node::new(7);
        node.magic = 0;
        assert_eq!(node.check(), Err(Damage::Torn));
        node.hash = POISON;
        assert_eq!(node.check(), Err(Damage::Freed));
    }

    #[test]
    fn a_freed_node_is_poison_in_every_word() {
        let before = freed();
        Quarantine::reclaim(Node::new(9));
        assert_eq!(freed(), before + 1);
        KEPT.with_borrow(|kept| {
            let node = kept.back().expect("it is kept");
            assert_eq!(node.check(), Err(Damage::Freed));
            assert_eq!(
                (node.magic, node.number, node.hash, node.length),
                (POISON, POISON, POISON, POISON)
            );
            assert_eq!(node.content, [POISON; WORDS]);
        });
    }
}
