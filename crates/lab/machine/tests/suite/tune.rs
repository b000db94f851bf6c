//! Settings changed and put back in made-up machines, with crashes at every step.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use perflab_machine::LockFile;
use perflab_machine::tune::{
    Journal, Outcome, Recovered, Session, TuneError, Wish, for_measuring, pending, recover,
};
use tempfile::TempDir;

const CPU: &str = "sys/devices/system/cpu";
const CLOCK: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";

/// A machine with two CPUs whose settings do not suit measuring.
const FILES: [(&str, &str); 13] = [
    ("proc/sys/kernel/random/boot_id", "boot-1\n"),
    ("proc/sys/kernel/perf_event_paranoid", "2\n"),
    ("proc/sys/kernel/randomize_va_space", "0\n"),
    ("proc/sys/vm/swappiness", "60\n"),
    (
        "proc/meminfo",
        "MemTotal: 1000 kB\nSwapTotal: 100 kB\nSwapFree: 100 kB\n",
    ),
    (
        "sys/kernel/mm/transparent_hugepage/enabled",
        "[always] madvise never\n",
    ),
    (
        "sys/devices/system/clocksource/clocksource0/available_clocksource",
        "tsc hpet\n",
    ),
    (CLOCK, "hpet\n"),
    ("sys/devices/system/cpu/online", "0-1\n"),
    (
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "powersave\n",
    ),
    (
        "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
        "schedutil\n",
    ),
    ("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
    ("sys/devices/system/cpu/smt/control", "on\n"),
];

struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        for (path, content) in FILES {
            machine.write(path, content);
        }
        machine
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn state(&self) -> PathBuf {
        self.root().join("var/lib/perflab")
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn read(&self, path: &str) -> String {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        let text = text.trim();
        match text.split_once('[') {
            Some((_, rest)) => rest.split(']').next().unwrap().to_owned(),
            None => text.to_owned(),
        }
    }

    fn begin(&self) -> Result<Session, TuneError> {
        Session::begin(self.root(), &self.state())
    }

    fn recover(&self, asked: bool) -> Result<Recovered, TuneError> {
        recover(self.root(), &self.state(), asked)
    }

    /// Checks that every file says what it said at first.
    #[track_caller]
    fn assert_untouched(&self) {
        for (path, content) in FILES {
            let wanted = content.trim();
            let wanted = wanted
                .split_once('[')
                .map_or(wanted, |(_, rest)| rest.split(']').next().unwrap());
            assert_eq!(self.read(path), wanted, "{path}");
        }
        assert!(!pending(&self.state()));
    }
}

fn governor(name: &str) -> Wish {
    Wish::Governor(name.to_owned())
}

#[test]
fn what_suits_measuring_is_set_and_put_back() {
    let machine = Machine::new();
    let wishes = for_measuring(machine.root());
    let mut session = machine.begin().unwrap();
    let outcomes = session.set(&wishes).unwrap();
    for (wish, outcome) in wishes.iter().zip(&outcomes) {
        match wish {
            Wish::EnergyPreference(_) => assert!(
                matches!(outcome, Outcome::Failed(why) if why.contains("energy_performance")),
                "{outcome:?}"
            ),
            _ => assert!(
                matches!(outcome, Outcome::Set { .. }),
                "{wish:?}: {outcome:?}"
            ),
        }
    }
    for cpu in ["cpu0", "cpu1"] {
        let path = format!("{CPU}/{cpu}/cpufreq/scaling_governor");
        assert_eq!(machine.read(&path), "performance");
    }
    assert_eq!(
        machine.read("sys/devices/system/cpu/intel_pstate/no_turbo"),
        "1"
    );
    assert_eq!(machine.read(CLOCK), "tsc");
    assert_eq!(machine.read("proc/sys/vm/swappiness"), "1");
    assert_eq!(machine.read("proc/sys/kernel/randomize_va_space"), "2");
    assert_eq!(
        machine.read("sys/kernel/mm/transparent_hugepage/enabled"),
        "madvise"
    );
    assert_eq!(
        machine.read("sys/devices/system/cpu/smt/control"),
        "on",
        "not asked for"
    );
    assert_eq!(session.set(&wishes).unwrap()[0], Outcome::Already);
    session.restore().unwrap();
    machine.assert_untouched();
}

#[test]
fn a_session_that_is_dropped_puts_everything_back() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&for_measuring(machine.root())).unwrap();
    drop(session);
    machine.assert_untouched();
}

