//! The record: an append-only file that says how far each account is, also after a crash.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::Account;
use crate::account::Fields;

/// What a record says of accounts. Its lines are JSON; none of them holds a key.
///
/// ```no_run
/// let record = sync_many::Record::open("accounts.record".as_ref())?;
/// # Ok::<(), sync_many::RecordError>(())
/// ```
#[derive(Debug)]
pub struct Record {
    file: Mutex<File>,
    path: PathBuf,
    /// What was known when it was opened.
    before: HashMap<String, Entry>,
}

/// How far the edit of an account is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// It is about to be sent. Where no line follows, nobody knows whether it was.
    Started,
    /// The service has accepted it, or had it already.
    Done,
    /// The service does not take it.
    Refused {
        /// What the service said.
        reason: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    account: String,
    /// What was to be set: another edit of the same account is not done yet.
    set: Fields,
    #[serde(flatten)]
    state: State,
}

/// Why a record cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read or written.
    #[error("the record {} cannot be used: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Another run has it open.
    #[error("another run uses the record {} now; wait for its end", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line other than the last is not what this program writes.
    #[error("line {line} of the record {} is damaged: {reason}; mend it or begin another record", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What the JSON reader says.
        reason: serde_json::Error,
    },
}

impl Record {
    /// Opens a record, or begins one where there is none, and keeps other runs out of it until it
    /// is dropped. A last line that a crash has torn is taken away.
    ///
    /// # Errors
    ///
    /// [`RecordError`] when the file cannot be used, is in use, or is damaged elsewhere than at its
    /// end.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let unusable = |reason| RecordError::Unusable {
            path: path.to_owned(),
            reason,
        };
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(unusable)?;
        file.try_lock().map_err(|reason| match reason {
            std::fs::TryLockError::WouldBlock => RecordError::InUse {
                path: path.to_owned(),
            },
            std::fs::TryLockError::Error(reason) => unusable(reason),
        })?;
        let text = read_whole_lines(&mut file).map_err(unusable)?;
        Ok(Self {
            before: entries(&text, path)?,
            file: Mutex::new(file),
            path: path.to_owned(),
        })
    }

    /// How far this very edit was when the record was opened.
    #[must_use]
    pub fn before(&self, account: &Account) -> Option<&State> {
        let entry = self.before.get(&account.name)?;
        (entry.set == account.fields).then_some(&entry.state)
    }

    /// Adds a line, and returns when it is on the disk.
    ///
    /// # Errors
    ///
    /// [`RecordError::Unusable`] when it cannot be written.
    pub fn add(&self, account: &Account, state: State) -> Result<(), RecordError> {
        let entry = Entry {
            account: account.name.clone(),
            set: account.fields.clone(),
            state,
        };
        let mut line = serde_json::to_string(&entry).expect("texts become JSON");
        line.push('\n');
        self.append(&line).map_err(|reason| RecordError::Unusable {
            path: self.path.clone(),
            reason,
        })
    }

    fn append(&self, line: &str) -> io::Result<()> {
        // One write for a whole line, so that a crash can tear none but the last.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }
}

fn read_whole_lines(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
        bytes.truncate(whole);
    }
    String::from_utf8(bytes).map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// The last entry of each account.
fn entries(text: &str, path: &Path) -> Result<HashMap<String, Entry>, RecordError> {
    let read = |(line, text)| {
        let entry: Entry = serde_json::from_str(text).map_err(|reason| RecordError::Damaged {
            path: path.to_owned(),
            line,
            reason,
        })?;
        Ok((entry.account.clone(), entry))
    };
    (1..).zip(text.lines()).map(read).collect()
}
