//! An expression against several probes.

use crate::check::{Checked, check, missing, nothing};
use crate::fields::Fields;
use crate::problem::{Problem, ProblemKind};
use crate::tree::{Name, NodeKind, Tree};

/// What an expression becomes for several probes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Programs {
    /// One for each assignment of classes to the names, in the order of the probes.
    pub programs: Vec<Checked>,
    /// For each probe the number of its program, or why it never records.
    pub probes: Vec<Result<usize, Problem>>,
}

/// Checks an expression against the arguments of several probes.
///
/// # Errors
/// When it can judge none of them, with what comes nearest: a name that no probe has, else a problem of types.
pub fn check_each(tree: &Tree, probes: &[Fields<'_>]) -> Result<Programs, Problem> {
    let mut all = Programs::default();
    for fields in probes {
        let answer = check(tree, fields).map(|checked| {
            let mut known = all.programs.iter();
            let same = known.position(|known| known.imports == checked.imports);
            same.unwrap_or_else(|| {
                all.programs.push(checked);
                all.programs.len() - 1
            })
        });
        all.probes.push(answer);
    }
    if all.programs.is_empty() && !probes.is_empty() {
        return Err(of_none(tree, probes, all.probes));
    }
    Ok(all)
}

/// Why no probe can be judged.
fn of_none(tree: &Tree, probes: &[Fields<'_>], answers: Vec<Result<usize, Problem>>) -> Problem {
    let is_known = |name: &str| probes.iter().any(|fields| fields.field(name).is_some());
    for node in tree.nodes() {
        match &node.kind {
            NodeKind::Name(Name::Argument(name), _) if !is_known(name) => {
                return missing(&node.at, name, probes);
            }
            NodeKind::Name(Name::Nothing(written), _) => return nothing(&node.at, written),
            _ => {}
        }
    }
    let mut problems = answers.into_iter().filter_map(Result::err);
    if let Some(problem) = problems.find(|problem| !problem.is_missing()) {
        return problem;
    }
    let mut asked: Vec<String> = Vec::new();
    for name in tree.arguments().map(|name| format!("`{name}`")) {
        if !asked.contains(&name) {
            asked.push(name);
        }
    }
    Problem::new(tree.root().at.clone(), ProblemKind::Apart(asked.join(", ")))
}
