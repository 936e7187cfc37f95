//! config.toml: reads it, and edits it, keeping comments, formatting and concurrent changes.

#[cfg(fuzzing)]
#[path = "../../fuzz/config.rs"]
mod fuzzing;

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use profile_sdk::quoted;
use toml_edit::{Document, DocumentMut, Item, Table, TableLike, Value};

use super::setting_name::STRING;
use super::{AccountName, SettingName};
use crate::outcome::failure::Failure;
use crate::system::interruption::InterruptGuard;
use crate::system::private_file::Safety;
use crate::system::written_file::{self, Rules};
use crate::system::{environment, private_file};
use crate::terminal::printable::redact_argument;
use crate::terminal::progress;

/// The field of an account in config.toml with its base URL.
const BASE_URL: &str = "base_url";

/// The field of an account in config.toml that names the store of its key.
pub(crate) const KEY_STORE: &str = "key_store";

/// The contents of config.toml; a missing file counts as empty.
pub(crate) struct ConfigFile {
    path: PathBuf,
    safety: Safety,
    document: DocumentMut,
    /// The text that was read.
    text: String,
}

impl ConfigFile {
    pub(crate) fn load() -> Result<Self, Failure> {
        let Ok(directory) = environment::config_directory() else {
            // Writing fails with an error that says so.
            return Ok(Self::empty(PathBuf::new()));
        };
        let path = directory.join("config.toml");
        let opened = private_file::open(&path);
        let read = opened.and_then(|(file, safety)| Ok((private_file::read(file)?.0, safety)));
        match read {
            Ok((text, safety)) => Ok(Self {
                safety,
                ..Self::parse(path, &text)?
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::empty(path)),
            Err(error) => Err(Failure::of_file("read", &path, &error)),
        }
    }

    /// Returns an empty file, without reading it.
    pub(super) fn unread() -> Self {
        let directory = environment::config_directory().unwrap_or_default();
        Self::empty(directory.join("config.toml"))
    }

    fn empty(path: PathBuf) -> Self {
        Self {
            path,
            safety: Ok(None),
            document: DocumentMut::new(),
            text: String::new(),
        }
    }

    pub(super) fn parse(path: PathBuf, text: &str) -> Result<Self, Failure> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            // The parser's full message quotes the line, which may contain a secret.
            let before = error.span().map_or("", |span| &text[..span.start]);
            let line = before.matches('\n').count() + 1;
            let reason = error.message().lines().collect::<Vec<_>>().join("; ");
            let message = format!("{}:{line}: invalid TOML: {reason}", path.display());
            Failure::usage(message).hint("fix the line, or remove the file")
        })?;
        Ok(Self {
            document,
            text: text.to_owned(),
            ..Self::empty(path)
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that no other user could change the file that was read, whose settings decide where
    /// keys are sent and which editor is run. Returns a warning if a group can.
    pub(crate) fn check_owner(&self) -> Result<Option<String>, Failure> {
        self.safety.clone().map_err(Failure::usage)
    }

    /// Returns a setting's value as text, or an error if it has the wrong type.
    pub(crate) fn text(&self, name: SettingName) -> Result<Option<String>, Failure> {
        let Some(item) = self.document.get(name.as_str()) else {
            return Ok(None);
        };
        match name.accepts(item) {
            true => Ok(text(item)),
            false => Err(Failure {
                field: Some(name.as_str()),
                ..self.invalid(&[name.as_str()], item, name.expected())
            }),
        }
    }

    /// Returns the file and line of a setting.
    pub(crate) fn location(&self, name: SettingName) -> String {
        self.location_of(&[name.as_str()])
    }

    /// Returns a warning for each unknown setting.
    pub(crate) fn unknown_settings(&self) -> Vec<String> {
        let names = self.document.iter().map(|(name, _)| name);
        let is_known = |name: &str| SettingName::all().any(|known| known.as_str() == name);
        let unknown = names.filter(|name| *name != "accounts" && !is_known(name));
        let of_accounts = self.accounts().into_iter().flat_map(|account| {
            let path = ["accounts", &account];
            let fields = path.iter().try_fold(self.document.as_item(), |item, key| item.get(key));
            let fields = fields.and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
            let unknown = fields.filter(|(name, _)| ![BASE_URL, KEY_STORE].contains(name));
            let message = |name| {
                format!("unknown field {name:?} of account {account}; expected {BASE_URL} or {KEY_STORE}")
            };
            unknown.map(|(name, _)| message(name)).collect::<Vec<_>>()
        });
        let path = self.path.display();
        unknown
            .map(SettingName::unknown_message)
            .chain(of_accounts)
            .map(|message| format!("{path}: {message}"))
            .collect()
    }

    /// Returns a field of an account, or an error if it is not a string.
    pub(crate) fn account_text(
        &self,
        account: &str,
        field: &str,
    ) -> Result<Option<String>, Failure> {
        let path = ["accounts", account, field];
        let mut item = self.document.as_item();
        for (depth, key) in path.into_iter().enumerate() {
            if !item.is_table_like() {
                return Err(self.invalid(&path[..depth], item, "a table"));
            }
            let Some(next) = item.get(key) else {
                return Ok(None);
            };
            item = next;
        }
        match item.is_str() {
            true => Ok(text(item)),
            false => Err(self.invalid(&path, item, STRING)),
        }
    }

    /// Checks the types of all values, including those that the command does not use.
    pub(crate) fn check_types(&self) -> Result<(), Failure> {
        SettingName::all().try_for_each(|name| self.text(name).map(drop))?;
        self.check_accounts()
    }

    /// Checks the types of the accounts' fields.
    pub(crate) fn check_accounts(&self) -> Result<(), Failure> {
        let accounts = self.document.get("accounts");
        if let Some(accounts) = accounts.filter(|accounts| !accounts.is_table_like()) {
            return Err(self.invalid(&["accounts"], accounts, "a table"));
        }
        for name in self.accounts() {
            for field in [BASE_URL, KEY_STORE] {
                self.account_text(&name, field)?;
            }
        }
        Ok(())
    }

    /// Checks that there is an account of this name.
    pub(crate) fn check_account(&self, name: &str) -> Result<(), Failure> {
        let known = self.accounts();
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let message = format!("unknown account {}", quoted(redact_argument(name)));
        let hint = match known.is_empty() {
            true => "add one with `profile auth login`".to_owned(),
            false => format!("expected one of {}", known.join(", ")),
        };
        Err(Failure {
            field: Some(SettingName::Account.as_str()),
            ..Failure::usage(message).hint(hint)
        })
    }

    /// Returns the names of the stored accounts.
    pub(crate) fn accounts(&self) -> Vec<String> {
        let accounts = self.document.get("accounts");
        let table = accounts.and_then(Item::as_table_like);
        let names = table.into_iter().flat_map(|table| table.iter());
        names.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the failure for a value of the wrong type in the accounts.
    fn invalid(&self, path: &[&str], item: &Item, expected: &str) -> Failure {
        let place = self.location_of(path);
        let found = found(item);
        let message = format!(
            "{place}: {} is {found}; expected {expected}",
            path.join(".")
        );
        Failure {
            field: Some("accounts"),
            ..Failure::usage(message).hint("fix the line, or remove it")
        }
    }

    fn location_of(&self, path: &[&str]) -> String {
        let file = self.path.display();
        match line(&self.document.to_string(), path) {
            Some(line) => format!("{file}:{line}"),
            None => file.to_string(),
        }
    }
}

/// Returns the line of a value. `DocumentMut` has no spans, so the text is parsed again.
fn line(text: &str, path: &[&str]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let item = path
        .iter()
        .try_fold(document.as_item(), |item, key| item.get(key))?;
    Some(text[..item.span()?.start].matches('\n').count() + 1)
}

/// Describes a value for an error message.
fn found(item: &Item) -> String {
    match item.as_value() {
        Some(Value::String(text)) => quoted(text.value()),
        _ if item.is_table_like() => "a table".to_owned(),
        Some(Value::Array(_)) | None => "an array".to_owned(),
        Some(value) => value.clone().decorated("", "").to_string(),
    }
}

fn text(item: &Item) -> Option<String> {
    let value = item.as_value()?;
    match value.as_str() {
        Some(text) => Some(text.to_owned()),
        None => Some(value.clone().decorated("", "").to_string()),
    }
}

/// Waits for a lock, and after a second says so. Warns if the file system has no locks.
fn wait_for(lock: &File, path: &Path, warn: impl FnOnce(&str)) -> Result<(), Failure> {
    for attempt in 0.. {
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) if attempt == 50 => {
                let path = path.display();
                progress::waiting(&format!("{path}, which another process has locked"));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(error)) if written_file::lacks_locks(&error) => {
                warn(&written_file::no_locks_warning(path, &error));
                break;
            }
            Err(TryLockError::Error(error)) => {
                return Err(Failure::of_file("locked", path, &error));
            }
            Ok(()) => break,
        }
    }
    Ok(())
}

