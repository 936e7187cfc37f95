//! Edits the accounts, so many at once, and records each step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use profile_sdk::{Client, Error, ErrorKind, RetryPolicy};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::{Account, Record, RecordError, State};

/// How long one call may take with all its waits, and how long one wait that a key's rate limit
/// asks for: a window of minutes is waited out.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// A run over a list of accounts.
#[derive(Debug, Clone)]
pub struct Sync {
    /// Where the service is, up to but without `/api/v1`.
    pub base_url: String,
    /// How many accounts are edited at once; at least one.
    pub concurrency: usize,
    /// Whether accounts are tried again that the service refused in an earlier run.
    pub retry_refused: bool,
}

/// What came of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It was edited now.
    Edited,
    /// Nothing was to be done: it was recorded, or the profile had it all already.
    AlreadyDone,
    /// The service does not take it, now or in an earlier run.
    Refused(String),
    /// It may be done or not; the next run looks first.
    Failed(String),
}

/// How many accounts came to what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Edited now.
    pub edited: usize,
    /// Done before.
    pub already_done: usize,
    /// Refused by the service.
    pub refused: usize,
    /// To be tried again.
    pub failed: usize,
}

impl Sync {
    /// Goes through the accounts, and tells each as it comes to its end.
    ///
    /// # Errors
    ///
    /// [`RecordError`] when the record can no longer be written; nothing is begun after that.
    ///
    /// ```no_run
    /// use sync_many::{Record, Sync, read_accounts};
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let sync = Sync {
    ///     base_url: "https://profiles.example".to_owned(),
    ///     concurrency: 16,
    ///     retry_refused: false,
    /// };
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
        mut tell: impl FnMut(&str, &Outcome, &Summary),
    ) -> Result<Summary, RecordError> {
        let places = Arc::new(Semaphore::new(self.concurrency.max(1)));
        let shared = Arc::new((self.clone(), record));
        let mut under_way = JoinSet::new();
        for account in accounts {
            let (places, shared) = (places.clone(), shared.clone());
            under_way.spawn(async move {
                let _place = places.acquire().await;
                let (sync, record) = &*shared;
                let outcome = sync.edit(&account, record).await;
                outcome.map(|outcome| (account.name, outcome))
            });
        }
        let mut summary = Summary::default();
        while let Some(ended) = under_way.join_next().await {
            let (name, outcome) = ended.expect("no task is cancelled, and none panics")?;
            summary.count(&outcome);
            tell(&name, &outcome, &summary);
        }
        Ok(summary)
    }

    async fn edit(&self, account: &Account, record: &Record) -> Result<Outcome, RecordError> {
        let client = match self.client(account) {
            Ok(client) => client,
            Err(reason) => return Ok(Outcome::Failed(reason.to_string())),
        };
        match record.before(account) {
            Some(State::Done) => return Ok(Outcome::AlreadyDone),
            Some(State::Refused { reason }) if !self.retry_refused => {
                return Ok(Outcome::Refused(reason.clone()));
            }
            // An earlier run ended before it knew. Look before the edit is repeated.
            Some(State::Started) => match client.me().await {
                Ok(profile) if account.fields.are_in(&profile) => {
                    record.add(account, State::Done)?;
                    return Ok(Outcome::AlreadyDone);
                }
                Ok(_) => {}
                Err(reason) => return ended_by(&reason, account, record),
            },
            _ => record.add(account, State::Started)?,
        }
        send(&client, account, record).await
    }

    /// A client for each key, since what the SDK knows of a rate limit belongs to the key: after a
    /// 429 it waits as long as the service asks.
    fn client(&self, account: &Account) -> Result<Client, Error> {
        Client::builder()
            .base_url(&self.base_url)
            .api_key(account.key.clone())
            .total_timeout(PATIENCE)
            .retry(RetryPolicy::new().longest_wait(PATIENCE))
            .build()
    }
}

async fn send(client: &Client, account: &Account, record: &Record) -> Result<Outcome, RecordError> {
    let update = account
        .fields
        .update()
        .expect("the values were checked when the list was read");
    match client.update_profile(&update).await {
        Ok(_) => {
            record.add(account, State::Done)?;
            Ok(Outcome::Edited)
        }
        Err(reason) => ended_by(&reason, account, record),
    }
}

/// What the service refuses is recorded. What may pass is not: the account stays started, and the
/// next run looks how far it is.
fn ended_by(error: &Error, account: &Account, record: &Record) -> Result<Outcome, RecordError> {
    let reason = error.to_string();
    match error.kind() {
        ErrorKind::Unauthorized
        | ErrorKind::Forbidden
        | ErrorKind::NotFound
        | ErrorKind::Refused => {
            let refused = reason.clone();
            record.add(account, State::Refused { reason: refused })?;
            Ok(Outcome::Refused(reason))
        }
        _ => Ok(Outcome::Failed(reason)),
    }
}

impl Summary {
    /// How many accounts have come to their end.
    #[must_use]
    pub fn accounts(&self) -> usize {
        self.edited + self.already_done + self.refused + self.failed
    }

    fn count(&mut self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Edited => &mut self.edited,
            Outcome::AlreadyDone => &mut self.already_done,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::Failed(_) => &mut self.failed,
        };
        *counter += 1;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} edited, {} done before, {} refused, {} failed",
            self.edited, self.already_done, self.refused, self.failed
        )
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Edited => formatter.write_str("edited"),
            Self::AlreadyDone => formatter.write_str("done before"),
            Self::Refused(reason) => write!(formatter, "refused: {reason}"),
            Self::Failed(reason) => write!(formatter, "failed: {reason}"),
        }
    }
}
