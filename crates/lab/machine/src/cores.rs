//! Which CPUs are of the same core, and slow each other down.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cpu::CPUS;
use crate::source::Root;

/// Groups CPUs by their core, in the order of the first of each. `root`: the directory that `/sys` lies in. A CPU whose
/// core cannot be told counts as one.
pub fn cores(root: &Path, cpus: &[u32]) -> Vec<Vec<u32>> {
    let root = Root(root);
    let mut cores: Vec<Vec<u32>> = Vec::new();
    // A core's number is unique within its socket only.
    let mut known: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for cpu in cpus {
        let id = |name: &str| root.number::<i64>(&format!("{CPUS}/cpu{cpu}/topology/{name}"));
        let core = id("physical_package_id").zip(id("core_id"));
        let next = cores.len();
        let place = core.map_or(next, |core| *known.entry(core).or_insert(next));
        match cores.get_mut(place) {
            Some(core) => core.push(*cpu),
            None => cores.push(vec![*cpu]),
        }
    }
    cores
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn threads_of_a_core_are_found_and_what_is_unknown_is_a_core() {
        let root = tempfile::tempdir().unwrap();
        for (cpu, socket, core) in [(0, 0, 0), (1, 0, 1), (2, 0, 0), (3, 1, 0)] {
            let directory = root.path().join(format!("{CPUS}/cpu{cpu}/topology"));
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("physical_package_id"), format!("{socket}\n")).unwrap();
            fs::write(directory.join("core_id"), format!("{core}\n")).unwrap();
        }
        let cores = |cpus: &[u32]| cores(root.path(), cpus);
        assert_eq!(
            cores(&[0, 1, 2, 3, 9]),
            [vec![0, 2], vec![1], vec![3], vec![9]]
        );
        assert_eq!(cores(&[1, 2]), [[1], [2]]);
    }
}
