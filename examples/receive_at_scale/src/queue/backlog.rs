//! The events that workers have not handled.

use futures_util::TryStreamExt;

use super::{Queue, QueueError, Result};

impl Queue {
    /// Returns the events that the worker with this name has not handled.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond, or the worker does not exist.
    pub async fn backlog(&self, worker: &str) -> Result<Backlog> {
        let stream = self.stream().await?;
        let info = stream.consumer_info(worker).await;
        let info = info.map_err(QueueError::during("look up the worker"))?;
        Ok(Backlog {
            waiting: info.num_pending,
            unfinished: info.num_ack_pending as u64,
            dead_letters: self.count_dead_letters(worker).await?,
        })
    }

    /// Returns the names of the workers that have ever connected.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond.
    pub async fn workers(&self) -> Result<Vec<String>> {
        let names = self.stream().await?.consumer_names().try_collect().await;
        names.map_err(QueueError::during("list the workers"))
    }
}

/// The events that a worker has not handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Events that were not delivered to the worker yet.
    pub waiting: u64,
    /// Events that are being handled, or wait for the next attempt.
    pub unfinished: u64,
    /// Events that failed permanently.
    pub dead_letters: u64,
}
