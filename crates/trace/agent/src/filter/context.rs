//! What filters are told of an event besides its arguments.
#![expect(
    unsafe_code,
    reason = "the C library and the kernel are asked, also in signal handlers"
)]

use perflab_bpf::{Context, ContextField};
use perflab_ring::Words;

use super::{errno, marks};
use crate::record::{THREAD_NUMBER, ThreadWords};

/// Fills a field in, for the calling thread. Where an event came from only its caller knows.
///
/// The numbers of thread and process are those by which the agent knows the thread: in the child of a `vfork`, which is
/// in the memory of its parent's thread, they are that thread's.
///
/// Where a filter of system calls refuses to tell them, the number of the processor is -1, and the name is empty.
pub fn fill(field: ContextField, context: &mut Context) {
    match field {
        ContextField::Vtid => context.vtid = ThreadWords::new().load::<THREAD_NUMBER>(),
        ContextField::Vpid => context.vpid = marks::process().into(),
        // SAFETY: it takes nothing.
        ContextField::CpuId => {
            context.cpu_id = errno::kept(|| unsafe { libc::sched_getcpu() }) as u64;
        }
        // SAFETY: it takes nothing.
        ContextField::PthreadId => context.pthread_id = unsafe { libc::pthread_self() },
        ContextField::Ip => {}
        ContextField::Procname => {
            let name = context.procname.as_mut_ptr();
            // SAFETY: the kernel writes a name of 16 bytes at most, with the zero at its end.
            errno::kept(|| unsafe { libc::prctl(libc::PR_GET_NAME, name) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_and_the_library_say() {
        let named = std::thread::Builder::new().name("a thread's name of many".to_owned());
        let asked = named.spawn(|| {
            let mut context = Context::default();
            for field in ContextField::ALL {
                fill(field, &mut context);
            }
            context
        });
        let context = asked.unwrap().join().unwrap();
        assert_eq!(&context.procname, b"a thread's name\0");
        assert!(context.pthread_id != 0 && context.cpu_id < 1 << 20);
        assert_eq!((context.vtid, context.ip), (0, 0), "it came to no gate");
    }
}
