//! The places of variants that are executed at the same time: CPUs for each of them, which they swap.

use perflab_experiment::{CpuList, Experiment};
use rustix::thread::CpuSet;

use crate::cpus::CpuError;
use crate::host::Host;

/// The CPUs of each place; none where variants are not executed at the same time.
pub(crate) fn places(experiment: &Experiment, host: &dyn Host) -> Result<Vec<CpuSet>, CpuError> {
    let places = numbers(experiment, host)?;
    let sets = places.iter().map(|place| host.cpus(place));
    Ok(sets
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// Says which of the CPUs that all variants share or swap this machine lacks.
pub(crate) fn missing_cpus(experiment: &Experiment, host: &dyn Host) -> Vec<String> {
    let lists = [&experiment.cpus.system, &experiment.cpus.load];
    let shared = lists.into_iter().flatten();
    let errors = shared.filter_map(|list| host.cpus(list.numbers()).err());
    let errors = errors.chain(places(experiment, host).err());
    errors.map(|error| error.to_string()).collect()
}

/// Places that have threads of the same core, and slow each other down for that; in words.
pub(crate) fn share_cores(experiment: &Experiment, host: &dyn Host) -> Option<String> {
    let places = numbers(experiment, host).ok()?;
    let cores = host.cores().ok()?;
    let shared = cores.iter().find(|core| {
        let has_some = |place: &&Vec<u32>| core.iter().any(|cpu| place.contains(cpu));
        places.iter().filter(has_some).count() > 1
    })?;
    let shared: Vec<String> = shared.iter().map(u32::to_string).collect();
    Some(format!(
        "places share a core (CPUs {}), so that variants slow each other down; give each of them whole cores by \
         [cpus] places",
        shared.join(" and ")
    ))
}

fn numbers(experiment: &Experiment, host: &dyn Host) -> Result<Vec<Vec<u32>>, CpuError> {
    if !experiment.design.together {
        return Ok(Vec::new());
    }
    match &experiment.cpus.places {
        Some(places) => Ok(places
            .iter()
            .map(CpuList::numbers)
            .map(<[u32]>::to_vec)
            .collect()),
        None => equal_parts(host.cores()?, experiment.variants.len()),
    }
}

/// As many cores for each place, neighbours together; as many CPUs, where there are fewer cores than places. The rest
/// is left to the laboratory.
fn equal_parts(cores: Vec<Vec<u32>>, count: usize) -> Result<Vec<Vec<u32>>, CpuError> {
    let usable = cores.iter().map(Vec::len).sum();
    let parts: Vec<Vec<u32>> = match cores.len() < count {
        true => cores.into_iter().flatten().map(|cpu| vec![cpu]).collect(),
        false => cores,
    };
    match parts.len() / count.max(1) {
        0 => Err(CpuError::TooFew {
            places: count,
            usable,
        }),
        each => Ok(parts.chunks(each).take(count).map(<[_]>::concat).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_whole_cores_where_there_are_enough() {
        let parts = |cores: &[&[u32]], count| {
            let cores = cores.iter().map(|core| core.to_vec()).collect();
            equal_parts(cores, count).map_err(|error| error.to_string())
        };
        let smt: [&[u32]; 5] = [&[0, 5], &[1, 6], &[2, 7], &[3, 8], &[4, 9]];
        assert_eq!(parts(&smt, 2).unwrap(), [[0, 5, 1, 6], [2, 7, 3, 8]]);
        assert_eq!(parts(&[&[0], &[1]], 2).unwrap(), [[0], [1]]);
        assert_eq!(parts(&[&[0, 1], &[2, 3]], 3).unwrap(), [[0], [1], [2]]);
        let refused = parts(&[&[0, 1]], 3).unwrap_err();
        assert!(refused.contains("may only use 2"), "{refused}");
    }
}
