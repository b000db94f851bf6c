//! The names that results get where they are exported by their commands.

use crate::support::Laboratory;

/// The commands of the results in hyperfine's JSON.
fn commands(laboratory: &Laboratory) -> Vec<String> {
    let export = ["export", "result", "--to", "hyperfine"];
    let document = laboratory.call(&export).code(0).json();
    let results = document["results"].as_array().unwrap();
    let names = results.iter().map(|entry| entry["command"].as_str());
    names.map(|name| name.unwrap().to_owned()).collect()
}

/// What the laboratory fills in is drawn again for each system or run, and says nothing of what is compared.
#[test]
fn commands_that_differ_by_what_was_drawn_are_no_names() {
    for drawn in ["{port}", "{dir}", "{run}/x"] {
        let laboratory = Laboratory::new();
        laboratory
            .run(&format!(
                "[design]\nruns = 2\nblock = 1\nrefresh = 'keep'\n\
                 [variants.old]\nstart = ['sleep', '3600']\n[variants.new]\nstart = ['sleep', '3600']\n\
                 [workloads.w]\ndriver = 'command'\ncommand = ['true', '{drawn}']\n"
            ))
            .code(0);
        assert_eq!(commands(&laboratory), ["old/w", "new/w"], "{drawn}");
    }
}

#[test]
fn commands_that_differ_by_the_variant_are_names() {
    let laboratory = Laboratory::new();
    laboratory
        .run(
            "[design]\nruns = 2\nblock = 1\n\
             [variants.old]\nvars = { much = '0' }\n[variants.new]\nvars = { much = '0.0' }\n\
             [workloads.w]\ndriver = 'command'\ncommand = ['sleep', '{much}']\n",
        )
        .code(0);
    assert_eq!(commands(&laboratory), ["sleep 0", "sleep 0.0"]);
}
