//! What `ethtool -k` says.

/// Short names that `ethtool -K` takes, with the long ones that `ethtool -k` prints.
const SHORT: [(&str, &str); 11] = [
    ("rx", "rx-checksumming"),
    ("tx", "tx-checksumming"),
    ("sg", "scatter-gather"),
    ("tso", "tcp-segmentation-offload"),
    ("gso", "generic-segmentation-offload"),
    ("gro", "generic-receive-offload"),
    ("lro", "large-receive-offload"),
    ("rxvlan", "rx-vlan-offload"),
    ("txvlan", "tx-vlan-offload"),
    ("ntuple", "ntuple-filters"),
    ("rxhash", "receive-hashing"),
];

/// The state of an offload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    on: bool,
    /// Whether the driver does not let it be changed.
    pub(super) fixed: bool,
}

impl State {
    pub(super) fn word(self) -> &'static str {
        if self.on { "on" } else { "off" }
    }
}

/// The long name of a feature.
pub(super) fn long_name(feature: &str) -> &str {
    SHORT
        .iter()
        .find(|(short, _)| *short == feature)
        .map_or(feature, |(_, long)| *long)
}

/// Whether an offload, by its long name, is on in the output of `ethtool -k`. `None` if it is not
/// there.
pub fn is_on(text: &str, feature: &str) -> Option<bool> {
    state(text, feature).map(|state| state.on)
}

/// Finds a feature in the output of `ethtool -k`.
pub(super) fn state(text: &str, feature: &str) -> Option<State> {
    text.lines().find_map(|line| {
        let (name, value) = line.trim_start().split_once(": ")?;
        if name != feature {
            return None;
        }
        let mut words = value.split_whitespace();
        let on = match words.next()? {
            "on" => true,
            "off" => false,
            _ => return None,
        };
        Some(State {
            on,
            fixed: words.any(|word| word == "[fixed]"),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: &str = include_str!("../../tests/fixtures/ethtool/loopback.txt");

    #[test]
    fn features_are_found_under_both_names() {
        let tso = state(LOOPBACK, long_name("tso")).unwrap();
        assert_eq!((tso.word(), tso.fixed), ("on", false));
        let lro = state(LOOPBACK, long_name("lro")).unwrap();
        assert_eq!((lro.word(), lro.fixed), ("off", true));
        assert_eq!(state(LOOPBACK, "no-such-thing"), None);
        let inner = state(LOOPBACK, "tx-tcp-segmentation").unwrap();
        assert_eq!(inner.word(), "on");
    }

    #[test]
    fn cut_output_is_no_panic() {
        for cut in 0..LOOPBACK.len() {
            if let Some(text) = LOOPBACK.get(..cut) {
                let _ = state(text, "tx-checksumming");
            }
        }
        assert_eq!(state("a: maybe\n", "a"), None);
    }
}