#[test]
fn the_value_before_the_first_change_is_the_one_that_comes_back() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session
        .set(&[governor("performance"), Wish::Smt(false)])
        .unwrap();
    session.set(&[governor("ondemand")]).unwrap();
    assert_eq!(
        machine.read("sys/devices/system/cpu/smt/control"),
        "on",
        "no longer wished for"
    );
    assert_eq!(
        machine.read(&format!("{CPU}/cpu1/cpufreq/scaling_governor")),
        "ondemand"
    );
    session.set(&[]).unwrap();
    assert_eq!(
        machine.read(&format!("{CPU}/cpu1/cpufreq/scaling_governor")),
        "schedutil"
    );
    session.set(&[governor("performance")]).unwrap();
    session.restore().unwrap();
    machine.assert_untouched();
}

/// Dies without a word: what is on disk and in the machine stays, and the lock is free.
fn die(machine: &Machine, session: Session) {
    let journal = fs::read(machine.state().join("settings.json"));
    let files: Vec<(&str, Vec<u8>)> = FILES
        .iter()
        .map(|(path, _)| (*path, fs::read(machine.root().join(path)).unwrap()))
        .collect();
    drop(session);
    for (path, content) in files {
        fs::write(machine.root().join(path), content).unwrap();
    }
    if let Ok(journal) = journal {
        fs::write(machine.state().join("settings.json"), journal).unwrap();
    }
}

#[test]
fn what_a_dead_session_left_is_put_back() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&for_measuring(machine.root())).unwrap();
    assert_eq!(
        machine.recover(false).unwrap(),
        Recovered::Nothing,
        "it lives"
    );
    assert!(machine.recover(true).is_err(), "it lives");
    die(&machine, session);
    assert!(pending(&machine.state()));
    assert!(matches!(
        machine.recover(false).unwrap(),
        Recovered::Restored(_, 8)
    ));
    machine.assert_untouched();
    assert_eq!(machine.recover(true).unwrap(), Recovered::Nothing);
}

/// The restorer may be at it, or may have been killed at it and still wait for a disk.
#[test]
fn who_puts_settings_back_is_waited_for() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&for_measuring(machine.root())).unwrap();
    die(&machine, session);
    let lock = LockFile::try_unsigned(&machine.state().join("settings.lock")).unwrap();
    let recovered = thread::scope(|scope| {
        let recovering = scope.spawn(|| machine.recover(false));
        thread::sleep(Duration::from_millis(100));
        assert!(!recovering.is_finished());
        drop(lock);
        recovering.join().unwrap()
    });
    assert!(matches!(recovered.unwrap(), Recovered::Restored(_, 8)));
    machine.assert_untouched();
}

#[test]
fn a_new_session_puts_back_what_a_dead_one_left_before_it_begins() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&[governor("performance")]).unwrap();
    die(&machine, session);
    let mut session = machine.begin().unwrap();
    session.set(&[governor("ondemand")]).unwrap();
    session.restore().unwrap();
    machine.assert_untouched();
}

#[test]
fn the_journal_is_there_before_anything_is_written() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    // A file that cannot be written to: the journal must know of it all the same.
    let path = machine.root().join(CLOCK);
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/proc/version", &path).unwrap();
    let wish = Wish::ClockSource("tsc".to_owned());
    let outcome = session.set(&[wish]).unwrap().remove(0);
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    let journal = Journal::load(&machine.state()).unwrap().unwrap();
    assert_eq!(journal.entries.len(), 1);
    assert_eq!((journal.boot.as_str(), journal.kept), ("boot-1", false));
    let mode = fs::metadata(machine.state().join("settings.json"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // The old value is the file's own, so nothing has to be written to put it back.
    session.restore().unwrap();
    assert!(!pending(&machine.state()));
}

#[test]
fn after_a_reboot_nothing_is_written() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&[governor("performance")]).unwrap();
    die(&machine, session);
    machine.write("proc/sys/kernel/random/boot_id", "boot-2\n");
    machine.write(
        &format!("{CPU}/cpu0/cpufreq/scaling_governor"),
        "ondemand\n",
    );
    assert_eq!(machine.recover(false).unwrap(), Recovered::Rebooted);
    assert_eq!(
        machine.read(&format!("{CPU}/cpu0/cpufreq/scaling_governor")),
        "ondemand"
    );
    assert!(!pending(&machine.state()));
}

