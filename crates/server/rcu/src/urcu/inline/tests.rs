#![expect(unsafe_code, reason = "the process forks, and its child goes on")]

use super::super::barrier::ForCompiler;
use super::*;

/// Enters a section in a child of a fork, as a reader with this word. Returns how the child ended.
fn enter_in_child(own: u64) -> i32 {
    // SAFETY: the child works on words of its own, and ends.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let (word, has) = (AtomicU64::new(own), AtomicI32::new(1));
        let gp = Gp {
            ctr: AtomicU64::new(PHASE | 1),
            futex: AtomicI32::new(0),
        };
        enter::<ForCompiler>(&word, &gp, &has);
        let is_in_one_more = word.load(Ordering::Relaxed) == own + 1;
        // SAFETY: it ends this process at once.
        unsafe { libc::_exit(i32::from(!is_in_one_more)) };
    }
    let mut status = 0;
    // SAFETY: the status is written.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status
}

#[test]
fn a_reader_with_more_forgotten_sections_than_its_word_can_count_ends_the_process() {
    assert_eq!(enter_in_child(PHASE | (NEST - 1)), 0);
    let status = enter_in_child(PHASE | NEST);
    assert!(libc::WIFSIGNALED(status), "{status:#x}");
    assert_eq!(libc::WTERMSIG(status), libc::SIGABRT);
}
