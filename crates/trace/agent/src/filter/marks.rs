//! Which threads are inside a gate.
//!
//! The mark of a thread is a word of its own: 0 as long as the thread is unknown, [`IDLE`], or, inside, the address of
//! the frame with which it came in. The agent reads the marks of others, whose memory goes with them, by the kernel.
#![expect(
    unsafe_code,
    reason = "marks are in memory of other threads, which may have ended"
)]

use std::ffi::c_void;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use perflab_ring::Words;

use super::errno;
use super::limbo::Look;
use super::threads::{Entry, Thread, Threads};
use crate::numbers;
use crate::patch::Tried;
use crate::record::{THREAD_MARK, THREAD_NUMBER, ThreadWords, is_left, lose};

/// The mark of a thread that has not come to a gate yet.
const UNKNOWN: u64 = 0;

/// The mark of a thread that is in no gate.
const IDLE: u64 = 1;

/// Threads that can be known at one time, as many as can have rings.
const MOST_THREADS: usize = 4096;

static THREADS: Threads<MOST_THREADS> = Threads(
    [const {
        Entry {
            number: AtomicU32::new(0),
            mark: AtomicU64::new(0),
        }
    }; MOST_THREADS],
);

/// The process whose threads enter themselves; 0 as long as no point has a gate.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// How often a thread began an event in the frame of another one, which it has left by a jump.
static LEFT: AtomicU32 = AtomicU32::new(0);

/// Threads that came since the last look for those that have ended.
static CAME: AtomicU32 = AtomicU32::new(0);

/// So many may come until the next one.
const MANY: u32 = MOST_THREADS as u32 / 4;

/// Whether there was no room among [`THREADS`] for one that came, and none was made since.
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// Events that no filter has judged, as their threads are unknown.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Whether a thread may be inside that is not among [`THREADS`]: that of a child whose number nobody tells.
static IS_BLIND: AtomicBool = AtomicBool::new(false);

/// From now on threads come to gates.
pub fn begin() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// The process whose threads come to gates.
pub fn process() -> u32 {
    PROCESS.load(Ordering::Relaxed)
}

/// How often an event was left by a jump.
pub fn left() -> u32 {
    LEFT.load(Ordering::SeqCst)
}

/// Says that events were lost before any filter, if so.
pub fn lost() -> Option<String> {
    let events = match LOST.load(Ordering::Relaxed) {
        0 => return None,
        1 => "1 event was".to_owned(),
        lost => format!("{lost} events were"),
    };
    Some(format!(
        "{events} lost before a filter: the agent knows {MOST_THREADS} threads at a time, and no thread whose first \
         event is in its child by vfork"
    ))
}

/// Called by a gate, with the address of its frame, for a thread that is not idle. Returns whether its event is judged:
/// if so, the thread is marked.
pub extern "C-unwind" fn enter(frame: u64) -> bool {
    errno::kept(|| is_marked(frame))
}

fn is_marked(frame: u64) -> bool {
    let words = ThreadWords::new();
    match words.load::<THREAD_MARK>() {
        UNKNOWN => {
            if !come(words) {
                LOST.fetch_add(1, Ordering::Relaxed);
                lose();
                return false;
            }
        }
        // A signal's handler came first.
        IDLE => {}
        outer if is_left(outer, frame) => {
            // Before the mark is another one: who sees that looks here then.
            LEFT.fetch_add(1, Ordering::SeqCst);
        }
        // The event that it interrupts clears the mark.
        _ => return true,
    }
    words.store::<THREAD_MARK>(frame);
    true
}

/// The calling thread enters itself; false if it cannot.
fn come(words: ThreadWords) -> bool {
    // Each event of a thread without room comes here.
    if IS_FULL.load(Ordering::Relaxed) {
        return false;
    }
    let (Some(thread), Some(process)) = (numbers::thread(), numbers::process()) else {
        return false;
    };
    // The child of a vfork is in the memory of its parent's thread: nobody would look at that once the child has ended.
    if process != PROCESS.load(Ordering::Relaxed) {
        return false;
    }
    words.store::<THREAD_NUMBER>(thread.into());
    CAME.fetch_add(1, Ordering::Relaxed);
    let is_in = THREADS.enter(thread, words.address::<THREAD_MARK>());
    if !is_in {
        IS_FULL.store(true, Ordering::Relaxed);
    }
    is_in
}

