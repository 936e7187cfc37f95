//! Recognition of repeated deliveries.

use core::time::Duration;
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::verifier::BodyDigest;

/// The most recently handled deliveries of this process, in memory, so that repeated ones are not
/// handled again.
///
/// An entry takes about 100 bytes. To skip repeated deliveries across restarts and in all processes,
/// write the digest and the effects of a delivery to a database in one transaction, as
/// `receive_once_with_sqlite` in `examples/receivers` does: then each is handled exactly once.
///
/// A delivery is recognized by the digest of its body, because the signature covers nothing else.
/// (Specification: Events.) Therefore:
///
/// - Two events with equal bodies count as one, and the second is ignored. Use this type only if
///   each payload contains an ID or a time.
/// - A delivery that is resent as another event kind counts as repeated.
/// - A delivery that is resent after its entry has expired counts as new.
/// - Two copies that arrive at the same time may both be handled. If the handler fails or the
///   process ends between handling and insertion, the delivery is handled again.
/// - Servers such as axum cancel a handler whose sender disconnects, also within
///   [`handle_once`](Self::handle_once): the delivery is not marked as handled then. Call it in a task
///   of its own, `tokio::spawn(async move { … }).await`, which is not cancelled.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use webhook_verify::{RecentDeliveries, Verified};
///
/// async fn receive(seen: &RecentDeliveries, delivery: &Verified<Vec<u8>>) -> Result<(), std::io::Error> {
///     let handle = async {
///         println!("{}", String::from_utf8_lossy(delivery.body())); // Handle it here.
///         Ok::<_, std::io::Error>(())
///     };
///     if seen.handle_once(delivery.body_digest(), handle).await?.is_none() {
///         println!("ignored a repeated delivery"); // Respond with 2xx nevertheless.
///     }
///     Ok(())
/// }
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

    /// Returns `true` if the digest was inserted and has not expired.
    #[must_use]
    pub fn contains(&self, digest: BodyDigest) -> bool {
        self.contains_at(digest, Instant::now())
    }

    /// Inserts the digest of a delivery that was handled. Does nothing if it is present.
    pub fn insert(&self, digest: BodyDigest) {
        self.insert_at(digest, Instant::now());
    }

    /// Runs `handle` unless the delivery was handled before, and inserts its digest if `handle`
    /// succeeds. Returns `None` if the delivery was handled before.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`. The delivery is not marked as handled then: respond with 5xx
    /// to receive it again, if the service repeats deliveries.
    pub async fn handle_once<T, E>(
        &self,
        digest: BodyDigest,
        handle: impl Future<Output = Result<T, E>>,
    ) -> Result<Option<T>, E> {
        if self.contains(digest) {
            return Ok(None);
        }
        let handled = handle.await?;
        self.insert(digest);
        Ok(Some(handled))
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
