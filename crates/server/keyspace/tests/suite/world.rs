//! A keyspace that one thread uses, with a clock that the test moves.
#![expect(
    unsafe_code,
    reason = "one thread uses the keyspace, and frees what it retired when it has no views"
)]

use perflab_keyspace::{Entry, Hand, Key, Keyspace, Random, Writing};
use perflab_rcu::{Pinned, Retire};

/// An object that was retired, and how it is freed.
type Dead = (*mut u8, unsafe fn(*mut u8));

/// What was retired and is not free yet.
#[derive(Default)]
pub struct Grave {
    dead: Vec<Dead>,
}

impl Retire for Grave {
    unsafe fn retire_raw(&mut self, object: *mut u8, bytes: usize, free: unsafe fn(*mut u8)) {
        assert!(bytes > 0, "what is retired has bytes");
        self.dead.push((object, free));
    }
}

impl Grave {
    fn free(&mut self) {
        for (object, free) in self.dead.drain(..) {
            // SAFETY: the only thread has no view now.
            unsafe { free(object) };
        }
    }
}

impl Drop for Grave {
    fn drop(&mut self) {
        self.free();
    }
}

/// A keyspace, its clock, and the memory that it used.
pub struct World {
    pub space: Keyspace,
    grave: Grave,
    pub used: i64,
    pub now: u64,
}

impl World {
    pub fn new() -> Self {
        Self {
            // SAFETY: only one thread uses it, and what it retires is freed when it has no view.
            space: unsafe { Keyspace::new() },
            grave: Grave::default(),
            used: 0,
            now: 1_000_000,
        }
    }

    /// A command with this key.
    pub fn write<R>(
        &mut self,
        key: &[u8],
        command: impl FnOnce(&mut Writing<'_>, &mut Hand<'_>, Key<'_>) -> R,
    ) -> R {
        let key = Key::of(key);
        self.write_all([key], |writing, hand| command(writing, hand, key))
    }

    /// A command with these keys of database 0.
    pub fn write_all<'a, R>(
        &mut self,
        keys: impl IntoIterator<Item = Key<'a>>,
        command: impl FnOnce(&mut Writing<'_>, &mut Hand<'_>) -> R,
    ) -> R {
        let mut hand = Hand::new(&mut self.grave, self.now);
        let mut keys = keys.into_iter();
        let (first, second) = (keys.next().unwrap(), keys.next());
        let mut writing = match second {
            // The shorter way, which most commands take.
            None => self.space.lock(0, first),
            Some(second) => {
                let all = [first, second].into_iter().chain(keys);
                self.space.lock_keys(all.map(|key| (0, key)))
            }
        };
        let result = command(&mut writing, &mut hand);
        drop(writing);
        self.used += hand.memory;
        self.grave.free();
        result
    }

    /// What a hand does that locks by itself.
    pub fn by_hand<R>(
        &mut self,
        work: impl FnOnce(&Keyspace, &mut Hand<'_>, Pinned<'_>) -> R,
    ) -> R {
        let mut hand = Hand::new(&mut self.grave, self.now);
        // SAFETY: no other thread writes, and nothing is freed before the end.
        let result = work(&self.space, &mut hand, unsafe { Pinned::unprotected() });
        self.used += hand.memory;
        self.grave.free();
        result
    }

    /// What a reader sees.
    pub fn by_ref<R>(&self, read: impl FnOnce(&Keyspace, Pinned<'_>) -> R) -> R {
        // SAFETY: no other thread writes, and this one does not while the world is borrowed.
        read(&self.space, unsafe { Pinned::unprotected() })
    }

    /// What a reader sees of a key.
    pub fn read<R>(&self, key: &[u8], read: impl FnOnce(Option<&Entry>, Pinned<'_>) -> R) -> R {
        self.by_ref(|space, pinned| read(space.get(0, Key::of(key), pinned, self.now), pinned))
    }

    pub fn encoding(&self, key: &[u8]) -> Option<&'static str> {
        self.read(key, |entry, _| entry.map(Entry::encoding))
    }

    /// Moves the clock, and sometimes changes the deadline of a key. Returns whether the key is dead now.
    pub fn age(&mut self, random: &mut Random, key: &[u8], deadline: &mut Option<u64>) -> bool {
        self.now += random.below(3) as u64;
        if deadline.is_some_and(|deadline| deadline < self.now) {
            *deadline = None;
            return true;
        }
        if random.below(50) == 0 {
            let next = (random.below(3) > 0).then(|| self.now + random.below(60) as u64);
            let is_there = self.write(key, |writing, hand, key| {
                writing.set_deadline(hand, 0, key, next)
            });
            *deadline = next.filter(|_| is_there);
        }
        false
    }

    /// Empties all databases: no memory may be used then.
    pub fn end(mut self) {
        let mut hand = Hand::new(&mut self.grave, self.now);
        let databases = 0..perflab_keyspace::DATABASES;
        let mut writing = self.space.lock_databases(databases.clone());
        for db in databases {
            writing.clear(&mut hand, db);
            assert_eq!((self.space.len(db), self.space.with_deadline(db)), (0, 0));
        }
        drop(writing);
        self.used += hand.memory;
        assert_eq!(self.used, 0, "bytes in use when all is gone");
    }
}

/// Calls a test with random numbers whose seed it prints, and ends the world.
pub fn with_random(test: impl FnOnce(&mut Random, &mut World)) {
    let seed = Random::new().number();
    eprintln!("seed {seed:#x}");
    let mut world = World::new();
    test(&mut Random::seeded(seed), &mut world);
    world.end();
}

/// Bytes of a length up to this one, of few different contents.
pub fn bytes(random: &mut Random, most: usize) -> Vec<u8> {
    let number = random.below(200).to_string().into_bytes();
    let filler = random.below(most + 1).saturating_sub(number.len());
    [number, vec![b'x'; filler]].concat()
}
