use perflab_abi::Description;

use super::*;
use crate::pages::{PAGE, map};

/// The word of a point whose probe has these types of arguments.
fn packed(kinds: &[&str]) -> u64 {
    let lines = kinds.iter().enumerate();
    let lines: Vec<String> = lines.map(|(at, kind)| format!("\n{kind} a{at}")).collect();
    let text = format!("p\nn\nf\n1{}", lines.concat());
    long_forms::pack(7, &Description::parse(&text).unwrap()).unwrap()
}

fn copies_of(packed: u64, words: &[u64]) -> Copies {
    let mut copies = Copies::NONE;
    copies.make(packed, words);
    copies
}

#[test]
fn texts_share_the_room() {
    let shortened = |given: &[u8], room| {
        let mut lengths = [0; MOST_ARGUMENTS];
        lengths[..given.len()].copy_from_slice(given);
        shorten(&mut lengths, room);
        let words: usize = lengths.iter().copied().map(words_of).sum();
        assert_eq!(words, room, "{lengths:?}");
        lengths[..given.len()].to_vec()
    };
    let all = shortened(&[128; MOST_ARGUMENTS], ROOM - MOST_ARGUMENTS);
    assert_eq!(all, [[24; 61].as_slice(), &[16; 3]].concat());
    // The short ones stay whole.
    let some = shortened(&[128, 3, NULL, 20, 100, 0, 7, 128], 20);
    assert_eq!(some, [40, 3, NULL, 20, 40, 0, 7, 40]);
    // A text may need the one word more that it gets.
    assert_eq!(shortened(&[17, 128], 5), [17, 16]);
}

#[test]
fn arguments_as_they_are_passed() {
    let packed = packed(&["i32", "str", "cstr", "bytes_nofault", "f64"]);
    let found: Vec<_> = passed(packed, &[1, 2, 3, 4, 5, 6, 7]).collect();
    let expected = [
        (NUMBER, 1, 0),
        (COUNTED, 2, 3),
        (TERMINATED, 4, 0),
        (COUNTED_NOFAULT, 5, 6),
        (NUMBER, 7, 0),
    ];
    assert_eq!(found, expected);
}

#[test]
fn copies_of_texts_that_may_not_be_there() {
    // SAFETY: two new pages, the second of which cannot be read; given back at the end.
    let (pages, end) = unsafe {
        let pages = map(2 * PAGE, libc::PROT_READ | libc::PROT_WRITE).unwrap();
        libc::mprotect(pages.byte_add(PAGE), PAGE, libc::PROT_NONE);
        pages.cast::<u8>().write_bytes(b'x', PAGE);
        (pages, pages.addr() as u64 + PAGE as u64)
    };
    let text = c"whole";
    let whole = text.as_ptr() as u64;
    let kinds = [
        "u8",
        "cstr_nofault",
        "str_nofault",
        "cstr",
        "cstr_nofault",
        "bytes_nofault",
    ];
    let copies = copies_of(packed(&kinds), &[1, whole, end - 3, 3, 8, 0, whole, 2]);
    let found: Vec<&[u8]> = (0..kinds.len()).map(|index| copies.of(index)).collect();
    assert_eq!(found, [&b""[..], b"whole", b"xxx", b"", b"", b"wh"]);
    assert!(!copies.is_cut);
    let copies = copies_of(packed(&kinds), &[1, 8, end - 3, 4, 8, end - 1, end, 2]);
    let found: Vec<&[u8]> = (0..kinds.len()).map(|index| copies.of(index)).collect();
    assert_eq!(found, [&b""[..], b"", b"xxx", b"", b"x", b""]);
    assert!(copies.is_cut);
    // All that fits is kept, and of as many as there may be as much as is recorded of each at least.
    for (count, first, least) in [(16, 128, 128), (20, 128, 32), (MOST_ARGUMENTS, 32, 32)] {
        for kind in ["cstr_nofault", "str_nofault"] {
            let words = [end - 1000, 200].repeat(count).into_iter();
            let step = if kind == "cstr_nofault" { 2 } else { 1 };
            let words: Vec<u64> = words.step_by(step).collect();
            let copies = copies_of(packed(&vec![kind; count]), &words);
            let lengths = (0..count).map(|index| copies.of(index).len());
            let lengths: Vec<usize> = lengths.collect();
            assert_eq!(lengths[0], first, "{kind}");
            assert!(lengths.iter().all(|length| *length >= least), "{lengths:?}");
            assert!(copies.is_cut);
        }
    }
    // SAFETY: they were mapped above.
    unsafe { libc::munmap(pages, 2 * PAGE) };
}
