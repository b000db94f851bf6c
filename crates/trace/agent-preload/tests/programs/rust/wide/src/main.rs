//! The probes of `wide.c` in Rust, but for the one with texts that may not be there.

use std::ffi::CStr;
use std::io::{Write, stdin, stdout};
use std::ptr::without_provenance;

use perflab_probe::{probe, probe_ordered};

const ROUNDS: i32 = 20;

/// Letters, and a zero byte.
static LETTERS: [u8; 201] = {
    let mut letters = [0; 201];
    let mut at = 0;
    while at < 200 {
        letters[at] = b'a' + (at % 26) as u8;
        at += 1;
    }
    letters
};

/// So many of the last letters.
fn ends(length: usize) -> &'static CStr {
    CStr::from_bytes_with_nul(&LETTERS[200 - length..]).unwrap()
}

/// Letters from so far before the end.
fn from(end: usize, length: usize) -> &'static str {
    str::from_utf8(&LETTERS[200 - end..][..length]).unwrap()
}

/// Gives a probe an argument for each name and number.
macro_rules! each {
    ($probe:ident $name:ident $x:ident integers: $($argument:ident $n:literal)*) => {
        $probe!(sites, $name, $($argument: u64 = $x + $n),*)
    };
    ($probe:ident $name:ident texts: $($argument:ident $n:literal)*) => {
        $probe!(sites, $name, $($argument: cstr = ends($n % 20)),*)
    };
    ($probe:ident $name:ident long: $($argument:ident $n:literal)*) => {
        $probe!(sites, $name, $($argument: cstr = ends(100 + $n)),*)
    };
    ($probe:ident $name:ident pairs: $($argument:ident $n:literal)*) => {
        $probe!(sites, $name, $($argument: str = from(20, $n % 20)),*)
    };
}

fn hit(i: i32) {
    let nowhere = without_provenance::<u8>(8);
    let x = i as u64;
    each!(probe_ordered thirteen x integers:
        v10 10 v11 11 v12 12 v13 13 v14 14 v15 15 v16 16 v17 17 v18 18 v19 19 v20 20 v21 21
        v22 22);
    each!(probe integers x integers:
        v10 10 v11 11 v12 12 v13 13 v14 14 v15 15 v16 16 v17 17 v18 18 v19 19 v20 20 v21 21
        v22 22 v23 23 v24 24 v25 25 v26 26 v27 27 v28 28 v29 29 v30 30 v31 31 v32 32 v33 33
        v34 34 v35 35 v36 36 v37 37 v38 38 v39 39 v40 40 v41 41 v42 42 v43 43 v44 44 v45 45
        v46 46 v47 47 v48 48 v49 49 v50 50 v51 51 v52 52 v53 53 v54 54 v55 55 v56 56 v57 57
        v58 58 v59 59);
    each!(probe texts texts:
        t10 10 t11 11 t12 12 t13 13 t14 14 t15 15 t16 16 t17 17 t18 18 t19 19 t20 20 t21 21
        t22 22 t23 23 t24 24 t25 25 t26 26 t27 27 t28 28 t29 29 t30 30 t31 31 t32 32 t33 33
        t34 34 t35 35 t36 36 t37 37 t38 38 t39 39 t40 40 t41 41 t42 42 t43 43 t44 44 t45 45
        t46 46 t47 47 t48 48 t49 49 t50 50 t51 51 t52 52 t53 53 t54 54 t55 55 t56 56 t57 57
        t58 58 t59 59);
    probe!(sites, most,
        a1: i8 = -1, b1: u8 = 2, c1: i16 = -3, d1: u16 = 4, e1: i32 = i, f1: u32 = 6, g1: i64 = -7,
        h1: u64 = x + 1, j1: f32 = 1.5, k1: f64 = 2.5, l1: bool = i & 1 == 1, m1: ptr = nowhere,
        o1: cstr = ends(1), p1: str = from(20, 1), q1: bytes = from(20, 1 + 1).as_bytes(),
        r1: enum(A = 0, B = 1) = i64::from(i & 1),
        a2: i8 = -1, b2: u8 = 2, c2: i16 = -3, d2: u16 = 4, e2: i32 = i, f2: u32 = 6, g2: i64 = -7,
        h2: u64 = x + 2, j2: f32 = 1.5, k2: f64 = 2.5, l2: bool = i & 1 == 1, m2: ptr = nowhere,
        o2: cstr = ends(2), p2: str = from(20, 2), q2: bytes = from(20, 2 + 1).as_bytes(),
        r2: enum(A = 0, B = 1) = i64::from(i & 1),
        a3: i8 = -1, b3: u8 = 2, c3: i16 = -3, d3: u16 = 4, e3: i32 = i, f3: u32 = 6, g3: i64 = -7,
        h3: u64 = x + 3, j3: f32 = 1.5, k3: f64 = 2.5, l3: bool = i & 1 == 1, m3: ptr = nowhere,
        o3: cstr = ends(3), p3: str = from(20, 3), q3: bytes = from(20, 3 + 1).as_bytes(),
        r3: enum(A = 0, B = 1) = i64::from(i & 1),
        a4: i8 = -1, b4: u8 = 2, c4: i16 = -3, d4: u16 = 4, e4: i32 = i, f4: u32 = 6, g4: i64 = -7,
        h4: u64 = x + 4, j4: f32 = 1.5, k4: f64 = 2.5, l4: bool = i & 1 == 1, m4: ptr = nowhere,
        o4: cstr = ends(4), p4: str = from(20, 4), q4: bytes = from(20, 4 + 1).as_bytes(),
        r4: enum(A = 0, B = 1) = i64::from(i & 1));
    each!(probe room long:
        l10 10 l11 11 l12 12 l13 13 l14 14 l15 15 l16 16 l17 17 l18 18 l19 19 l20 20 l21 21
        l22 22 l23 23 l24 24 l25 25 l26 26 l27 27 l28 28 l29 29 l30 30 l31 31 l32 32 l33 33
        l34 34 l35 35 l36 36 l37 37 l38 38 l39 39 l40 40 l41 41 l42 42 l43 43 l44 44 l45 45
        l46 46 l47 47 l48 48 l49 49 l50 50 l51 51 l52 52 l53 53 l54 54 l55 55 l56 56 l57 57
        l58 58 l59 59 l60 60 l61 61 l62 62 l63 63 l64 64 l65 65 l66 66 l67 67 l68 68 l69 69
        l70 70 l71 71 l72 72 l73 73);
    each!(probe pairs pairs:
        p10 10 p11 11 p12 12 p13 13 p14 14 p15 15 p16 16 p17 17 p18 18 p19 19 p20 20 p21 21
        p22 22);
}

fn main() {
    let is_told = std::env::args().count() > 1;
    let says = |text: &str| {
        print!("{text}");
        stdout().flush().unwrap();
    };
    let waits = || stdin().read_line(&mut String::new()).unwrap();
    if is_told {
        says("ready\n");
        waits();
    }
    for i in 0..ROUNDS {
        hit(i);
    }
    if is_told {
        says("done\n");
    } else {
        let names = ["thirteen", "integers", "texts", "most", "room", "pairs"];
        says(&names.map(|name| format!("{name} {ROUNDS}\n")).concat());
    }
    waits();
}
