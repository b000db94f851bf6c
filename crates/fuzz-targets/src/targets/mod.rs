//! The targets, one a file, and the table of them.

mod aof;
mod columns;
mod counters;
mod drivers;
mod executable;
mod experiment;
mod filter_object;
mod filter_program;
mod filter_text;
mod foreign;
mod frozen_files;
mod generic;
mod history;
mod hyperfine;
mod index;
mod machine;
mod ministat;
mod pages;
mod plan;
mod probe_abi;
mod redis_benchmark;
mod report;
mod resp;
mod result_dir;
mod ring_files;
mod settings;
mod test_reports;
mod trace_file;
mod turns;
mod values;

/// One reader of files or texts, under test.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its source file, and of its program in `fuzz/`.
    pub name: &'static str,
    /// Panics if the input makes the reader break a promise. Returns whether the input is worth keeping in a corpus,
    /// which libFuzzer calls `Corpus::Keep` and `Corpus::Reject`.
    ///
    /// A target keeps its files between inputs, so only one thread may run it at a time. The files are removed when
    /// the thread that ran it first ends.
    pub run: fn(&[u8]) -> bool,
}

impl Target {
    /// The target of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TARGETS.iter().find(|target| target.name == name)
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    target("aof", aof::run),
    target("columns", columns::run),
    target("counters", counters::run),
    target("drivers", drivers::run),
    target("executable", executable::run),
    target("experiment", experiment::run),
    target("filter_object", filter_object::run),
    target("filter_program", filter_program::run),
    target("filter_text", filter_text::run),
    target("foreign", foreign::run),
    target("frozen_files", frozen_files::run),
    target("generic", generic::run),
    target("history", history::run),
    target("hyperfine", hyperfine::run),
    target("index", index::run),
    target("machine", machine::run),
    target("ministat", ministat::run),
    target("pages", pages::run),
    target("plan", plan::run),
    target("probe_abi", probe_abi::run),
    target("redis_benchmark", redis_benchmark::run),
    target("report", report::run),
    target("resp", resp::run),
    target("result_dir", result_dir::run),
    target("ring_files", ring_files::run),
    target("settings", settings::run),
    target("test_reports", test_reports::run),
    target("trace_file", trace_file::run),
    target("turns", turns::run),
    target("values", values::run),
];

const fn target(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target { name, run }
}
