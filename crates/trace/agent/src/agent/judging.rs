//! What becomes of filters.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use perflab_abi::{Filtered, Value};

use super::sites::is_meant;
use super::switching::{Agent, Switched};
use super::wishes::Awaited;
use crate::filter::{Filter, Shown};
use crate::pattern::Pattern;
use crate::record::limited;

impl Agent {
    /// Shows what became of the filters of sites that a pattern means, for each probe. Where its sites differ in how
    /// their events are judged, a probe is shown for each way.
    pub fn each_filtered(&self, pattern: &Pattern, mut show: impl FnMut(&Filtered<'_>)) {
        let mut found: BTreeMap<(String, u8, String), (u32, Shown<'_>)> = BTreeMap::new();
        for (_, site, _) in self.sites.meant(pattern) {
            let wanted = self.wishes.of(site);
            if let Some(shown) = self.filters.shown(&wanted.judges, site) {
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

    /// Frees filters that were replaced, once no thread is in them, and looks after those that take so many events
    /// only.
    pub fn look_after_filters(&mut self) {
        self.filters.settle(|| self.patcher.all_threads());
        self.filters.look(|| self.patcher.all_threads());
        let over = self.filters.look_at_limits();
        if !over.is_zero() {
            limited(over);
        }
    }

    /// Whether filters are to be looked after soon, or events are waited for.
    pub fn has_busy_filters(&self) -> bool {
        self.filters.is_waiting() || self.filters.have_limits() || self.wishes.awaited.is_some()
    }

    /// Waits for an event, as the process records on its own.
    ///
    /// # Errors
    /// When it does not, somebody else waits already, or the sites cannot be switched. Then nothing changed.
    pub fn await_event(
        &mut self,
        pattern: &Pattern,
        filter: Arc<Filter>,
    ) -> Result<Switched, String> {
        if self.wishes.awaited.is_some() {
            return Err("somebody else waits for an event of this process".to_owned());
        }
        if !self.wishes.is_own() {
            return Err(
                "this process does not record on its own: `perflab trace on --record` begins that"
                    .to_owned(),
            );
        }
        self.wishes.awaited = Some(Awaited {
            pattern: pattern.clone(),
            filter,
        });
        let result = self.apply(|site| is_meant(pattern, site));
        if result.is_err() {
            self.wait_no_longer();
        }
        result
    }

    /// Whether the event has come.
    pub fn has_come(&self) -> bool {
        let awaited = self.wishes.awaited.as_ref();
        awaited.is_some_and(|awaited| awaited.filter.has_come())
    }

    /// Nobody waits for it any more.
    pub fn wait_no_longer(&mut self) {
        self.wishes.awaited = None;
        self.again = None;
        self.keep_up();
    }

    /// Shows how often values came, of the sites that a pattern means.
    pub fn each_value(&self, pattern: &Pattern, mut show: impl FnMut(Value<'_>, u64)) {
        let mut shown: Vec<Arc<Filter>> = Vec::new();
        for (_, site, _) in self.sites.meant(pattern) {
            for judge in self.wishes.of(site).judges {
                let is_known = shown.iter().any(|known| Arc::ptr_eq(known, &judge));
                if let (Some(counts), false) = (&judge.counts, is_known) {
                    counts.each(&mut show);
                    shown.push(judge);
                }
            }
        }
    }

    /// Whether there is room for another filter, or none to be hoped for.
    pub fn has_room_for_filters(&mut self) -> bool {
        self.filters.has_room(|| self.patcher.all_threads())
    }

    /// What is wrong with filters.
    pub fn filter_troubles(&self) -> impl Iterator<Item = String> {
        self.filters.troubles()
    }
}
