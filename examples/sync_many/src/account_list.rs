//! The list of accounts: JSON lines, all validated before anything is sent.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use profile_sdk::ApiKey;
use serde::Deserialize;

use crate::Account;
use crate::account::Fields;

/// A line of the list. It does not contain the key, so that lists can be shared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    key_file: Option<PathBuf>,
    key_env: Option<String>,
    set: Fields,
}

/// An error in a list of accounts.
#[derive(Debug, thiserror::Error)]
pub enum InvalidList {
    /// The file cannot be read.
    #[error("could not read the list {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: io::Error,
    },
    /// A line is invalid.
    #[error("line {line} of the list: {reason}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The value that was found and the one that was expected.
        reason: String,
    },
}

/// Reads a list. Skips empty lines. Paths of key files are relative to the list.
///
/// # Errors
///
/// Returns [`InvalidList`] for the first line that is not a valid account, exceeds a limit, sets no
/// field, repeats a name or a key, or has a key that cannot be read or that other users can read.
///
/// ```no_run
/// for account in sync_many::read_accounts("accounts.jsonl".as_ref())? {
///     println!("{}", account.name);
/// }
/// # Ok::<(), sync_many::InvalidList>(())
/// ```
pub fn read_accounts(path: &Path) -> Result<Vec<Account>, InvalidList> {
    let text = fs::read_to_string(path).map_err(|reason| InvalidList::Unreadable {
        path: path.to_owned(),
        reason,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut accounts = Vec::new();
    let mut seen = Seen::default();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let account = read_line(text, folder).and_then(|account| seen.add(line, account));
        accounts.push(account.map_err(|reason| InvalidList::Line { line, reason })?);
    }
    Ok(accounts)
}

fn read_line(text: &str, folder: &Path) -> Result<Account, String> {
    let line: Line = serde_json::from_str(text).map_err(|reason| reason.to_string())?;
    let update = line.set.to_update().map_err(|reason| reason.to_string())?;
    if update.is_empty() {
        return Err("`set` is empty; expected at least one field".to_owned());
    }
    let key = match (line.key_file, line.key_env) {
        (Some(file), None) => read_key_file(&folder.join(file))?,
        (None, Some(name)) => env::var(&name).map_err(|reason| format!("{name}: {reason}"))?,
        _ => return Err("expected either `key_file` or `key_env`".to_owned()),
    };
    Ok(Account {
        name: line.name,
        key: ApiKey::new(key).map_err(|reason| reason.to_string())?,
        fields: line.set,
    })
}

fn read_key_file(path: &Path) -> Result<String, String> {
    let in_file = |reason: String| format!("{}: {reason}", path.display());
    check_private(path).map_err(in_file)?;
    fs::read_to_string(path).map_err(|reason| in_file(reason.to_string()))
}

#[cfg(unix)]
fn check_private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;

    let metadata = fs::metadata(path).map_err(|reason| reason.to_string())?;
    let mode = metadata.permissions().mode() & 0o777;
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(format!(
            "the key file is accessible to other users (mode {mode:03o}); run `chmod 600` on it"
        )),
    }
}

#[cfg(not(unix))]
fn check_private(_: &Path) -> Result<(), String> {
    Ok(())
}

/// The names and keys so far, with their lines. Two lines with the same key are an error, because
/// the order of their edits would be random.
#[derive(Default)]
struct Seen {
    names: HashMap<String, usize>,
    keys: Vec<(ApiKey, usize)>,
}

impl Seen {
    fn add(&mut self, line: usize, account: Account) -> Result<Account, String> {
        if let Some(earlier) = self.names.insert(account.name.clone(), line) {
            let name = &account.name;
            return Err(format!(
                "the name {name:?} is already used in line {earlier}; expected unique names"
            ));
        }
        let same_key = self.keys.iter().find(|(key, _)| *key == account.key);
        if let Some((_, earlier)) = same_key {
            return Err(format!(
                "the key is already used in line {earlier}; merge the two lines"
            ));
        }
        self.keys.push((account.key.clone(), line));
        Ok(account)
    }
}
