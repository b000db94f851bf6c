use super::*;

fn machine(processors: usize, allowed: usize) -> Machine {
    Machine {
        offered: u32::MAX,
        processors,
        allowed,
    }
}

const COMMANDS: [Kind; 3] = [Kind::Expedited, Kind::Global, Kind::GlobalExpedited];

#[test]
fn on_one_processor_no_command_has_a_number() {
    for kind in COMMANDS {
        let failure = machine(1, 1).check(kind, Others::Idle).unwrap_err();
        assert_eq!(failure.code, Code::Unavailable);
        assert!(failure.to_string().contains("one processor"), "{failure}");
        machine(2, 1).check(kind, Others::Idle).unwrap();
    }
    for kind in [Kind::Mfence, Kind::Lock] {
        machine(1, 1).check(kind, Others::Idle).unwrap();
    }
}

#[test]
fn busy_cpus_are_others_that_the_process_may_use() {
    for kind in [Kind::Expedited, Kind::Lock] {
        let failure = machine(2, 1).check(kind, Others::Busy).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "--others busy: expected 2 CPUs or more that this process may use, found 1"
        );
        machine(2, 2).check(kind, Others::Busy).unwrap();
    }
}

#[test]
fn a_command_that_was_not_at_work_has_no_number() {
    let evidence = |interrupts, sleeps| Evidence {
        processors: 4,
        interrupts,
        sleeps,
    };
    for command in [Command::PrivateExpedited, Command::GlobalExpedited] {
        evidence(2700, 0).judge(command, 1000, 3).unwrap();
        let failure = evidence(2699, 1000).judge(command, 1000, 3).unwrap_err();
        assert_eq!(failure.code, Code::NoNumber);
        assert_eq!(
            failure.to_string(),
            format!(
                "{}: interrupts of other CPUs in 1000 calls: 2699, expected at least 2700. Other \
                 programs had the CPUs that were to be busy: end them, and measure again",
                command.name()
            )
        );
        // CPUs that are idle are not interrupted.
        evidence(0, 0).judge(command, 1000, 0).unwrap();
    }
    evidence(0, 1000).judge(Command::Global, 1000, 0).unwrap();
    let failure = evidence(5000, 999)
        .judge(Command::Global, 1000, 1)
        .unwrap_err();
    assert!(
        failure.to_string().contains("sleeps of the caller"),
        "{failure}"
    );
}
