//! The list of accounts: JSON lines, all of them checked before anything is sent.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use profile_sdk::ApiKey;
use serde::Deserialize;

use crate::Account;
use crate::account::Fields;

/// A line of the list. The key itself never stands in it, so that lists can be shared and kept.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    key_file: Option<PathBuf>,
    key_env: Option<String>,
    set: Fields,
}

/// Why a list cannot be worked.
#[derive(Debug, thiserror::Error)]
pub enum InvalidList {
    /// The file cannot be read.
    #[error("the list {} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// A line of it is wrong.
    #[error("line {line} of the list: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong, and what was expected.
        reason: String,
    },
}

/// Reads a list. Empty lines are skipped; relative key files are looked for beside the list.
///
/// # Errors
///
/// [`InvalidList`] for the first line that is no account, breaks a limit, sets nothing, names a key
/// that cannot be read or that others could read, or repeats a name or a key.
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
    let mut taken = Taken::default();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            continue;
        }
        let account = read_line(text, folder).and_then(|account| taken.take(line, account));
        accounts.push(account.map_err(|reason| InvalidList::Line { line, reason })?);
    }
    Ok(accounts)
}

fn read_line(text: &str, folder: &Path) -> Result<Account, String> {
    let line: Line = serde_json::from_str(text).map_err(|reason| reason.to_string())?;
    let update = line.set.update().map_err(|reason| reason.to_string())?;
    if update.is_empty() {
        return Err("`set` is empty; name at least one field".to_owned());
    }
    let key = match (line.key_file, line.key_env) {
        (Some(file), None) => read_key_file(&folder.join(file))?,
        (None, Some(name)) => env::var(&name).map_err(|reason| format!("{name}: {reason}"))?,
        _ => return Err("give `key_file` or `key_env`, and not both".to_owned()),
    };
    Ok(Account {
        name: line.name,
        key: ApiKey::new(key).map_err(|reason| reason.to_string())?,
        fields: line.set,
    })
}

fn read_key_file(path: &Path) -> Result<String, String> {
    let shown = path.display();
    check_private(path).map_err(|reason| format!("{shown}: {reason}"))?;
    fs::read_to_string(path).map_err(|reason| format!("{shown}: {reason}"))
}

#[cfg(unix)]
fn check_private(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;

    let metadata = fs::metadata(path).map_err(|reason| reason.to_string())?;
    let mode = metadata.permissions().mode() & 0o777;
    match mode & 0o077 {
        0 => Ok(()),
        _ => Err(format!(
            "others than its owner may use this key file (mode {mode:03o}); run `chmod 600` on it"
        )),
    }
}

#[cfg(not(unix))]
fn check_private(_: &Path) -> Result<(), String> {
    Ok(())
}

/// Names and keys with the lines that they stand in. Two lines with one key are one account, and
/// which of them came last would be chance.
#[derive(Default)]
struct Taken {
    names: HashMap<String, usize>,
    keys: Vec<(ApiKey, usize)>,
}

impl Taken {
    fn take(&mut self, line: usize, account: Account) -> Result<Account, String> {
        if let Some(earlier) = self.names.insert(account.name.clone(), line) {
            let name = &account.name;
            return Err(format!(
                "{name:?} stands in line {earlier} already; give each a name of its own"
            ));
        }
        let same_key = self.keys.iter().find(|(key, _)| *key == account.key);
        if let Some((_, earlier)) = same_key {
            return Err(format!(
                "line {earlier} has the same key; join the two into one line"
            ));
        }
        self.keys.push((account.key.clone(), line));
        Ok(account)
    }
}
