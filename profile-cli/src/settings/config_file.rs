//! The contents of config.toml.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

use super::{STRING, SettingName, complete_url, shown};
use crate::outcome::{Failure, FailureKind, NextCommand, Result};
use crate::system::{Text, environment, private_file, text_file};
use crate::terminal::{SafeUrl, argument, escaped};

/// The field of an account in config.toml with its base URL.
const BASE_URL: &str = "base_url";

/// The field of an account in config.toml that names the store of its key.
pub(crate) const KEY_STORE: &str = "key_store";

/// The contents of config.toml; a missing file counts as empty.
pub(crate) struct ConfigFile {
    path: PathBuf,
    safety: private_file::Safety,
    warning: Option<String>,
    pub(super) document: DocumentMut,
    /// The text that was read.
    pub(super) text: String,
}

impl ConfigFile {
    /// Reads the file. If it is not needed, a directory that cannot be searched counts as empty, with a warning.
    pub(crate) fn load(is_needed: bool) -> Result<Self> {
        let directory = match environment::config_directory() {
            Ok(directory) => directory,
            Err(failure) if failure.kind == FailureKind::Usage => return Err(failure),
            // Writing fails with an error that says so.
            Err(_) => return Ok(Self::empty(PathBuf::new())),
        };
        let path = directory.join("config.toml");
        let opened = private_file::open(&path);
        let read = opened.and_then(|(file, safety)| Ok((text_file::read(file, &path)?, safety)));
        match read {
            Ok((Text { text, had_mark, .. }, safety)) => {
                let file = Self::parse(path, &text)?;
                // An edit keeps the mark.
                let mark = if had_mark { "\u{feff}" } else { "" };
                Ok(Self {
                    safety,
                    text: format!("{mark}{text}"),
                    ..file
                })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::empty(path)),
            Err(error) if !is_needed && path.symlink_metadata().is_err() => {
                let failure = Failure::of_file("read", &path, &error);
                Ok(Self {
                    warning: Some(format!("{}; it counts as absent", failure.message)),
                    ..Self::empty(path)
                })
            }
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
            warning: None,
            document: DocumentMut::new(),
            text: String::new(),
        }
    }

    pub(super) fn parse(path: PathBuf, text: &str) -> Result<Self> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            // The parser's full message quotes the line, which may contain a secret.
            let before = error.span().map_or("", |span| &text[..span.start]);
            let line = before.matches('\n').count() + 1;
            let reason = error.message().lines().collect::<Vec<_>>().join("; ");
            let message = format!("{}:{line}: invalid TOML: {reason}", escaped(&path));
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
    pub(crate) fn check_owner(&self) -> Result<Option<String>> {
        self.safety.clone().map_err(Failure::usage)
    }

    /// Returns a setting's value as text, or an error if it has the wrong type.
    pub(crate) fn text(&self, name: SettingName) -> Result<Option<String>> {
        let Some(item) = self.document.get(name.as_str()) else {
            return Ok(None);
        };
        let (expected, has_type) = name.expected();
        match has_type(item) {
            true => Ok(text(item)),
            false => {
                let failure = self.invalid(&[name.as_str()], item, expected);
                Err(failure.field(name.as_str()))
            }
        }
    }

    /// Returns the file and line of a setting.
    pub(crate) fn location(&self, name: SettingName) -> String {
        self.location_of(&[name.as_str()])
    }

    /// Returns a warning for each unknown setting, or for a file that counts as absent.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let names = self.document.iter().map(|(name, _)| name);
        let is_known = |name: &str| SettingName::all().any(|known| known.as_str() == name);
        let unknown = names.filter(|name| *name != "accounts" && !is_known(name));
        let of_accounts = fields(self.document.get("accounts")).flat_map(|(account, item)| {
            let unknown = fields(Some(item)).filter(|(name, _)| ![BASE_URL, KEY_STORE].contains(name));
            unknown.map(move |(name, _)| {
                let name = argument(name.as_bytes());
                format!("unknown field {name:?} of account {account}; expected {BASE_URL} or {KEY_STORE}")
            })
        });
        let path = escaped(&self.path);
        unknown
            .map(SettingName::unknown_message)
            .chain(of_accounts)
            .map(|message| format!("{path}: {message}"))
            .chain(self.warning.clone())
            .collect()
    }

    /// Returns a field of an account, or an error if it is not a string.
    pub(crate) fn account_text(&self, account: &str, field: &str) -> Result<Option<String>> {
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

    /// Returns the base URL of an account, with its scheme.
    pub(crate) fn base_url_of(&self, account: &str) -> Result<Option<SafeUrl>> {
        let text = self.account_text(account, BASE_URL)?;
        Ok(text.map(|text| SafeUrl::new(complete_url(text))))
    }

    /// Checks the types of the accounts' fields.
    pub(crate) fn check_accounts(&self) -> Result<()> {
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
    pub(crate) fn check_account(&self, name: &str) -> Result<()> {
        let known = self.accounts();
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let message = format!("unknown account {}", shown(name));
        let hint = match known.is_empty() {
            true => format!("add one with {}", NextCommand("profile auth login")),
            false => format!("expected one of {}", known.join(", ")),
        };
        let failure = Failure::usage(message).hint(hint);
        Err(failure.field(SettingName::Account.as_str()))
    }

    /// Returns the names of the stored accounts.
    pub(crate) fn accounts(&self) -> Vec<String> {
        let accounts = fields(self.document.get("accounts"));
        accounts.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the failure for a value of the wrong type in the accounts.
    fn invalid(&self, path: &[&str], item: &Item, expected: &str) -> Failure {
        let place = self.location_of(path);
        let (name, found) = (path.join("."), found(item));
        let message = format!("{place}: {name} is {found}; expected {expected}");
        let failure = Failure::usage(message).hint("fix the line, or remove it");
        failure.field("accounts")
    }

    fn location_of(&self, path: &[&str]) -> String {
        let file = escaped(&self.path);
        match line(&self.document.to_string(), path) {
            Some(line) => format!("{file}:{line}"),
            None => file,
        }
    }
}

/// Returns the fields of a table; other items have none.
fn fields(item: Option<&Item>) -> impl Iterator<Item = (&str, &Item)> {
    let table = item.and_then(Item::as_table_like);
    table.into_iter().flat_map(TableLike::iter)
}

/// Returns the line of a value. `DocumentMut` has no spans, so the text is parsed again.
fn line(text: &str, path: &[&str]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let mut keys = path.iter();
    let item = keys.try_fold(document.as_item(), |item, key| item.get(key))?;
    Some(text[..item.span()?.start].matches('\n').count() + 1)
}

/// Describes a value for an error message.
fn found(item: &Item) -> String {
    match item.as_value() {
        Some(Value::String(text)) => shown(text.value()),
        _ if item.is_table_like() => "a table".to_owned(),
        Some(Value::Array(_)) | None => "an array".to_owned(),
        Some(value) => value.clone().decorated("", "").to_string(),
    }
}

fn text(item: &Item) -> Option<String> {
    let value = item.as_value()?;
    Some(match value {
        Value::String(text) => text.value().clone(),
        // Not as it is written, such as 1_000.
        Value::Integer(number) => number.value().to_string(),
        other => other.clone().decorated("", "").to_string(),
    })
}
