//! What becomes of filters.

use std::collections::BTreeMap;
use std::time::Duration;

use perflab_abi::Filtered;

use super::switching::Agent;
use crate::filter::Shown;
use crate::pattern::Pattern;

impl Agent {
    /// Shows what became of the filters of sites that a pattern means, for each probe. Where its sites differ in how
    /// their events are judged, a probe is shown for each way.
    pub fn each_filtered(&self, pattern: &Pattern, mut show: impl FnMut(&Filtered<'_>)) {
        let mut found: BTreeMap<(String, u8, String), (u32, Shown<'_>)> = BTreeMap::new();
        for (_, site, _) in self.sites.meant(pattern) {
            let wanted = self.wishes.of(site);
            let filter = wanted.filter.as_ref();
            let shown = filter.and_then(|filter| self.filters.shown(filter, site));
            if let Some(shown) = shown {
                let way = (site.name(), shown.mode as u8, shown.reason.clone());
                found.entry(way).or_insert((0, shown)).0 += 1;
            }
        }
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        for ((probe, _, reason), (sites, shown)) in &found {
            let [verified, emitted, published] = shown.took().map(nanoseconds);
            show(&Filtered {
                probe,
                sites: *sites,
                mode: shown.mode,
                code: shown.code(),
                kept: shown.kept(),
                verified,
                emitted,
                published,
                reason,
            });
        }
    }

    /// Frees filters that were replaced, once no thread is in them.
    pub fn look_after_filters(&mut self) {
        self.filters.look(|| self.patcher.all_threads());
    }

    /// Whether filters that were replaced are to be freed.
    pub fn has_replaced_filters(&self) -> bool {
        self.filters.is_waiting()
    }

    /// Why they cannot be freed, if so.
    pub fn filter_trouble(&self) -> Option<&str> {
        self.filters.trouble()
    }
}
