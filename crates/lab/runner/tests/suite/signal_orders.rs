//! Every order in which a wait and a signal handler on another thread can meet.

#[path = "../../src/this_machine/foreground.rs"]
mod foreground;

/// The atomics of the module, so that loom sees each access.
pub mod atomics {
    pub use loom::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering, fence};
    pub use loom::thread::yield_now as hint;
}

use std::sync::Arc;

use atomics::{AtomicBool, Ordering};
use foreground::Foreground;
use loom::thread;

const GROUP: i32 = 7;

struct World {
    foreground: Foreground,
    asked: AtomicBool,
    /// Whether the group was ended: its leader's wait returns.
    killed: AtomicBool,
    /// Whether the leader was collected: its number may now be somebody else's.
    collected: AtomicBool,
}

impl World {
    fn kill(&self, group: i32) {
        assert_eq!(group, GROUP);
        assert!(
            !self.collected.load(Ordering::SeqCst),
            "the number of a collected process was used"
        );
        self.killed.store(true, Ordering::SeqCst);
    }

    /// What a handler of SIGINT does.
    fn signal(&self) {
        self.asked.store(true, Ordering::SeqCst);
        self.foreground.end(|group| self.kill(group));
    }
}

fn world() -> Arc<World> {
    Arc::new(World {
        foreground: Foreground::new(),
        asked: AtomicBool::new(false),
        killed: AtomicBool::new(false),
        collected: AtomicBool::new(false),
    })
}

#[test]
fn a_collected_process_is_never_ended() {
    loom::model(|| {
        let world = world();
        let handler = thread::spawn({
            let world = Arc::clone(&world);
            move || world.signal()
        });
        // The process ends by itself: the wait returns at once.
        assert!(
            world
                .foreground
                .enter(GROUP, &world.asked, |group| world.kill(group))
        );
        world.foreground.leave();
        world.collected.store(true, Ordering::SeqCst);
        handler.join().unwrap();
    });
}

#[test]
fn a_request_to_stop_always_ends_the_wait() {
    loom::model(|| {
        let world = world();
        let handler = thread::spawn({
            let world = Arc::clone(&world);
            move || world.signal()
        });
        world
            .foreground
            .enter(GROUP, &world.asked, |group| world.kill(group));
        // The process would run for ever: only the handler or the wait itself can end it.
        handler.join().unwrap();
        assert!(world.killed.load(Ordering::SeqCst));
        world.foreground.leave();
    });
}

#[test]
fn there_is_room_for_one() {
    loom::model(|| {
        let world = world();
        let enter = || world.foreground.enter(GROUP, &world.asked, |_| ());
        assert!(enter());
        assert!(!enter());
        world.foreground.leave();
        assert!(enter());
    });
}