#[test]
fn kept_settings_stay_until_somebody_asks() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&[governor("performance")]).unwrap();
    assert_eq!(session.keep().unwrap(), 2);
    assert!(matches!(
        machine.recover(false).unwrap(),
        Recovered::Kept(_)
    ));
    assert!(matches!(machine.begin(), Err(TuneError::Kept(_))));
    assert_eq!(
        machine.read(&format!("{CPU}/cpu0/cpufreq/scaling_governor")),
        "performance"
    );
    assert!(matches!(
        machine.recover(true).unwrap(),
        Recovered::Restored(_, 2)
    ));
    machine.assert_untouched();
}

#[test]
fn two_at_once_are_refused() {
    let machine = Machine::new();
    let session = machine.begin().unwrap();
    assert!(matches!(machine.begin(), Err(TuneError::Busy(_))));
    session.restore().unwrap();
    machine.begin().unwrap();
}

#[test]
fn what_the_machine_does_not_have_is_said() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    let cases = [
        (
            Wish::ClockSource("sundial".to_owned()),
            "expected one of tsc hpet",
        ),
        (
            Wish::HugePages("sometimes".to_owned()),
            "expected one of [always] madvise never",
        ),
        (
            Wish::Sysctl {
                name: "vm.nothing".to_owned(),
                value: "1".to_owned(),
            },
            "there is no /proc/sys/vm/nothing",
        ),
        (
            Wish::Sysctl {
                name: "..//etc".to_owned(),
                value: "1".to_owned(),
            },
            "expected the name of a parameter",
        ),
        (Wish::InterruptsAwayFrom(vec![0, 1]), "no CPU is left"),
    ];
    for (wish, words) in cases {
        let outcome = session.set(std::slice::from_ref(&wish)).unwrap().remove(0);
        assert!(
            matches!(&outcome, Outcome::Failed(why) if why.contains(words)),
            "{wish:?}: {outcome:?}"
        );
    }
    session.restore().unwrap();
    machine.assert_untouched();
}

#[test]
fn what_cannot_be_put_back_stays_in_the_journal() {
    let machine = Machine::new();
    let mut session = machine.begin().unwrap();
    session.set(&[governor("performance")]).unwrap();
    let path = machine
        .root()
        .join(format!("{CPU}/cpu0/cpufreq/scaling_governor"));
    fs::remove_file(&path).unwrap();
    let error = session.restore().unwrap_err().to_string();
    assert!(
        error.contains("cpu0") && error.contains("doctor --restore"),
        "{error}"
    );
    assert_eq!(
        machine.read(&format!("{CPU}/cpu1/cpufreq/scaling_governor")),
        "schedutil"
    );
    fs::write(&path, "performance\n").unwrap();
    machine.recover(false).unwrap();
    machine.assert_untouched();
}

#[test]
fn interrupts_move_to_the_other_cpus() {
    let machine = Machine::new();
    machine.write("proc/irq/24/smp_affinity_list", "0-1\n");
    machine.write("proc/irq/25/smp_affinity_list", "1\n");
    let mut session = machine.begin().unwrap();
    session.set(&[Wish::InterruptsAwayFrom(vec![1])]).unwrap();
    assert_eq!(machine.read("proc/irq/24/smp_affinity_list"), "0");
    assert_eq!(machine.read("proc/irq/25/smp_affinity_list"), "0");
    session.restore().unwrap();
    assert_eq!(machine.read("proc/irq/24/smp_affinity_list"), "0-1");
    assert_eq!(machine.read("proc/irq/25/smp_affinity_list"), "1");
}