/// Opens the file whose lock protects config.toml: config.lock, or config.toml itself in a directory that
/// cannot be written, since it is then written in place.
fn open_lock(path: &Path, config: &Path) -> io::Result<File> {
    let mut options = private_file::options();
    options.write(true);
    match options.clone().create_new(true).open(path) {
        Ok(lock) => {
            written_file::keep_owner_of_directory(&lock, path);
            Ok(lock)
        }
        // It is never deleted: other processes may be waiting for its lock.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => options.open(path),
        Err(error) if written_file::cannot_be_replaced(&error) => {
            options.open(config).map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

/// An edit of the file, which holds its lock, and defers Ctrl-C, until it is dropped.
pub(crate) struct ConfigEdit {
    file: ConfigFile,
    _lock: File,
    _guard: InterruptGuard,
}

impl ConfigEdit {
    /// Checks that no other user can change the file, waits for the lock and reads the file.
    pub(crate) fn begin(warn: impl FnOnce(&str)) -> Result<Self, Failure> {
        let directory = environment::config_directory()?;
        let [config, path] = ["config.toml", "config.lock"].map(|name| directory.join(name));
        private_file::check(&config, None).map_err(Failure::usage)?;
        let opened =
            private_file::create_directory(&directory).and_then(|()| open_lock(&path, &config));
        let lock = opened.map_err(|error| Failure::of_file("written", &path, &error))?;
        wait_for(&lock, &path, warn)?;
        Ok(Self {
            file: ConfigFile::load()?,
            _lock: lock,
            _guard: InterruptGuard::new(),
        })
    }

    /// Returns the file with the changes so far.
    pub(crate) fn file(&self) -> &ConfigFile {
        &self.file
    }

    /// Converts and sets a setting.
    pub(crate) fn set(&mut self, name: SettingName, text: &str) {
        let table = self.file.document.as_table_mut();
        replace(table, name.as_str(), name.value(text));
    }

    /// Removes the line of a setting, and returns `true` if there was one. Comments above it are
    /// kept, since they may be about the next line.
    pub(crate) fn unset(&mut self, name: SettingName) -> Result<bool, Failure> {
        let text = self.file.document.to_string();
        let Some(line) = line_of(&text, name.as_str()) else {
            return Ok(false);
        };
        let text = format!("{}{}", &text[..line.start], &text[line.end..]);
        self.file.document = ConfigFile::parse(self.file.path().to_owned(), &text)?.document;
        Ok(true)
    }

    /// Sets a field of an account.
    pub(crate) fn set_account(
        &mut self,
        account: &AccountName,
        field: &str,
        text: &str,
    ) -> Result<(), Failure> {
        let path = self.file.path().display().to_string();
        let not_a_table = |what: &str| {
            let message = format!("{path}: {what} is a value; expected a table");
            Failure::usage(message).hint("remove the line")
        };
        let accounts = self.file.document.entry("accounts").or_insert_with(|| {
            let mut accounts = Table::new();
            accounts.set_implicit(true);
            Item::Table(accounts)
        });
        let accounts = accounts
            .as_table_like_mut()
            .ok_or_else(|| not_a_table("accounts"))?;
        let stored = accounts
            .entry(account.as_str())
            .or_insert_with(toml_edit::table);
        let stored = stored
            .as_table_like_mut()
            .ok_or_else(|| not_a_table(&format!("accounts.{account}")))?;
        replace(stored, field, Value::from(text));
        Ok(())
    }

    /// Checks that no account has this name, or one that differs only in case: some file systems do
    /// not distinguish them.
    pub(crate) fn check_free(&self, name: &AccountName) -> Result<(), Failure> {
        let known = self.file.accounts();
        let taken = known
            .iter()
            .find(|known| known.eq_ignore_ascii_case(name.as_str()));
        let Some(other) = taken else {
            return Ok(());
        };
        let difference = match other == name.as_str() {
            true => String::new(),
            false => format!("; {name} differs only in case"),
        };
        let message = format!("account {other} already exists{difference}");
        Err(Failure::usage(message).hint("choose another name"))
    }

    /// Removes an account.
    pub(crate) fn remove_account(&mut self, account: &str) {
        remove_account(&mut self.file.document, account);
    }

    /// Writes the file.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.write(&self.file.document)
    }

    /// Writes the file as it was, so that a file that cannot be written is noticed before a key is
    /// stored or removed.
    pub(crate) fn check_writable(&self) -> Result<(), Failure> {
        let written = self.write(&self.file.document);
        written.map_err(|failure| failure.hint("no key was stored or removed"))
    }

    /// Writes the file without an account, which stays in the edit.
    pub(crate) fn write_without(&self, account: &AccountName) -> Result<(), Failure> {
        let mut document = self.file.document.clone();
        remove_account(&mut document, account.as_str());
        self.write(&document)
    }

    fn write(&self, document: &DocumentMut) -> Result<(), Failure> {
        let path = self.file.path();
        let text = with_line_breaks_of(&self.file.text, &document.to_string());
        let written = written_file::write(path, text.as_bytes(), Rules::Settings);
        written.map_err(|error| Failure::of_file("written", path, &error))
    }
}

/// Returns a new text with the line breaks and the byte order mark of the old one, which the parser removes.
/// A new line ends like the first one.
fn with_line_breaks_of(old: &str, new: &str) -> String {
    let unmarked = old.trim_start_matches('\u{feff}');
    let mut lines: Vec<_> = unmarked.split('\n').collect();
    // The last line has no line break.
    lines.pop();
    let is_crlf = |line: &&str| line.ends_with('\r');
    let first = lines.first().is_some_and(is_crlf);
    let ends = lines
        .iter()
        .map(|line| (line.trim_end_matches('\r'), is_crlf(line)));
    let ends: HashMap<_, _> = ends.collect();
    let mut text = old[..old.len() - unmarked.len()].to_owned();
    for line in new.lines() {
        text += line;
        text += if *ends.get(line).unwrap_or(&first) {
            "\r\n"
        } else {
            "\n"
        };
    }
    text
}

fn remove_account(document: &mut DocumentMut, account: &str) {
    let accounts = document.get_mut("accounts");
    if let Some(accounts) = accounts.and_then(Item::as_table_like_mut) {
        accounts.remove(account);
    }
}

/// Returns the range of a setting's lines.
fn line_of(text: &str, name: &str) -> Option<Range<usize>> {
    let document = Document::parse(text).ok()?;
    let (key, item) = document.as_table().get_key_value(name)?;
    let (start, end) = (key.span()?.start, item.span()?.end);
    let start = text[..start].rfind('\n').map_or(0, |before| before + 1);
    let end = text[end..]
        .find('\n')
        .map_or(text.len(), |after| end + after + 1);
    Some(start..end)
}

/// Replaces a value, keeping the whitespace and comments around it.
fn replace(table: &mut dyn TableLike, name: &str, mut value: Value) {
    match table.get_mut(name) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => drop(table.insert(name, Item::Value(value))),
    }
}
