//! A kernel that refuses membarrier although it offers it, as with a filter of system calls.
#![expect(unsafe_code, reason = "filters of system calls have no safe wrapper")]

use std::env;
use std::io;
use std::panic::catch_unwind;
use std::process::Command;
use std::time::Instant;

use perflab_rcu::membarrier::Command as Barrier;
use perflab_rcu::{
    Flavour, Guarded, Limbo, Limits, NotRelieved, OwnMembarrier, OwnMembarrierGlobal, OwnQsbr,
    Unavailable, synchronize, waiting,
};
use perflab_testing::{not_checked, test_name};

use crate::limbo::{PATIENCE, SINGLE};

/// Says that the test's own process is one whose filter stays.
const OWN: &str = "PERFLAB_RCU_REFUSED";

/// Executes this test in a process of its own. `test` is its name, with its module.
fn in_own_process(test: &str, work: impl FnOnce()) {
    if env::var_os(OWN).is_some() {
        work();
        return;
    }
    let status = Command::new(env::current_exe().unwrap())
        .args([test, "--exact"])
        .env(OWN, "1")
        .status();
    assert!(status.unwrap().success());
}

/// From here on the kernel refuses these commands to all threads of the process. False, and written down, if it takes
/// no filter.
fn refuse(commands: &[Barrier]) -> bool {
    let load = |offset| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset);
    let is =
        |value, yes, no| instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, yes, no, value);
    let answer = |value| instruction(libc::BPF_RET | libc::BPF_K, 0, 0, value);
    // The number of the call, and the lower half of its first argument.
    let mut program = vec![load(0), is(libc::SYS_membarrier as u32, 1, 0)];
    program.extend([answer(libc::SECCOMP_RET_ALLOW), load(16)]);
    for command in commands {
        program.push(is(command.bit(), 0, 1));
        program.push(answer(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
    }
    program.push(answer(libc::SECCOMP_RET_ALLOW));
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    // SAFETY: numbers, and a program that lives during the call.
    let refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_TSYNC,
            &raw const filter,
        )
    };
    if refused != 0 {
        let error = io::Error::last_os_error();
        not_checked(&test_name(), &format!("seccomp: {error}"));
    }
    refused == 0
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> libc::sock_filter {
    let code = code as u16;
    libc::sock_filter { code, jt, jf, k }
}

#[test]
fn a_flavour_whose_barrier_is_refused_is_unavailable() {
    let test = "refused::a_flavour_whose_barrier_is_refused_is_unavailable";
    in_own_process(test, || {
        if !refuse(&[Barrier::Global, Barrier::PrivateExpedited]) {
            return;
        }
        let refused = |command: Barrier| {
            Err(Unavailable::Call {
                call: command.name(),
                error: libc::EPERM,
            })
        };
        assert_eq!(OwnMembarrier::load(), refused(Barrier::PrivateExpedited));
        assert_eq!(
            OwnMembarrier::load().unwrap_err().to_string(),
            "MEMBARRIER_CMD_PRIVATE_EXPEDITED: the kernel, or a filter of system calls, refuses it to this process: \
             Operation not permitted (os error 1)"
        );
        let global = OwnMembarrierGlobal::load();
        // It may not be offered here.
        assert!(
            global == refused(Barrier::Global)
                || matches!(global, Err(Unavailable::Membarrier { .. }))
        );
        assert_eq!(OwnQsbr::load(), Ok(()));
    });
}

#[test]
fn without_grace_periods_those_who_retire_are_told_why() {
    let test = "refused::without_grace_periods_those_who_retire_are_told_why";
    in_own_process(test, || {
        if let Err(reason) = OwnMembarrier::load() {
            not_checked(&test_name(), &reason.to_string());
            return;
        }
        let pointer: Guarded<[u8; 100], OwnMembarrier> = Guarded::new(Box::new([0; 100]));
        let mut limbo = Limbo::new(Limits {
            most_bytes: 0,
            patience: PATIENCE,
            ..SINGLE
        });
        let mut retire = || {
            limbo.retire(pointer.swap(Some(Box::new([0; 100]))).unwrap());
            limbo.relieve_alone()
        };
        assert_eq!(retire().unwrap().objects, 0);
        if !refuse(&[Barrier::PrivateExpedited]) {
            return;
        }
        let begin = Instant::now();
        for _ in 0..3 {
            let reason = match retire() {
                Err(NotRelieved::Failed(reason)) => reason,
                other => panic!("{other:?}"),
            };
            assert!(
                reason.starts_with("MEMBARRIER_CMD_PRIVATE_EXPEDITED: the kernel offered it"),
                "{reason}"
            );
        }
        assert!(begin.elapsed() < PATIENCE / 2);
        assert_eq!(waiting::<OwnMembarrier>().objects, 3);
        assert!(catch_unwind(synchronize::<OwnMembarrier>).is_err());
    });
}
