//! What the kernel tells the time by.

use super::finding::{Finding, alarm, fine, note, warning};
use crate::clock::Clock;
use crate::source::Root;

const CHECK: &str = "clock-source";
const FILE: &str = "sys/devices/system/clocksource/clocksource0/current_clocksource";

pub(super) fn check(root: Root) -> Vec<Finding> {
    let clock = Clock::take(root);
    let Some(source) = clock.source.as_deref() else {
        return vec![note(CHECK, "the clock source cannot be seen").at(FILE)];
    };
    let available = clock.available.unwrap_or_default();
    let better = ["tsc", "arch_sys_counter"]
        .into_iter()
        .find(|good| *good != source && available.iter().any(|name| name == good));
    vec![judge(source, better).at(FILE)]
}

fn judge(source: &str, better: Option<&str>) -> Finding {
    match source {
        // Read by the program itself without a system call.
        "tsc" | "arch_sys_counter" | "timebase" | "riscv_clocksource" | "tod" => {
            fine(CHECK, format!("the clock source is {source}"))
        }
        // Read without a system call too, but through a page that the hypervisor keeps up to date.
        "kvm-clock" | "hyperv_clocksource_tsc_page" => match better {
            Some(better) => warning(CHECK, format!("the clock source is {source}, though {better} is there"))
                .costs("each reading takes up to twice as long; the clock may step when the machine is moved")
                .advice(format!("choose {better}: perflab doctor --apply")),
            None => note(CHECK, format!("the clock source is {source}: the hypervisor keeps the time")),
        },
        "hpet" | "acpi_pm" | "pit" | "jiffies" | "refined-jiffies" | "xen" | "hyperv_clocksource_msr" => {
            let advice = match better {
                Some(better) => format!("choose {better}: perflab doctor --apply"),
                None => "the kernel has refused the processor's own counter; `dmesg | grep -i tsc` says why".to_owned(),
            };
            alarm(CHECK, format!("the clock source is {source}, which takes a system call and often a slow device"))
                .costs("readings take 0.5 to 3 µs instead of 25 ns; programs that ask for the time often (network servers) are up to three times slower")
                .advice(advice)
        }
        other => warning(CHECK, format!("the clock source is {other}, which is not known here"))
            .costs("perhaps slow readings; the measured part says what one takes")
        .advice("choose a known one if there is any: perflab doctor --apply"),
    }
}
