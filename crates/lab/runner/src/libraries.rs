//! The shared libraries of a program, and orders of them that keep its meaning.
//!
//! The loader maps a program's libraries in the order in which it meets them, so they always lie
//! at the same distances from each other, address space randomisation or not. Naming them all in
//! `LD_PRELOAD` makes it meet them in an order of our choice. That also is the order in which
//! symbols are looked up; so two libraries that define the same symbol keep their order, and the
//! program means what it meant.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use rand::Rng;

/// The libraries of a program, with those pairs whose order must stay.
#[derive(Debug, Clone)]
pub struct Libraries {
    /// In the loader's own order.
    paths: Vec<PathBuf>,
    /// `bound[i]` holds the earlier libraries that share a symbol with library `i`.
    bound: Vec<Vec<usize>>,
}

impl Libraries {
    /// Those of an executable file, or nothing where it has no loader to ask: a script, a
    /// statically linked program, or a file of another kind.
    pub fn of(program: &Path) -> Option<Self> {
        if !has_loader(program) {
            return None;
        }
        // The loader prints its plan and ends without running the program.
        let listed = Command::new(program)
            .env_clear()
            .env("LD_TRACE_LOADED_OBJECTS", "1")
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        let paths: Vec<PathBuf> = String::from_utf8_lossy(&listed.stdout)
            .lines()
            .filter_map(|line| {
                line.split_once("=> ")?
                    .1
                    .split(" (")
                    .next()
                    .map(PathBuf::from)
            })
            .filter(|path| path.is_absolute())
            .collect();
        if paths.len() < 2 {
            return None;
        }
        let exports = paths
            .iter()
            .map(|path| exported(path))
            .collect::<Option<Vec<_>>>()?;
        let bound = (0..paths.len())
            .map(|later| {
                (0..later)
                    .filter(|earlier| !exports[*earlier].is_disjoint(&exports[later]))
                    .collect()
            })
            .collect();
        Some(Self { paths, bound })
    }

    /// A random order that keeps the bound pairs, as a value for `LD_PRELOAD`.
    pub fn shuffled(&self, random: &mut impl Rng) -> Vec<PathBuf> {
        let mut placed = vec![false; self.paths.len()];
        let mut order = Vec::with_capacity(self.paths.len());
        while order.len() < self.paths.len() {
            let free: Vec<usize> = (0..self.paths.len())
                .filter(|&library| {
                    !placed[library] && self.bound[library].iter().all(|&before| placed[before])
                })
                .collect();
            // Never empty: the first library not yet placed waits only for earlier ones.
            let next = free[random.random_range(0..free.len())];
            placed[next] = true;
            order.push(self.paths[next].clone());
        }
        order
    }
}

fn has_loader(program: &Path) -> bool {
    let Ok(bytes) = fs::read(program) else {
        return false;
    };
    object::File::parse(&*bytes).is_ok_and(|file| {
        file.sections().any(|section| {
            use object::ObjectSection;
            section.name() == Ok(".interp")
        })
    })
}

fn exported(library: &Path) -> Option<BTreeSet<Vec<u8>>> {
    let bytes = fs::read(library).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    Some(
        file.dynamic_symbols()
            .filter(|symbol| symbol.is_definition() && symbol.is_global())
            .filter_map(|symbol| symbol.name_bytes().ok().map(<[u8]>::to_vec))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn bound_pairs_keep_their_order() {
        let libraries = Libraries {
            paths: ["/a", "/b", "/c", "/d"].map(PathBuf::from).to_vec(),
            bound: vec![vec![], vec![], vec![0], vec![2]],
        };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut seen = BTreeSet::new();
        for _ in 0..200 {
            let order = libraries.shuffled(&mut random);
            let at = |name: &str| {
                order
                    .iter()
                    .position(|path| path == Path::new(name))
                    .unwrap()
            };
            assert!(at("/a") < at("/c") && at("/c") < at("/d"));
            seen.insert(order);
        }
        // The one free library can stand in four places.
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn the_preloaded_order_is_the_order_in_memory() {
        let program = std::env::current_exe().unwrap();
        let libraries = Libraries::of(&program).expect("test programs are dynamically linked");
        let mut random = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..8 {
            let order = libraries.shuffled(&mut random);
            let list: Vec<_> = order
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            let output = Command::new("/bin/cat")
                .arg("/proc/self/maps")
                .env("LD_PRELOAD", list.join(":"))
                .output()
                .unwrap();
            let maps = String::from_utf8(output.stdout).unwrap();
            let address = |path: &Path| {
                let real = fs::canonicalize(path).unwrap();
                let line = maps
                    .lines()
                    .find(|line| line.ends_with(real.to_str().unwrap()))
                    .unwrap();
                u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap()
            };
            let addresses: Vec<u64> = order.iter().map(|path| address(path)).collect();
            assert!(
                addresses.is_sorted_by(|a, b| a > b),
                "{list:?} {addresses:x?}"
            );
        }
    }

    #[test]
    fn scripts_have_no_loader() {
        assert!(Libraries::of(Path::new("/proc/self/status")).is_none());
        assert!(Libraries::of(Path::new("/nonexistent")).is_none());
    }
}