/// In the child of a fork, by its only thread: the others are not here. The fork may have been made anywhere, also by
/// the handler of a signal within a gate, or within [`enter`]. So the thread enters itself in any case.
pub fn after_fork() {
    if PROCESS.load(Ordering::Relaxed) == 0 {
        return;
    }
    THREADS.clear();
    IS_FULL.store(false, Ordering::Relaxed);
    LOST.store(0, Ordering::Relaxed);
    begin();
    let words = ThreadWords::new();
    if !come(words) {
        IS_BLIND.store(true, Ordering::Relaxed);
    } else if words.is::<THREAD_MARK>(UNKNOWN) {
        words.store::<THREAD_MARK>(IDLE);
    }
}

/// How often all threads are looked for that have ended.
const PERIOD: Duration = Duration::from_secs(1);

/// What looks at threads needs.
#[derive(Debug, Default)]
pub struct Watch {
    reading: Tried,
    asking: Tried,
    cleaned: Option<Instant>,
}

impl Watch {
    /// Makes room for threads that come, from time to time.
    pub fn clean(&mut self) {
        let is_late = self.cleaned.is_none_or(|since| since.elapsed() >= PERIOD);
        let is_due = is_late || CAME.load(Ordering::Relaxed) >= MANY;
        if process() == 0 || !is_due {
            return;
        }
        self.cleaned = Some(Instant::now());
        CAME.store(0, Ordering::Relaxed);
        if self.may_ask() {
            for thread in THREADS.all().filter(|thread| has_ended(*thread)) {
                THREADS.remove(thread);
            }
        }
        // The next thread that comes finds out.
        IS_FULL.store(false, Ordering::Relaxed);
    }

    /// Whether the kernel may be asked which threads have ended. To know that takes longer than to ask it.
    fn may_ask(&mut self) -> bool {
        let own = numbers::thread().map_or(0, i64::from);
        let trial = [process().into(), own, 0, 0, 0, 0];
        self.asking.let_pass(libc::SYS_tgkill, trial).is_ok()
    }

    /// The marks of threads; nothing where one cannot be read, as its thread has ended.
    fn marks(&mut self, threads: &[Thread]) -> Result<Vec<Option<u64>>, String> {
        /// As many as the kernel takes at once.
        const MOST: usize = 1024;
        let failed = |error: io::Error| {
            format!(
                "the agent cannot see whether threads are in a filter ({error}), so it frees none"
            )
        };
        // By this thread, whose memory is the same: the first one of the process may have ended.
        let own = numbers::thread().unwrap_or_else(process);
        let trial = [own.into(), 0, 0, 0, 0, 0];
        let tried = self.reading.let_pass(libc::SYS_process_vm_readv, trial);
        tried.map_err(failed)?;
        let mut marks = Vec::with_capacity(threads.len());
        while let rest @ [_, ..] = &threads[marks.len()..] {
            let part = &rest[..rest.len().min(MOST)];
            let mut words = vec![0_u64; part.len()];
            let local = libc::iovec {
                iov_base: words.as_mut_ptr().cast(),
                iov_len: size_of_val(&*words),
            };
            let remote = part.iter().map(|thread| libc::iovec {
                iov_base: thread.mark as *mut c_void,
                iov_len: size_of::<u64>(),
            });
            let remote: Vec<libc::iovec> = remote.collect();
            let count = remote.len() as libc::c_ulong;
            // SAFETY: it writes no more than the words; what cannot be read is an error.
            let read = unsafe {
                let own = own as libc::pid_t;
                libc::process_vm_readv(own, &raw const local, 1, remote.as_ptr(), count, 0)
            };
            let read = match usize::try_from(read) {
                Ok(bytes) => bytes / size_of::<u64>(),
                Err(_) => match io::Error::last_os_error() {
                    error if error.raw_os_error() == Some(libc::EFAULT) => 0,
                    error => return Err(failed(error)),
                },
            };
            marks.extend(words.iter().take(read).copied().map(Some));
            // It ends at the first that cannot be read.
            if read < part.len() {
                marks.push(None);
            }
        }
        Ok(marks)
    }
}

/// Whether a thread is not there any more, as far as the kernel says so.
fn has_ended(thread: Thread) -> bool {
    let [process, number] = [process(), thread.number].map(i64::from);
    // SAFETY: no signal is sent, it is only looked for who would get it.
    let asked = unsafe { libc::syscall(libc::SYS_tgkill, process, number, 0) };
    asked < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

/// Looks at all threads of the process.
#[derive(Debug)]
pub struct Looking<'w, F> {
    /// What it needs.
    pub watch: &'w mut Watch,
    /// Makes all threads serialise.
    pub serialise: F,
}

