//! Any bytes as what an agent and its peers say: headers, sites, descriptions.
//!
//! The first line is the kind of input: `d` a description, `p` names of probes, otherwise a header and what
//! follows it.

use perflab_abi::{
    Description, FEW_ARGUMENTS, HEADER_SIZE, Header, LONGEST_MESSAGE, MOST_ARGUMENTS, ProbeContent,
    Reader, SiteState, Writer, patterns,
};

use crate::shared::first_line;

fn description(text: &str) {
    let Ok(description) = Description::parse(text) else {
        return;
    };
    let mut lines = vec![
        description.provider.to_owned(),
        description.name.to_owned(),
        description.file.to_owned(),
        description.line.to_string(),
    ];
    lines.extend(description.arguments().map(|argument| {
        assert!((1..=2).contains(&argument.kind.words()));
        format!("{} {}", argument.kind_text, argument.name)
    }));
    assert!(lines.len() <= 4 + MOST_ARGUMENTS);
    // What was read, written again, is the same.
    let again = lines.join("\n");
    let read = Description::parse(&again).expect("what was read can be written");
    assert!(read.arguments().eq(description.arguments()));
    let content = ProbeContent {
        process: 1,
        probe: 1,
        object: "",
        description: text,
        ahead: None,
    };
    let is_long = lines.len() > 4 + FEW_ARGUMENTS;
    assert_eq!(content.version(), if is_long { 2 } else { 1 });
}

fn names(text: &str) {
    let Ok(pairs) = patterns(text) else {
        return;
    };
    let parts: Vec<String> = pairs
        .map(|(provider, name)| format!("{provider}:{name}"))
        .collect();
    assert!(!parts.is_empty());
    // What was read, written again, is the same.
    let again = parts.join(",");
    let read = patterns(&again).expect("what was read can be written");
    assert!(
        read.map(|(provider, name)| format!("{provider}:{name}"))
            .eq(parts)
    );
}

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (kind, rest) = first_line(input);
    if kind == b"d" || kind == b"p" {
        let Ok(text) = std::str::from_utf8(rest) else {
            return false;
        };
        if kind == b"d" {
            description(text);
        } else {
            names(text);
        }
        return true;
    }
    let Some((header, content)) = rest.split_first_chunk::<HEADER_SIZE>() else {
        return false;
    };
    if let Ok(decoded) = Header::decode(header) {
        assert!(decoded.length <= LONGEST_MESSAGE);
        assert_eq!(decoded.encode(), *header);
    }
    if let Ok(site) = SiteState::decode(&mut Reader::new(content)) {
        // Earlier agents say nothing in the last bytes.
        let mut buffer = vec![0; content.len() + 2];
        let mut writer = Writer::new(&mut buffer);
        site.encode(&mut writer).expect("it had room");
        let written = writer.written();
        assert_eq!(
            SiteState::decode(&mut Reader::new(&buffer[..written])),
            Ok(site)
        );
        description(site.description);
    }
    true
}
