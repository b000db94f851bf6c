//! Takes Plotly, which plots in pages are drawn with once a script may run, out of the crate that carries it.

use std::path::Path;

fn main() {
    let scripts = plotly::Plot::offline_js_sources();
    let library = scripts
        .split_once("<script type=\"text/javascript\">")
        .and_then(|(_, rest)| rest.split_once("</script>"))
        .map(|(library, _)| library)
        .filter(|library| library.contains("plotly.js v"))
        .expect("the crate `plotly` has the library in its first script");
    let directory = std::env::var_os("OUT_DIR").expect("cargo says where to write");
    let path = Path::new(&directory).join("plotly.min.js");
    std::fs::write(path, library).expect("cargo's directory can be written");
    println!("cargo::rerun-if-changed=build.rs");
}
