use std::collections::BTreeMap;

use super::*;

/// What was counted, in words.
fn counted(counts: &Counts) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    counts.each(|value, hits| {
        let value = match value {
            Value::Number(number) => number.to_string(),
            Value::Text { bytes, is_cut } => {
                let dots = if is_cut { "..." } else { "" };
                format!("\"{}\"{dots}", bytes.escape_ascii())
            }
            Value::Null => "null".to_owned(),
            Value::Others => "others".to_owned(),
        };
        assert_eq!(all.insert(value, hits), None, "a value is counted once");
    });
    all
}

fn expected<const N: usize>(counts: [(&str, u64); N]) -> BTreeMap<String, u64> {
    counts.map(|(value, hits)| (value.to_owned(), hits)).into()
}

fn read(address: u64, to: &mut [u8]) -> usize {
    if address == 8 || to.is_empty() {
        return 0;
    }
    // SAFETY: the tests pass addresses of this many bytes.
    unsafe { std::ptr::copy_nonoverlapping(address as *const u8, to.as_mut_ptr(), to.len()) };
    to.len()
}

#[test]
fn values_of_each_kind_of_argument() {
    let text = "p\nn\nf\n1\ni32 number\ncstr name\nstr part\ncstr_nofault lack\nbytes_nofault raw\nf32 ratio";
    let description = Description::parse(text).unwrap();
    let mut context = Context {
        read,
        vtid: 77,
        ..Context::default()
    };
    context.procname[..3].copy_from_slice(b"abc");
    let long = [b'x'; 64];
    let mut terminated = long;
    terminated[63] = 0;
    let address = |bytes: &[u8]| bytes.as_ptr() as u64;
    let events: [[u64; 8]; 4] = [
        [3, address(b"SET\0"), address(b"ab\0c"), 4, 0, 0, 0, 0],
        [
            u64::MAX,
            0,
            0,
            0,
            address(&terminated),
            address(&long),
            3,
            0,
        ],
        [3, address(&terminated), 0, 5, 8, address(&long), 41, 0],
        [3, address(b"SET\0"), address(&long), 40, 8, 8, 9, 0],
    ];
    let forty: String = "x".repeat(40);
    let [whole, cut] = [format!("\"{forty}\""), format!("\"{forty}\"...")];
    let [whole, cut] = [&*whole, &*cut];
    for (argument, values) in [
        ("number", expected([("3", 3), ("18446744073709551615", 1)])),
        ("name", expected([("\"SET\"", 2), ("null", 1), (cut, 1)])),
        (
            "part",
            expected([("\"ab\"", 1), ("\"\"", 1), ("null", 1), (whole, 1)]),
        ),
        ("lack", expected([("null", 1), (cut, 1), ("\"\"", 2)])),
        ("raw", expected([("\"\"", 2), ("\"xxx\"", 1), (cut, 1)])),
        ("$ctx.vtid", expected([("77", 4)])),
        ("$ctx.procname", expected([("\"abc\"", 4)])),
    ] {
        let counts = Counts::new(argument);
        let place = counts.place(&description).unwrap();
        for words in &events {
            // SAFETY: the words are what the description says.
            unsafe { counts.count(place, words, &context) };
        }
        assert_eq!(counted(&counts), values, "{argument}");
    }
    let ratio = Counts::new("ratio");
    let unbound = ratio.place(&description).unwrap_err().to_string();
    assert_eq!(unbound, "argument \"ratio\" is double");
    let none = Counts::new("none");
    let unbound = none.place(&description).unwrap_err().to_string();
    assert_eq!(unbound, "no argument \"none\"");
}

#[test]
fn more_values_than_there_is_room_for() {
    let counts = Counts::new("x");
    for _ in 0..3 {
        for number in 0..5000 {
            counts.add(Key::number(number));
        }
    }
    let found = counted(&counts);
    assert_eq!(found.values().sum::<u64>(), 15_000);
    let others = found["others"];
    assert!(found.len() > ENTRIES - 64 && others > 0, "{}", found.len());
    assert!(
        found
            .iter()
            .all(|(value, hits)| value == "others" || *hits == 3)
    );
}

#[test]
fn threads_count_together() {
    let counts = Counts::new("x");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for number in 0..20_000 {
                    counts.add(Key::number(number % 500));
                }
            });
        }
    });
    let found = counted(&counts);
    assert_eq!(found.len(), 500);
    assert!(found.values().all(|hits| *hits == 160));
}
