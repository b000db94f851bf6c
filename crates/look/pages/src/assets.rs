//! Files that all pages share.

use crate::address::Address;
use crate::content::{Content, Kind};

/// A script of several files, whose names are its own.
macro_rules! script {
    ($($name:literal)*) => {
        concat!("\"use strict\";\n{\n", $(include_str!(concat!("../assets/plots/", $name, ".js"))),*, "}\n")
    };
}

/// Makes plots interactive.
const PLOTS: &str = script!["axis" "layer" "between" "plot" "walk" "picture" "drag" "input"];

/// What pages that are no result's share with those of results, by its name: style and scripts.
pub fn asset(name: &str) -> Option<Content> {
    let (kind, text) = match Address::parse(name)? {
        Address::Style => (Kind::Css, include_str!("../assets/style.css")),
        Address::Script => (Kind::JavaScript, include_str!("../assets/script.js")),
        Address::PlotScript => (Kind::JavaScript, PLOTS),
        _ => return None,
    };
    Some(Content::made(kind, text.to_owned()))
}
