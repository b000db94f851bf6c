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
        if let Err(error) = perflab_agent::start_before_the_program()
            && std::env::var_os("PERFLAB_AGENT_VERBOSE").is_some()
        {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "perflab agent: {error}");
        }
    }
    start
};
