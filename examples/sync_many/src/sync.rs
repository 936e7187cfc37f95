//! Edits several accounts at once, and records each step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use profile_sdk::{Client, Error, RetryPolicy};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::{Account, Record, RecordError, State};

/// Total timeout of a call, and the maximum wait for a key's rate limit.
const TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// A run over a list of accounts.
#[derive(Debug, Clone)]
pub struct Sync {
    /// Without a key. All accounts share its connections.
    client: Client,
    concurrency: usize,
}

/// The outcome for one account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The account was edited in this run.
    Edited,
    /// The edit was already recorded as done, or the profile already had the values.
    AlreadyDone,
    /// The edit failed, and may have been applied. The next run retries it.
    Failed(String),
}

/// The number of accounts by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Edited in this run.
    pub edited: usize,
    /// Already done.
    pub already_done: usize,
    /// Failed; the next run retries them.
    pub failed: usize,
}

impl Sync {
    /// Creates a run at a service, which edits this number of accounts at once, at least 1.
    ///
    /// # Errors
    ///
    /// Returns an error if the base URL is invalid.
    ///
    /// ```
    /// let sync = sync_many::Sync::new("https://profiles.example", 16)?;
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn new(base_url: &str, concurrency: usize) -> Result<Self, Error> {
        let client = Client::builder()
            .base_url(base_url)
            .total_timeout(TIMEOUT)
            .retry(RetryPolicy::new().max_wait(TIMEOUT))
            .build()?;
        Ok(Self {
            client,
            concurrency: concurrency.max(1),
        })
    }

    /// Edits the accounts. Calls `report` with the name and outcome of each, and the summary so
    /// far.
    ///
    /// # Errors
    ///
    /// Returns [`RecordError`] if the record cannot be written; remaining accounts are not edited.
    ///
    /// ```no_run
    /// use sync_many::{Record, Sync, read_accounts};
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let sync = Sync::new("https://profiles.example", 16)?;
    /// let accounts = read_accounts("accounts.jsonl".as_ref())?;
    /// let record = Record::open("accounts.record".as_ref())?;
    /// let summary = sync.run(accounts, record, |name, outcome, _| println!("{name}: {outcome}"));
    /// println!("{}", summary.await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run(
        &self,
        accounts: Vec<Account>,
        record: Record,
        mut report: impl FnMut(&str, &Outcome, &Summary),
    ) -> Result<Summary, RecordError> {
        let permits = Arc::new(Semaphore::new(self.concurrency));
        let record = Arc::new(record);
        let mut tasks = JoinSet::new();
        for account in accounts {
            let (permits, record) = (permits.clone(), record.clone());
            let shared = self.client.clone();
            tasks.spawn(async move {
                let _permit = permits.acquire().await;
                // The rate limit belongs to the key, so each account has a client.
                let client = shared.with_api_key(account.key.clone());
                let outcome = edit(&client, &account, &record).await;
                outcome.map(|outcome| (account.name, outcome))
            });
        }
        let mut summary = Summary::default();
        while let Some(finished) = tasks.join_next().await {
            let (name, outcome) = finished.expect("tasks are not cancelled and do not panic")?;
            summary.count(&outcome);
            report(&name, &outcome, &summary);
        }
        Ok(summary)
    }
}

/// Edits an account, unless the record or the profile shows that this is already done. If the edit
/// fails, the account stays at [`State::Started`].
async fn edit(client: &Client, account: &Account, record: &Record) -> Result<Outcome, RecordError> {
    let sent = match record.before(account) {
        Some(State::Done) => return Ok(Outcome::AlreadyDone),
        // The edit may have been applied: check before sending it again.
        Some(State::Started) => match client.me().await {
            Ok(profile) if account.fields.match_profile(&profile) => {
                record.add(account, State::Done)?;
                return Ok(Outcome::AlreadyDone);
            }
            Ok(_) => send(client, account).await,
            Err(error) => Err(error),
        },
        None => {
            record.add(account, State::Started)?;
            send(client, account).await
        }
    };
    match sent {
        Ok(()) => {
            record.add(account, State::Done)?;
            Ok(Outcome::Edited)
        }
        Err(error) => Ok(Outcome::Failed(error.to_string())),
    }
}

async fn send(client: &Client, account: &Account) -> Result<(), Error> {
    let update = account.fields.to_update()?;
    client.update_profile(&update).await?;
    Ok(())
}

impl Summary {
    /// Returns the number of finished accounts.
    #[must_use]
    pub fn accounts(&self) -> usize {
        self.edited + self.already_done + self.failed
    }

    fn count(&mut self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Edited => &mut self.edited,
            Outcome::AlreadyDone => &mut self.already_done,
            Outcome::Failed(_) => &mut self.failed,
        };
        *counter += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} edited, {} done before, {} failed",
            self.edited, self.already_done, self.failed
        )
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edited => f.write_str("edited"),
            Self::AlreadyDone => f.write_str("done before"),
            Self::Failed(reason) => write!(f, "failed: {reason}"),
        }
    }
}
