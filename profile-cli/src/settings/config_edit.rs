//! Edits config.toml, keeping comments, formatting and concurrent changes.

#[cfg(fuzzing)]
#[path = "../../fuzz/config.rs"]
mod fuzzing;

use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Table, TableLike, Value};

use super::{AccountName, ConfigFile, SettingName};
use crate::outcome::failure::Failure;
use crate::system::{environment, private_file};

/// An edit of the file, which holds its lock until it is dropped.
pub(crate) struct ConfigEdit {
    file: ConfigFile,
    _lock: File,
}

impl ConfigEdit {
    /// Checks that no other user can change the file, waits for the lock and reads the file.
    pub(crate) fn begin() -> Result<Self, Failure> {
        let directory = environment::config_directory()?;
        private_file::check(&directory.join("config.toml"), None).map_err(Failure::usage)?;
        let path = directory.join("config.lock");
        let opened = private_file::create_directory(&directory).and_then(|()| {
            // The lock file is never deleted: other processes may be waiting for its lock.
            private_file::options()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
        });
        let lock = opened.map_err(|error| Failure::of_file("written", &path, &error))?;
        match lock.lock() {
            Err(error) if error.kind() != ErrorKind::Unsupported => {
                return Err(Failure::of_file("locked", &path, &error));
            }
            _ => {}
        }
        Ok(Self {
            file: ConfigFile::load()?,
            _lock: lock,
        })
    }

    /// Returns the file with the changes so far.
    pub(crate) fn file(&self) -> &ConfigFile {
        &self.file
    }

    /// Sets a setting, in its type.
    pub(crate) fn set(&mut self, name: SettingName, text: &str) {
        let value = name.value(text);
        replace(self.document(), name.as_str(), value);
    }

    /// Removes the line of a setting, and returns `true` if there was one. Comments above it are
    /// kept, since they may be about the next line.
    pub(crate) fn unset(&mut self, name: SettingName) -> Result<bool, Failure> {
        let text = self.file.document.to_string();
        let Some(line) = line_of(&text, name.as_str()) else {
            return Ok(false);
        };
        let text = format!("{}{}", &text[..line.start], &text[line.end..]);
        self.file = ConfigFile::parse(self.file.path().to_owned(), &text)?;
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
        let accounts = self.document().entry("accounts").or_insert_with(|| {
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
        // A linked config.toml stays a link.
        let target = private_file::target_of(path);
        let written = private_file::replace(&target, document.to_string().as_bytes());
        written.map_err(|error| Failure::of_file("written", path, &error))
    }

    fn document(&mut self) -> &mut Table {
        self.file.document.as_table_mut()
    }
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
