//! A bounded set of recent deliveries in memory.

use core::convert::Infallible;
use core::time::Duration;
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::SeenDeliveries;
use crate::BodyDigest;

/// The most recently handled deliveries of this process, in memory.
///
/// An entry takes about 100 bytes.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use webhook_verify::RecentDeliveries;
///
/// let day = Duration::from_secs(24 * 60 * 60);
/// let seen = RecentDeliveries::new(100_000, day);
/// ```
#[derive(Debug)]
pub struct RecentDeliveries {
    capacity: usize,
    expiry: Duration,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    digests: HashSet<BodyDigest>,
    by_age: VecDeque<(Instant, BodyDigest)>,
}

impl RecentDeliveries {
    /// Creates an empty set of at most `capacity` deliveries, each kept for `expiry`. A full set
    /// forgets the oldest delivery.
    #[must_use]
    pub fn new(capacity: usize, expiry: Duration) -> Self {
        Self {
            capacity,
            expiry,
            entries: Mutex::default(),
        }
    }

    /// Removes expired entries and returns the others.
    fn entries(&self, now: Instant) -> MutexGuard<'_, Entries> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((inserted, _)) = entries.by_age.front()
            && now.duration_since(*inserted) >= self.expiry
        {
            entries.remove_oldest();
        }
        entries
    }

    fn contains_at(&self, digest: BodyDigest, now: Instant) -> bool {
        self.entries(now).digests.contains(&digest)
    }

    fn insert_at(&self, digest: BodyDigest, now: Instant) {
        let mut entries = self.entries(now);
        if entries.digests.insert(digest) {
            entries.by_age.push_back((now, digest));
        }
        if entries.by_age.len() > self.capacity {
            entries.remove_oldest();
        }
    }
}

impl Entries {
    fn remove_oldest(&mut self) {
        if let Some((_, digest)) = self.by_age.pop_front() {
            self.digests.remove(&digest);
        }
    }
}

impl SeenDeliveries for RecentDeliveries {
    type Error = Infallible;

    async fn contains(&self, digest: BodyDigest) -> Result<bool, Infallible> {
        Ok(self.contains_at(digest, Instant::now()))
    }

    async fn insert(&self, digest: BodyDigest) -> Result<(), Infallible> {
        self.insert_at(digest, Instant::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn entries_expire() {
        let (seen, now) = (RecentDeliveries::new(10, 2 * SECOND), Instant::now());
        let digest = BodyDigest::new(b"a");
        assert!(!seen.contains_at(digest, now));
        seen.insert_at(digest, now);
        seen.insert_at(digest, now + SECOND);
        assert!(seen.contains_at(digest, now + SECOND));
        assert!(!seen.contains_at(digest, now + 2 * SECOND));
        seen.insert_at(digest, now + 3 * SECOND);
        assert!(seen.contains_at(digest, now + 4 * SECOND));
    }

    #[test]
    fn a_full_set_forgets_the_oldest() {
        let (seen, now) = (RecentDeliveries::new(2, SECOND), Instant::now());
        let [a, b, c] = [b"a", b"b", b"c"].map(|body| BodyDigest::new(body));
        for digest in [a, b, a, c] {
            seen.insert_at(digest, now);
        }
        assert_eq!(
            [a, b, c].map(|digest| seen.contains_at(digest, now)),
            [false, true, true]
        );
        let entries = seen.entries(now);
        assert_eq!((entries.digests.len(), entries.by_age.len()), (2, 2));
    }
}
