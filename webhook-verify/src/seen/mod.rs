//! Recognition of repeated deliveries.

mod recent_deliveries;

pub use recent_deliveries::RecentDeliveries;

use core::future::Future;

use crate::BodyDigest;

/// A set of the deliveries that were handled, so that repeated ones are not handled again.
///
/// [`RecentDeliveries`] keeps them in memory. Implement the trait for your database to keep them
/// across restarts and to share them between processes.
///
/// A delivery is recognized by the digest of its body, because the signature covers nothing else
/// (section Authentication of the specification). Therefore:
///
/// - Two events with equal bodies count as one, and the second is ignored. Use this trait only if
///   each payload contains an id or a time.
/// - A delivery that is resent as another event kind counts as repeated.
/// - A delivery that is resent after its entry has expired counts as new.
/// - Two copies that arrive at the same time may both be handled. If the handler fails or the
///   process ends between handling and insertion, the delivery is handled again. To handle an
///   event exactly once, write its effects and its digest to a database in one transaction.
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
