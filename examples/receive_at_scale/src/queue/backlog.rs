//! The events that workers have not handled.

use async_nats::jetstream::consumer::pull;
use futures_util::TryStreamExt;

use super::{Queue, QueueError};

impl Queue {
    /// Returns the events that the worker with this name has not handled.
    ///
    /// # Errors
    ///
    /// Returns [`QueueError`] if the broker does not respond, or the worker does not exist.
    ///
    /// ```no_run
    /// # async fn backlog(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::QueueError> {
    /// println!("{} not handled", queue.backlog("mailer").await?.total());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn backlog(&self, worker: &str) -> Result<Backlog, QueueError> {
        let failed = |cause| QueueError::new("look up the worker", cause);
        let stream = self.stream().await?;
        let consumer = stream.get_consumer::<pull::Config>(worker).await;
        let mut consumer = consumer.map_err(|cause| failed(cause.to_string()))?;
        let info = consumer.info().await;
        let info = info.map_err(|cause| failed(cause.to_string()))?;
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
    ///
    /// ```no_run
    /// # async fn workers(queue: receive_at_scale::Queue) -> Result<(), receive_at_scale::QueueError> {
    /// for worker in queue.workers().await? {
    ///     println!("{worker}: {} not handled", queue.backlog(&worker).await?.total());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn workers(&self) -> Result<Vec<String>, QueueError> {
        let names = self.stream().await?.consumer_names().try_collect().await;
        names.map_err(|cause| QueueError::new("list the workers", cause))
    }
}

/// The events that a worker has not handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// Events that were not delivered to the worker yet.
    pub waiting: u64,
    /// Events that are being handled, or wait for the next attempt.
    pub unfinished: u64,
    /// Events that failed permanently.
    pub dead_letters: u64,
}

impl Backlog {
    /// Returns the number of all these events.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.waiting + self.unfinished + self.dead_letters
    }
}
