//! Any bytes as what an agent and its peers say: headers, sites, descriptions, filters.
//!
//! The first line is the kind of input: `d` a description, `p` names of probes, `h` the digits of a filter, `w` a filter,
//! `f` what became of one, `t` what a recording waits for, `v` how often a value came, otherwise a header and what
//! follows it.

use perflab_abi::variable::{WHEN, check_value, hexadecimal};
use perflab_abi::{
    Description, FEW_ARGUMENTS, FilterWish, Filtered, HEADER_SIZE, Header, LONGEST_MESSAGE,
    MOST_ARGUMENTS, MessageError, ProbeContent, Reader, SiteState, Trigger, ValueHits, Writer,
    patterns,
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

fn digits(text: &str) {
    let Some(bytes) = hexadecimal(text) else {
        assert!(check_value(WHEN, text).is_err());
        return;
    };
    assert!(check_value(WHEN, text).is_ok());
    let again: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(again, text.to_ascii_lowercase());
}

/// What was read from the beginning of these bytes, written again, is the same.
fn is_written_as_read(
    content: &[u8],
    left: usize,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), MessageError>,
) {
    let read = &content[..content.len() - left];
    let mut buffer = vec![0; read.len()];
    let mut writer = Writer::new(&mut buffer);
    write(&mut writer).expect("it had room");
    assert_eq!(writer.written(), read.len());
    assert_eq!(buffer, read);
}

fn filter(content: &[u8]) -> bool {
    let mut reader = Reader::new(content);
    let Ok(filter) = FilterWish::decode(&mut reader) else {
        return false;
    };
    for alternative in filter.alternatives() {
        assert_eq!(alternative.imports.len(), alternative.imports.count());
    }
    is_written_as_read(content, reader.left(), |writer| filter.encode(writer));
    true
}

fn filtered(content: &[u8]) -> bool {
    let mut reader = Reader::new(content);
    let Ok(filtered) = Filtered::decode(&mut reader) else {
        return false;
    };
    is_written_as_read(content, reader.left(), |writer| filtered.encode(writer));
    true
}

fn trigger(content: &[u8]) -> bool {
    let mut reader = Reader::new(content);
    let Ok(Some(trigger)) = Trigger::decode(&mut reader) else {
        return false;
    };
    is_written_as_read(content, reader.left(), |writer| trigger.encode(writer));
    true
}

fn value(content: &[u8]) -> bool {
    let mut reader = Reader::new(content);
    let Ok(hits) = ValueHits::decode(&mut reader) else {
        return false;
    };
    is_written_as_read(content, reader.left(), |writer| hits.encode(writer));
    true
}

/// Whether the input is worth keeping in a corpus.
pub fn run(input: &[u8]) -> bool {
    let (kind, rest) = first_line(input);
    let text_target: fn(&str) = match kind {
        b"d" => description,
        b"p" => names,
        b"h" => digits,
        b"w" => return filter(rest),
        b"f" => return filtered(rest),
        b"t" => return trigger(rest),
        b"v" => return value(rest),
        _ => return message(rest),
    };
    let text = std::str::from_utf8(rest);
    text.map(text_target).is_ok()
}

fn message(rest: &[u8]) -> bool {
    let Some((header, content)) = rest.split_first_chunk::<HEADER_SIZE>() else {
        return false;
    };
    if let Ok(decoded) = Header::decode(header) {
        assert!(decoded.length <= LONGEST_MESSAGE);
        assert_eq!(decoded.encode(), *header);
    }
    if let Ok(site) = SiteState::decode(&mut Reader::new(content)) {
        // Earlier agents say nothing in the last bytes.
        let mut buffer = vec![0; content.len() + 3];
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
