//! A page of numbers that two processes share: the groups that the laboratory has started and not
//! yet collected, for its reaper to end.
//!
//! A number is written by a store to memory. A system call for each would cost as much as all else
//! that the laboratory does between two runs of a short command.
#![expect(unsafe_code, reason = "shared memory has no safe interface")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Numbers in the page.
const SLOTS: usize = 1024;

/// Bytes of the page.
const BYTES: usize = SLOTS * size_of::<AtomicI32>();

/// The page, and the file in memory that it is a mapping of.
#[derive(Debug)]
pub(crate) struct Table {
    file: File,
    page: NonNull<[AtomicI32; SLOTS]>,
}

// SAFETY: the page is reached through atomics alone, and is unmapped by nobody but `drop`.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    /// An empty one.
    ///
    /// # Errors
    /// When the system has no memory for it.
    pub(crate) fn new() -> io::Result<Self> {
        let file = File::from(memfd_create("perflab-groups", MemfdFlags::CLOEXEC)?);
        ftruncate(&file, BYTES as u64)?;
        // SAFETY: a new mapping at an address that the kernel picks takes nobody's memory.
        let page = unsafe {
            mmap(
                ptr::null_mut(),
                BYTES,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                &file,
                0,
            )?
        };
        let page = NonNull::new(page.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { file, page })
    }

    /// The file, for the other process.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Replaces one occurrence of a number by another; zero stands for a free place. A number that
    /// is not there, or has no place left, is passed over.
    pub(crate) fn replace(&self, before: i32, after: i32) {
        let change = |slot: &AtomicI32| {
            slot.compare_exchange(before, after, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        };
        let _ = self.slots().iter().any(change);
    }

    /// The numbers in it. Fit for a signal handler.
    pub(crate) fn taken(&self) -> impl Iterator<Item = i32> {
        let numbers = self.slots().iter().map(|slot| slot.load(Ordering::Acquire));
        numbers.filter(|number| *number != 0)
    }

    fn slots(&self) -> &[AtomicI32; SLOTS] {
        // SAFETY: the mapping lives as long as `self`, is aligned to a page, as long as the array,
        // and of zeroes at first, which are valid atomics. The file keeps its length: only this
        // module and the reaper, which reads, have it.
        unsafe { self.page.as_ref() }
    }

    /// The numbers in the file of a table, as the other process finds them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn numbers(file: impl AsFd) -> io::Result<Vec<i32>> {
        let mut bytes = vec![0; BYTES];
        let mut filled = 0;
        while filled < BYTES {
            match rustix::io::pread(&file, &mut bytes[filled..], filled as u64)? {
                0 => break,
                more => filled += more,
            }
        }
        Ok(bytes[..filled]
            .chunks_exact(size_of::<i32>())
            .filter_map(|slot| slot.try_into().ok().map(i32::from_ne_bytes))
            .filter(|number| *number != 0)
            .collect())
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this length; no reference to it can outlive `self`.
        let _ = unsafe { munmap(self.page.as_ptr().cast(), BYTES) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_reader_of_the_file_sees_the_numbers() {
        let table = Table::new().unwrap();
        table.replace(0, 5);
        table.replace(0, 6);
        table.replace(0, 7);
        table.replace(6, 0);
        table.replace(99, 0);
        assert_eq!(Table::numbers(table.file()).unwrap(), [5, 7]);
        table.replace(0, 8);
        assert_eq!(Table::numbers(table.file()).unwrap(), [5, 8, 7]);
        assert!(table.taken().eq([5, 8, 7]));
    }

    #[test]
    fn a_full_table_takes_no_more() {
        let table = Table::new().unwrap();
        for number in 1..=2000 {
            table.replace(0, number);
        }
        assert_eq!(Table::numbers(table.file()).unwrap().len(), SLOTS);
    }

    #[test]
    fn threads_do_not_lose_a_number() {
        let table = Table::new().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..5000 {
                        let number = 1 + thread * 5000 + round;
                        table.replace(0, number);
                        if round % 100 != 0 {
                            table.replace(number, 0);
                        }
                    }
                });
            }
        });
        let mut left = Table::numbers(table.file()).unwrap();
        left.sort_unstable();
        let expected: Vec<i32> = (0..4)
            .flat_map(|thread| (0..50).map(move |n| 1 + thread * 5000 + n * 100))
            .collect();
        assert_eq!(left, expected);
    }
}
