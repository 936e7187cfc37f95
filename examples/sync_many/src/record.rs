//! The record: an append-only file with the state of each account, which survives a crash.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::Account;
use crate::account::Fields;

/// A record of the states of accounts: JSON lines, without keys.
///
/// ```no_run
/// let record = sync_many::Record::open("accounts.record".as_ref())?;
/// # Ok::<(), sync_many::RecordError>(())
/// ```
#[derive(Debug)]
pub struct Record {
    file: Mutex<File>,
    path: PathBuf,
    /// The entries when the record was opened.
    before: HashMap<String, Entry>,
}

/// The state of the edit of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The edit may have been sent.
    Started,
    /// The service has applied the edit.
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    account: String,
    /// The fields to set. An entry with other fields is a different edit.
    set: Fields,
    state: State,
}

/// An error of a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read or written.
    #[error("could not use the record {}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: io::Error,
    },
    /// Another run has the record open.
    #[error("another run is using the record {}; wait until it ends", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line is not a valid entry.
    #[error("line {line} of the record {} is invalid: {reason}; fix it or start a new record", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The cause.
        reason: serde_json::Error,
    },
}

impl Record {
    /// Opens a record, or creates it, and locks it until it is dropped. Removes an incomplete last
    /// line, which a crash may leave.
    ///
    /// # Errors
    ///
    /// Returns [`RecordError`] if the file cannot be read or written, is in use, or contains an
    /// invalid line.
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
        let text = read_complete_lines(&mut file).map_err(unusable)?;
        Ok(Self {
            before: entries(&text, path)?,
            file: Mutex::new(file),
            path: path.to_owned(),
        })
    }

    /// Returns the state of this edit when the record was opened.
    #[must_use]
    pub fn before(&self, account: &Account) -> Option<&State> {
        let entry = self.before.get(&account.name)?;
        (entry.set == account.fields).then_some(&entry.state)
    }

    /// Appends a line, and syncs it to disk.
    ///
    /// # Errors
    ///
    /// Returns [`RecordError::Unusable`] if the file cannot be written.
    pub fn add(&self, account: &Account, state: State) -> Result<(), RecordError> {
        let entry = Entry {
            account: account.name.clone(),
            set: account.fields.clone(),
            state,
        };
        let mut line = serde_json::to_string(&entry).expect("an entry is serializable");
        line.push('\n');
        self.append(&line).map_err(|reason| RecordError::Unusable {
            path: self.path.clone(),
            reason,
        })
    }

    fn append(&self, line: &str) -> io::Result<()> {
        // One write per line, so that a crash can truncate only the last line.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }
}

fn read_complete_lines(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let complete = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    if complete < bytes.len() {
        file.set_len(complete as u64)?;
        bytes.truncate(complete);
    }
    String::from_utf8(bytes).map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))
}

/// Parses the last entry of each account.
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
