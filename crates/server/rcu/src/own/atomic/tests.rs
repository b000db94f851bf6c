use super::Mutex;

#[test]
fn a_lock_lets_one_thread_in() {
    let lock = Mutex::new(0u64);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    *lock.lock() += 1;
                }
            });
        }
    });
    assert_eq!(*lock.lock(), 80_000);
}

#[test]
fn a_panic_unlocks() {
    let lock = Mutex::new(1);
    let ended: std::thread::Result<()> =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = lock.lock();
            panic!("planted");
        }));
    assert!(ended.is_err());
    assert_eq!(*lock.lock(), 1);
}
