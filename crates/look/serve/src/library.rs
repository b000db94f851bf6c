//! The results and histories below a directory, read when they are asked for, and kept until they change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use perflab_pages::{
    Content, Entry, HistoryEntry, HistorySite, HistoryStamps, Site, asset, find_histories, list,
    pair,
};
use perflab_store::{FileStamps, find};

/// Where results begin in addresses.
const RESULTS: &str = "/results/";

/// Results whose pages are kept.
const KEPT: usize = 8;

/// A result that is read by who needs it first. Meanwhile others wait for it alone, and not for the library.
#[derive(Debug)]
pub(crate) struct Kept {
    directory: PathBuf,
    read: fn(&Path) -> Site,
    stamps: FileStamps,
    site: OnceLock<Site>,
    since: Instant,
}

impl Kept {
    /// Whether it is as its files are. What is wrong may be in the output of a run, of whose files there are no stamps,
    /// so it is looked for again after a while.
    fn is_as(&self, stamps: &FileStamps) -> bool {
        let is_sound = |site: &Site| site.problems().is_empty();
        self.stamps == *stamps
            && (self.site.get().is_none_or(is_sound) || self.since.elapsed() < DAMAGE_KEPT)
    }

    pub(crate) fn site(&self) -> &Site {
        self.site.get_or_init(|| (self.read)(&self.directory))
    }
}

/// For how long pages of a damaged result are not made again.
const DAMAGE_KEPT: Duration = Duration::from_secs(1);

/// The results below a directory.
#[derive(Debug)]
pub(crate) struct Library {
    root: PathBuf,
    kept: Mutex<HashMap<PathBuf, Arc<Kept>>>,
    histories: Mutex<HashMap<PathBuf, (HistoryStamps, Arc<HistorySite>)>>,
    entries: Mutex<HashMap<PathBuf, (FileStamps, Entry)>>,
}

impl Library {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            kept: Mutex::default(),
            histories: Mutex::default(),
            entries: Mutex::default(),
        }
    }

    /// What is at an address: the path of a result, and an address in it. Only results that are found below the
    /// root are looked at, so no address leads anywhere else.
    pub(crate) fn content(&self, address: &str) -> Option<Content> {
        let found = find(&self.root).ok()?;
        let Some((path, rest)) = split(&found, address) else {
            return self.of_history(address);
        };
        // For what all results share none needs to be read.
        asset(rest).or_else(|| self.kept(path, Site::read).site().content(rest))
    }

    /// What is at an address of a history, or of a result of one.
    fn of_history(&self, address: &str) -> Option<Content> {
        let histories = find_histories(&self.root);
        let (path, rest) = split(&histories, address)?;
        if let Some(shared) = asset(rest) {
            return Some(shared);
        }
        let history = self.history(path)?;
        let results = history.results();
        let of_result = results.iter().find_map(|(prefix, _)| {
            let rest = rest.strip_prefix(prefix.as_str())?;
            Some((
                path.join(prefix),
                if rest.is_empty() { "index.html" } else { rest },
            ))
        });
        match of_result {
            Some((result, rest)) => asset(rest).or_else(|| {
                let kept = self.kept(&result, Site::of_campaign);
                kept.site().content(rest)
            }),
            None => history.content(rest),
        }
    }

    /// A history, read again only if it has changed.
    fn history(&self, path: &Path) -> Option<Arc<HistorySite>> {
        let directory = self.root.join(path);
        let stamps = HistoryStamps::of(&directory);
        let known = locked(&self.histories).get(path).cloned();
        if let Some((of, site)) = known
            && of == stamps
            && site.problem().is_none()
        {
            return Some(site);
        }
        let site = Arc::new(HistorySite::read(&directory)?);
        let mut all = locked(&self.histories);
        if all.len() >= KEPT && !all.contains_key(path) {
            all.clear();
        }
        all.insert(path.to_owned(), (stamps, Arc::clone(&site)));
        Some(site)
    }

    /// The page with the histories and results that a search finds, newest first.
    pub(crate) fn list(&self, query: &str) -> String {
        let found = find(&self.root).unwrap_or_default();
        let names = found.iter().filter_map(|path| Some((path, path.to_str()?)));
        let mut entries: Vec<Entry> = names.map(|(path, name)| self.entry(path, name)).collect();
        entries.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.path.cmp(&b.path)));
        let histories = find_histories(&self.root);
        let names = histories
            .iter()
            .filter_map(|path| Some((path, path.to_str()?)));
        let histories = names.filter_map(|(path, name)| Some(self.history(path)?.entry(name)));
        let mut histories: Vec<HistoryEntry> = histories.collect();
        histories.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.path.cmp(&b.path)));
        list(&histories, &entries, query, &address)
    }

    /// The page with two results, by their paths below the root.
    pub(crate) fn pair(&self, a: &str, b: &str) -> Option<String> {
        let found = find(&self.root).ok()?;
        let kept = |wanted: &str| {
            let path = found.iter().find(|path| path.to_str() == Some(wanted))?;
            Some(self.kept(path, Site::read))
        };
        let (of_a, of_b) = (kept(a)?, kept(b)?);
        Some(pair((a, of_a.site()), (b, of_b.site()), &address))
    }

    /// What the list says of a result, read again only if it has changed.
    fn entry(&self, path: &Path, name: &str) -> Entry {
        let directory = self.root.join(path);
        let stamps = FileStamps::of(&directory);
        let known = locked(&self.entries).get(path).cloned();
        if let Some((of, entry)) = known
            && of == stamps
        {
            // Somebody may go on with it, which its files tell late.
            let is_running = perflab_store::writer(&directory).is_some();
            return Entry {
                is_running,
                ..entry
            };
        }
        let entry = Site::read(&directory).entry(name);
        if entry.problems == 0 {
            locked(&self.entries).insert(path.to_owned(), (stamps, entry.clone()));
        }
        entry
    }

    /// A result, by its path below the root, and how it is read.
    pub(crate) fn kept(&self, path: &Path, read: fn(&Path) -> Site) -> Arc<Kept> {
        let directory = self.root.join(path);
        let stamps = FileStamps::of(&directory);
        let mut all = locked(&self.kept);
        if let Some(kept) = all.get(path)
            && kept.is_as(&stamps)
        {
            return Arc::clone(kept);
        }
        let kept = Arc::new(Kept {
            directory,
            read,
            stamps,
            site: OnceLock::new(),
            since: Instant::now(),
        });
        if all.len() >= KEPT && !all.contains_key(path) {
            all.clear();
        }
        all.insert(path.to_owned(), Arc::clone(&kept));
        kept
    }
}

/// No change of these leaves them half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The path that an address begins with, of these, and the rest of it.
fn split<'p, 'a>(paths: &'p [PathBuf], address: &'a str) -> Option<(&'p Path, &'a str)> {
    paths.iter().find_map(|path| {
        let rest = address.strip_prefix(path.to_str()?)?.strip_prefix('/')?;
        Some((
            path.as_path(),
            if rest.is_empty() { "index.html" } else { rest },
        ))
    })
}

/// The address of the first page of a result or a history.
fn address(path: &str) -> String {
    let mut address = String::from(RESULTS);
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address + "/index.html"
}
