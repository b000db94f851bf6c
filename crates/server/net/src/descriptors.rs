//! File descriptors: how many clients there is room for.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of file descriptors, so that there is room for `clients` and for `others`. Returns for how many
/// clients there is room: at most as many as were asked for.
pub(crate) fn make_room(clients: usize, others: usize) -> usize {
    let wanted = clients.saturating_add(others) as u64;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return clients;
    }
    let maximum = limit.maximum.map(|maximum| maximum.max(wanted));
    let enough = Rlimit {
        current: Some(wanted),
        maximum,
    };
    // Beyond the hard limit only with a privilege, and for nobody beyond what the kernel allows one process.
    if setrlimit(Resource::Nofile, enough).is_ok() {
        return clients;
    }
    let most = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let raised = setrlimit(Resource::Nofile, most).is_ok();
    let granted = if raised { limit.maximum } else { limit.current };
    let granted = granted.map_or(usize::MAX, |granted| {
        usize::try_from(granted).unwrap_or(usize::MAX)
    });
    clients.min(granted.saturating_sub(others))
}
