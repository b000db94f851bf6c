//! What all pages have around them, and the plots on a page.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use perflab_plot::{Plot, clean, figure, svg};

use crate::address::Address;

/// Longer texts are cut: nobody reads them, and pages get slow.
const MOST: usize = 2000;

/// Text of others, as it may stand on a page. (What HTML escapes is left to HTML.)
pub(crate) fn say(text: &str) -> String {
    if text.len() <= MOST {
        return clean(text);
    }
    let kept: String = text.chars().take(MOST).collect();
    if kept.len() == text.len() {
        return clean(text);
    }
    format!("{}… ({} bytes in all)", clean(&kept), text.len())
}

/// A plot, drawn without a script.
pub(crate) fn drawing(plot: &Plot, id: &str) -> Markup {
    html! {
        figure.plot {
            figcaption { (say(&plot.title)) }
            div.drawing tabindex="0" role="group" aria-label=(say(&plot.title)) { (PreEscaped(svg(plot, id))) }
        }
    }
}

/// A page that is being made.
#[derive(Debug)]
pub(crate) struct Page {
    address: Address,
    /// By their ids, as JSON.
    figures: Vec<(String, String)>,
    /// Files that are made with the page, as they need the same values.
    files: Vec<(Address, String)>,
}

impl Page {
    pub(crate) fn new(address: Address) -> Self {
        Self {
            address,
            figures: Vec::new(),
            files: Vec::new(),
        }
    }

    /// A plot, drawn without a script, and kept for it.
    pub(crate) fn plot(&mut self, plot: &Plot) -> Markup {
        let id = format!("plot-{}", self.figures.len() + 1);
        self.figures.push((id.clone(), figure(plot)));
        html! {
            figure.plot data-figure=(id) {
                figcaption { (say(&plot.title)) }
                div.drawing tabindex="0" role="group" aria-label=(say(&plot.title)) {
                    (PreEscaped(svg(plot, &id)))
                }
            }
        }
    }

    /// Keeps a file that is made with the page.
    pub(crate) fn keep(&mut self, address: Address, content: String) {
        self.files.push((address, content));
    }

    /// What is made with the page: the script with its plots, and other files.
    pub(crate) fn files(mut self) -> Vec<(Address, String)> {
        if !self.figures.is_empty() {
            let address = Address::Figures(self.address.stem());
            self.files.push((address, self.figures()));
        }
        self.files
    }

    fn figures(&self) -> String {
        let each = |(id, figure): &(String, String)| format!("\"{id}\":{figure}");
        let all: Vec<String> = self.figures.iter().map(each).collect();
        format!("window.perflabFigures = {{{}}};\n", all.join(","))
    }

    /// The whole page of a result.
    pub(crate) fn finish(&self, name: &str, title: &str, body: &Markup) -> String {
        let places = [
            (Address::First, "Answer"),
            (Address::Runs(0), "Runs"),
            (Address::Method, "Method"),
        ];
        let shell = Shell {
            name,
            first: Address::First.to_string(),
            places: places
                .iter()
                .map(|(address, word)| (address.to_string(), *word, *address == self.address))
                .collect(),
            figures: (!self.figures.is_empty())
                .then(|| Address::Figures(self.address.stem()).to_string()),
            is_result: true,
        };
        shell.finish(title, body)
    }
}

/// What is around the content of a page.
#[derive(Debug)]
pub(crate) struct Shell<'s> {
    name: &'s str,
    first: String,
    /// Address, word, and whether it is this page.
    places: Vec<(String, &'static str, bool)>,
    /// The script with the plots.
    figures: Option<String>,
    is_result: bool,
}

impl<'s> Shell<'s> {
    /// Around a page that is no result's.
    pub(crate) fn plain(name: &'s str) -> Self {
        Self {
            name,
            first: "/".to_owned(),
            places: Vec::new(),
            figures: None,
            is_result: false,
        }
    }

    pub(crate) fn finish(&self, title: &str, body: &Markup) -> String {
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (say(title)) " · " (say(self.name)) }
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href=(Address::Style);
                    @if let Some(figures) = &self.figures { script src=(figures) defer {} }
                    script src=(Address::Script) defer {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    header {
                        a.name href=(self.first) { (say(self.name)) }
                        @if !self.places.is_empty() {
                            nav aria-label="Pages" {
                                @for (address, word, is_here) in &self.places {
                                    a href=(address) aria-current=[is_here.then_some("page")] { (word) }
                                }
                            }
                        }
                    }
                    main id="main" { (body) }
                    footer {
                        "Made by perflab " (env!("CARGO_PKG_VERSION")) "."
                        @if self.is_result {
                            " Data: "
                            a href=(Address::ReportJson) download { "report (JSON)" } ", "
                            a href=(Address::ReportCsv) download { "report (CSV)" } ", "
                            a href=(Address::SamplesCsv) download { "every sample (CSV)" } "."
                        }
                    }
                }
            }
        };
        markup.into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_letters() {
        let long = "ä".repeat(3000);
        let said = say(&long);
        assert!(said.ends_with("… (6000 bytes in all)"), "{said}");
        assert!(said.len() < 5000);
        assert_eq!(say("a\u{202e}b"), "a\\u{202e}b");
    }
}
