//! Which cells can be measured: what is asked, how often, and what an answer is.

use std::time::Duration;

use perflab_runner::{Exit, Trouble, impossible_cells};

use crate::experiment::{World, host, text};
use crate::simulated::{End, Script, Simulated};

/// The experiment, whose workload asks with these words.
fn asks(words: &str) -> World {
    let keys = format!("driver = \"generic\"\npossible = [{words}]");
    World::new(&text("restart").replace("driver = \"generic\"", &keys))
}

fn answers(code: i32, said: &str) -> Script {
    let ended = End::After(Duration::from_millis(1), Exit::Code(code));
    Script::short().ends(ended).says(said)
}

/// The ids of the cells that are left out, with the reasons.
fn left_out(world: &World, host: &Simulated) -> Vec<(String, String)> {
    let directory = world.directory.path();
    let left_out = impossible_cells(&world.experiment, directory, directory, host);
    let left_out = left_out.unwrap().into_iter();
    left_out.map(|own| (own.cell.id, own.reason)).collect()
}

fn pair(id: &str, reason: &str) -> (String, String) {
    (id.to_owned(), reason.to_owned())
}

#[test]
fn a_cell_is_left_out_with_the_last_line_of_what_was_said() {
    let world = asks("\"ask-{variant}\"");
    let host = host()
        .also("ask-a", answers(0, "fine\n"))
        .also("ask-b", answers(77, "looking\nno such CPU\n\n"));
    assert_eq!(left_out(&world, &host), [pair("b/w", "no such CPU")]);
    let host = host.also("ask-b", answers(77, ""));
    let reason = "the command of `possible` printed no reason";
    assert_eq!(left_out(&world, &host), [pair("b/w", reason)]);
    // Without the key nothing is asked.
    let world = World::new(&text("restart"));
    assert!(left_out(&world, &host).is_empty());
}

#[test]
fn what_is_the_same_for_several_cells_is_asked_once() {
    let no = || host().also("ask", answers(77, "no\n"));
    let both = [pair("a/w", "no"), pair("b/w", "no")];
    for (words, variables, asked) in [
        ("\"ask\"", "", 1),
        ("\"ask\", \"{variant}\"", "", 2),
        ("\"ask\"", "env = { WHO = \"all\" }", 1),
        ("\"ask\"", "env = { WHO = \"{variant}\" }", 2),
    ] {
        let world = asks(&format!("{words}]\n{variables}\nwithin = [\"nice\""));
        let host = no();
        assert_eq!(left_out(&world, &host), both);
        assert_eq!(host.starts("ask"), asked, "{words} {variables}");
    }
}

#[test]
fn anything_else_is_no_answer() {
    for (script, expected) in [
        (
            answers(2, "usage: ask\n"),
            "a/w: the possible command ended with exit code 2, expected 0, or 77 and the reason; it said last: usage: \
             ask",
        ),
        (
            Script::short().cannot_start(),
            "a/w: the possible command cannot start `ask`",
        ),
        (
            Script::short().ends(End::Never),
            "a/w: the possible command took longer than 60s and was killed",
        ),
    ] {
        let world = asks("\"ask\"");
        let directory = world.directory.path();
        let host = host().also("ask", script);
        let answer = impossible_cells(&world.experiment, directory, directory, &host);
        let Err(Trouble::Fault(fault)) = answer else {
            panic!("{answer:?}");
        };
        assert!(fault.detail.starts_with(expected), "{}", fault.detail);
        assert_eq!(host.left(), 0);
    }
}
