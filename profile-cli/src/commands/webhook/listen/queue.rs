//! A queue that is limited in items and in bytes.

use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of items that wait.
const MAX_ITEMS: usize = 256;

/// Maximum size of the bodies that wait.
const MAX_BYTES: usize = 64 << 20;

/// An item; its bytes count until the permit is dropped.
pub(super) type Queued<T> = (T, OwnedSemaphorePermit);

/// The sending half of a queue.
pub(super) struct Queue<T> {
    items: Sender<Queued<T>>,
    bytes: Arc<Semaphore>,
}

impl<T> Queue<T> {
    pub(super) fn new() -> (Arc<Self>, Receiver<Queued<T>>) {
        let (items, receiver) = channel(MAX_ITEMS);
        let bytes = Arc::new(Semaphore::new(MAX_BYTES));
        (Arc::new(Self { items, bytes }), receiver)
    }

    /// Adds an item with a body of this size. Returns `false` if it does not fit. A larger body than all that may wait
    /// fits if no other one waits.
    pub(super) fn push(&self, item: T, size: usize) -> bool {
        let size = size.min(MAX_BYTES) as u32;
        let permit = Arc::clone(&self.bytes).try_acquire_many_owned(size);
        permit.is_ok_and(|permit| self.items.try_send((item, permit)).is_ok())
    }
}