impl<F: FnMut() -> Result<(), String>> Look for Looking<'_, F> {
    fn all(&mut self) -> Result<Vec<Thread>, String> {
        if IS_BLIND.load(Ordering::Relaxed) {
            let why =
                "the kernel does not tell the number of a thread, so the agent frees no filter";
            return Err(why.to_owned());
        }
        (self.serialise)()?;
        Ok(THREADS.all().collect())
    }

    fn keep_inside(&mut self, threads: &mut Vec<Thread>) -> Result<(), String> {
        let marks = self.watch.marks(threads)?;
        let is_idle = |mark: &Option<u64>| matches!(mark, Some(UNKNOWN | IDLE));
        let may_ask = !marks.iter().all(is_idle) && self.watch.may_ask();
        let mut marks = marks.into_iter();
        threads.retain(|thread| match marks.next().flatten() {
            // One that is unknown has not loaded a cell yet.
            Some(UNKNOWN | IDLE) => false,
            Some(_) if !(may_ask && has_ended(*thread)) => true,
            _ => {
                THREADS.remove(*thread);
                false
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::{PAGE, map};

    fn thread_at(mark: u64) -> Thread {
        let threads: Threads<1> = Threads([Entry {
            number: AtomicU32::new(0),
            mark: AtomicU64::new(0),
        }]);
        assert!(threads.enter(numbers::thread().unwrap(), mark));
        threads.all().next().unwrap()
    }

    #[test]
    fn marks_of_threads_that_are_there_and_of_those_that_are_not() {
        begin();
        let memory = map(2 * PAGE, libc::PROT_READ | libc::PROT_WRITE).unwrap() as u64;
        // SAFETY: memory of this test.
        unsafe { libc::munmap((memory + PAGE as u64) as *mut c_void, PAGE) };
        let word = 77_u64;
        let there = thread_at(&raw const word as u64);
        let gone = thread_at(memory + PAGE as u64);
        let mut watch = Watch::default();
        let mut seen = |threads: &[Thread]| watch.marks(threads).unwrap();
        assert_eq!(seen(&[]), []);
        assert_eq!(seen(&[there]), [Some(77)]);
        assert_eq!(seen(&[gone]), [None]);
        let mixed = [there, gone, gone, there];
        assert_eq!(seen(&mixed), [Some(77), None, None, Some(77)]);
        // More than the kernel takes at once.
        let many = vec![there; 3000];
        assert_eq!(seen(&many), vec![Some(77); 3000]);
    }

    /// As a gate does it, and the ways out.
    #[test]
    fn a_thread_is_marked_by_its_outermost_event() {
        begin();
        let words = ThreadWords::new();
        let mark = || words.load::<THREAD_MARK>();
        let here = &raw const words as u64 & !15;
        assert_eq!(mark(), UNKNOWN);
        let jumps = left();
        assert!(enter(here));
        assert_eq!((mark(), left()), (here, jumps));
        let own = numbers::thread().unwrap();
        assert_eq!(words.load::<THREAD_NUMBER>(), own.into());
        assert!(THREADS.all().any(|thread| thread.number == own));
        // A handler's event, far below.
        assert!(enter(here - 4096));
        assert_eq!((mark(), left()), (here, jumps));
        // One that begins where the first had begun: that was left.
        assert!(enter(here));
        assert_eq!(mark(), here);
        assert_eq!(left(), jumps + 1);
        let mut watch = Watch::default();
        let mut looking = Looking {
            watch: &mut watch,
            serialise: || Ok(()),
        };
        let mut all = looking.all().unwrap();
        all.retain(|thread| thread.number == own);
        let mut inside = all.clone();
        looking.keep_inside(&mut inside).unwrap();
        assert_eq!(inside, all);
        words.store::<THREAD_MARK>(IDLE);
        looking.keep_inside(&mut inside).unwrap();
        assert_eq!(inside, []);
        // Its entry stays until it has ended.
        watch.clean();
        assert!(THREADS.all().any(|thread| thread.number == own));
    }

    #[test]
    fn a_thread_that_has_ended_makes_room() {
        begin();
        let ended = std::thread::spawn(|| {
            let words = ThreadWords::new();
            assert!(enter(&raw const words as u64 & !15));
            numbers::thread().unwrap()
        });
        let ended = ended.join().unwrap();
        let mut watch = Watch::default();
        let end = Instant::now() + Duration::from_secs(60);
        // The kernel has its number a moment longer than the library.
        while THREADS.all().any(|thread| thread.number == ended) {
            assert!(Instant::now() < end);
            watch.cleaned = None;
            watch.clean();
        }
    }
}
