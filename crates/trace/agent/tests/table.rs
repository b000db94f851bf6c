//! Every interleaving of handlers that look at a value with a thread that replaces it.

/// What `table` uses, so that each operation is a point where another thread may come in.
mod atomic {
    pub use loom::sync::atomic::{AtomicPtr, AtomicUsize};
}

#[path = "../src/patch/table.rs"]
mod table;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use table::Table;

/// A value whose end is a write, so that loom sees who reads it then.
struct Value(UnsafeCell<u32>);

impl Drop for Value {
    fn drop(&mut self) {
        self.0.with_mut(|_| ());
    }
}

#[test]
fn a_handler_never_has_a_value_that_was_freed() {
    let mut model = loom::model::Builder::new();
    // More than three changes of thread in the wrong moment find nothing that fewer do not.
    model.preemption_bound = Some(3);
    model.check(|| {
        let table = Arc::new(Table {
            current: atomic::AtomicPtr::new(std::ptr::null_mut()),
            looking: atomic::AtomicUsize::new(0),
        });
        table.replace(Value(UnsafeCell::new(1)), 1);
        let handlers: Vec<_> = (0..2)
            .map(|_| {
                let table = Arc::clone(&table);
                loom::thread::spawn(move || {
                    table.look(|value| value.unwrap().0.with(|value| assert!(!value.is_null())));
                })
            })
            .collect();
        table.replace(Value(UnsafeCell::new(2)), 1);
        for handler in handlers {
            handler.join().unwrap();
        }
    });
}
