//! Recognition of repeated deliveries.

use core::convert::Infallible;
use core::time::Duration;
use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::verified::BodyDigest;

/// A set of the deliveries that were handled, so that repeated ones are not handled again.
///
/// [`RecentDeliveries`] keeps them in memory. Implement the trait for your database to keep them
/// across restarts and to share them between processes.
///
/// A delivery is recognized by the digest of its body, because the signature covers nothing else.
/// (Specification: Events.) Therefore:
///
/// - Two events with equal bodies count as one, and the second is ignored. Use this trait only if
///   each payload contains an ID or a time.
/// - A delivery that is resent as another event kind counts as repeated.
/// - A delivery that is resent after its entry has expired counts as new.
/// - Two copies that arrive at the same time may both be handled. If the handler fails or the
///   process ends between handling and insertion, the delivery is handled again. To handle an
///   event exactly once, write its effects and its digest to a database in one transaction.
/// - Servers such as axum cancel a handler whose sender disconnects, also within
///   [`handle_once`](Self::handle_once): the delivery is not marked as handled then. Call it in a task
///   of its own, `tokio::spawn(async move { … }).await`, which is not cancelled.
///
/// # Examples
///
/// ```
/// use std::error::Error;
///
/// use webhook_verify::{SeenDeliveries, Verified};
///
/// async fn receive(
///     seen: &impl SeenDeliveries<Error: Error + Send + Sync>,
///     delivery: &Verified<Vec<u8>>,
/// ) -> Result<(), Box<dyn Error + Send + Sync>> {
///     let handle = async {
///         println!("{}", String::from_utf8_lossy(delivery.body())); // Handle it here.
///         Ok::<_, Box<dyn Error + Send + Sync>>(())
///     };
///     if seen.handle_once(delivery.body_digest(), handle).await?.is_none() {
///         println!("ignored a repeated delivery"); // Respond with 2xx nevertheless.
///     }
///     Ok(())
/// }
/// # fn main() {}
/// ```
pub trait SeenDeliveries: Sync {
    /// The error of the storage.
    type Error: Send + 'static;

    /// Returns `true` if the digest was inserted and has not expired.
    ///
    /// # Errors
    ///
    /// Returns an error if the storage cannot be read.
    fn contains(
        &self,
        digest: BodyDigest,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Inserts the digest of a delivery that was handled. Does nothing if it is present.
    ///
    /// # Errors
    ///
    /// Returns an error if the digest cannot be stored.
    fn insert(&self, digest: BodyDigest) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Runs `handle` unless the delivery was handled before, and inserts its digest if `handle`
    /// succeeds. Returns `None` if the delivery was handled before.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`, or an error of the storage. The delivery is not marked as
    /// handled then: respond with 5xx to receive it again, if the service repeats deliveries.
    fn handle_once<T: Send, E: From<Self::Error> + Send>(
        &self,
        digest: BodyDigest,
        handle: impl Future<Output = Result<T, E>> + Send,
    ) -> impl Future<Output = Result<Option<T>, E>> + Send {
        async move {
            if self.contains(digest).await? {
                return Ok(None);
            }
            let handled = handle.await?;
            self.insert(digest).await?;
            Ok(Some(handled))
        }
    }
}

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
