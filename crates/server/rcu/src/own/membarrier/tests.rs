use super::{Command, is_measurable};
use crate::unavailable::Unavailable;

/// All commands that Linux 6 offers.
const ALL: u32 = 0x3ff;

#[test]
fn a_command_that_is_not_offered_is_unavailable() {
    for command in [
        Command::Global,
        Command::GlobalExpedited,
        Command::PrivateExpedited,
    ] {
        assert_eq!(command.available(ALL, 2), Ok(()));
        let offered = ALL & !command.bit();
        let refused = command.available(offered, 2).unwrap_err();
        assert!(refused.to_string().contains(command.name()), "{refused}");
        let none = command.available(0, 2).unwrap_err();
        let command = command.name();
        assert_eq!(
            none,
            Unavailable::Membarrier {
                command,
                offered: 0
            }
        );
    }
}

#[test]
fn with_one_processor_no_command_can_be_measured_and_the_global_flavour_is_unavailable() {
    let command = Command::Global.name();
    assert_eq!(
        Command::Global.available(ALL, 1),
        Err(Unavailable::OneProcessor { command })
    );
    assert_eq!(Command::PrivateExpedited.available(ALL, 1), Ok(()));
    assert!(!is_measurable(1) && is_measurable(2));
}
