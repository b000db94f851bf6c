//! The agent as a shared object: `LD_PRELOAD=libperflab_preload.so PROGRAM` starts it before the program.
#![expect(
    unsafe_code,
    reason = "the linker finds the constructor by its section"
)]

/// Run when the object is loaded.
#[used]
// SAFETY: the section holds addresses of functions like this.
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = {
    extern "C" fn start() {
        let Err(error) = perflab_agent::start_before_the_program() else {
            return;
        };
        let is_set = |variable: &&str| std::env::var_os(variable).is_some();
        // Somebody waits for what this process counts or records.
        let is_asked = matches!(error, perflab_agent::StartError::Failed(_))
            && ["PERFLAB_PROBES", "PERFLAB_RECORD"].iter().any(is_set);
        if is_asked || is_set(&"PERFLAB_AGENT_VERBOSE") {
            use std::io::Write;
            let process = std::process::id();
            let _ = writeln!(
                std::io::stderr(),
                "perflab agent: process {process}: {error}"
            );
        }
    }
    start
};
