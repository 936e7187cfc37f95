//! Edits of config.toml, which keep comments, formatting and concurrent changes.

#[cfg(fuzzing)]
#[path = "../../fuzz/config.rs"]
mod fuzzing;

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Table, TableLike, Value};

use super::{AccountName, ConfigFile, SettingName};
use crate::outcome::{Failure, Result};
use crate::system::{Rules, environment, interruption, private_file, written_file};
use crate::terminal::escaped;

/// An edit of the file, which holds its lock, and defers signals, until it is dropped: no key stays without
/// its account.
pub(crate) struct ConfigEdit {
    file: ConfigFile,
    _lock: File,
    _deferred: interruption::Deferral,
}

impl ConfigEdit {
    /// Checks that no other user can change the file, waits for the lock and reads the file.
    pub(crate) fn begin(warn: impl Fn(&str)) -> Result<Self> {
        let directory = environment::config_directory()?;
        let [config, path] = ["config.toml", "config.lock"].map(|name| directory.join(name));
        private_file::check(&config, None).map_err(Failure::usage)?;
        // It is never deleted: other processes may be waiting for its lock.
        let opened =
            private_file::create_directory(&directory).and_then(|()| private_file::create(&path));
        let lock = opened.map_err(|error| Failure::of_file("written", &path, &error))?;
        written_file::wait_for(&lock, &path, warn);
        Ok(Self {
            file: ConfigFile::load(true)?,
            _lock: lock,
            _deferred: interruption::defer(),
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
    pub(crate) fn unset(&mut self, name: SettingName) -> Result<bool> {
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
    ) -> Result<()> {
        let path = escaped(self.file.path());
        let not_a_table = |what: &str| {
            let message = format!("{path}: {what} is a value; expected a table");
            Failure::usage(message).hint("remove the line")
        };
        let accounts = self.file.document.entry("accounts").or_insert_with(|| {
            let mut accounts = Table::new();
            accounts.set_implicit(true);
            Item::Table(accounts)
        });
        let accounts = accounts.as_table_like_mut();
        let accounts = accounts.ok_or_else(|| not_a_table("accounts"))?;
        let stored = accounts.entry(account.as_str());
        let stored = stored.or_insert_with(toml_edit::table).as_table_like_mut();
        let stored = stored.ok_or_else(|| not_a_table(&format!("accounts.{account}")))?;
        replace(stored, field, Value::from(text));
        Ok(())
    }

    /// Checks that no account has this name, or one that differs only in case: some file systems do
    /// not distinguish them.
    pub(crate) fn check_free(&self, name: &AccountName) -> Result<()> {
        let is_taken = |known: &String| known.eq_ignore_ascii_case(name.as_str());
        let Some(other) = self.file.accounts().into_iter().find(is_taken) else {
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
    pub(crate) fn finish(&self) -> Result<()> {
        self.write(&self.file.document)
    }

    /// Writes the file as it was, so that a file that cannot be written is noticed before a key is
    /// stored or removed.
    pub(crate) fn check_writable(&self) -> Result<()> {
        let written = self.write(&self.file.document);
        written.map_err(|failure| failure.hint("no key was stored or removed"))
    }

    /// Writes the file without an account, which stays in the edit.
    pub(crate) fn write_without(&self, account: &AccountName) -> Result<()> {
        let mut document = self.file.document.clone();
        remove_account(&mut document, account.as_str());
        self.write(&document)
    }

    fn write(&self, document: &DocumentMut) -> Result<()> {
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
        let is_crlf = *ends.get(line).unwrap_or(&first);
        text += line;
        text += if is_crlf { "\r\n" } else { "\n" };
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
    let after = text[end..].find('\n');
    let end = after.map_or(text.len(), |after| end + after + 1);
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
