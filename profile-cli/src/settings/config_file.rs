//! The file config.toml, which people may edit by hand.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml_edit::{Document, DocumentMut, Item, Value};

use super::SettingName;
use super::setting_name::STRING;
use crate::outcome::failure::Failure;
use crate::system::environment::Environment;

/// The field of config.toml that tells the store of an account's key.
pub(crate) const KEY_STORE: &str = "key_store";

/// config.toml as it was read; a file that is not there is an empty one.
pub(crate) struct ConfigFile {
    path: PathBuf,
    pub(super) document: DocumentMut,
}

impl ConfigFile {
    pub(crate) fn load(environment: &Environment) -> Result<Self, Failure> {
        let Ok(directory) = environment.config_directory() else {
            // Without a home there is no file; who wants to write one is told.
            return Ok(Self::empty(PathBuf::new()));
        };
        let path = directory.join("config.toml");
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::empty(path)),
            Err(error) => Err(Failure::of_file("read", &path, &error)),
        }
    }

    /// The file of this path with nothing read of it.
    pub(super) fn unread(environment: &Environment) -> Self {
        let directory = environment.config_directory().unwrap_or_default();
        Self::empty(directory.join("config.toml"))
    }

    fn empty(path: PathBuf) -> Self {
        Self {
            path,
            document: DocumentMut::new(),
        }
    }

    pub(super) fn parse(path: PathBuf, text: &str) -> Result<Self, Failure> {
        let document = text.parse::<DocumentMut>().map_err(|error| {
            // The parser's own text shows the line, which may hold what nobody should see.
            let before = error.span().map_or("", |span| &text[..span.start]);
            let line = before.matches('\n').count() + 1;
            let reason = error.message().lines().collect::<Vec<_>>().join("; ");
            let message = format!("{}:{line}: invalid TOML: {reason}", path.display());
            Failure::usage(message).hint("fix the line, or remove the file")
        })?;
        Ok(Self { path, document })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A setting's value as text; fails where the file holds what cannot be one.
    pub(crate) fn text(&self, name: SettingName) -> Result<Option<String>, Failure> {
        let Some(item) = self.document.get(name.as_str()) else {
            return Ok(None);
        };
        match name.accepts(item) {
            true => Ok(text(item)),
            false => Err(self.invalid(&[name.as_str()], item, name.expected())),
        }
    }

    /// Where the value of a setting is: the file and the line.
    pub(crate) fn location(&self, name: SettingName) -> String {
        self.location_of(&[name.as_str()])
    }

    /// What is wrong with the names in the file, in words.
    pub(crate) fn unknown_settings(&self) -> Vec<String> {
        let names = self.document.iter().map(|(name, _)| name);
        let unknown = names.filter(|name| *name != "accounts" && !SettingName::is_name(name));
        unknown
            .map(|name| {
                let path = self.path.display();
                format!("{path}: {}", SettingName::unknown_message(name))
            })
            .collect()
    }

    /// What is stored of an account, by the field's name; fails where that is no text.
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

    /// Fails unless every value is of its type, also one that this run has no use for.
    pub(crate) fn check_types(&self) -> Result<(), Failure> {
        let mut names = SettingName::ALL.into_iter();
        names.try_for_each(|name| self.text(name).map(drop))?;
        self.check_accounts()
    }

    /// The same for the accounts alone.
    pub(crate) fn check_accounts(&self) -> Result<(), Failure> {
        let accounts = self.document.get("accounts");
        if let Some(accounts) = accounts.filter(|accounts| !accounts.is_table_like()) {
            return Err(self.invalid(&["accounts"], accounts, "a table"));
        }
        for name in self.accounts() {
            for field in ["base_url", KEY_STORE] {
                self.account_text(&name, field)?;
            }
        }
        Ok(())
    }

    /// Fails unless there is an account of this name.
    pub(crate) fn check_account(&self, name: &str) -> Result<(), Failure> {
        let known = self.accounts();
        if known.iter().any(|known| known == name) {
            return Ok(());
        }
        let message = format!("unknown account {name:?}");
        let hint = match known.is_empty() {
            true => "add one with `profile auth login`".to_owned(),
            false => format!("expected one of {}", known.join(", ")),
        };
        Err(Failure::usage(message).hint(hint))
    }

    /// The names of the accounts that are stored.
    pub(crate) fn accounts(&self) -> Vec<String> {
        let accounts = self.document.get("accounts");
        let table = accounts.and_then(Item::as_table_like);
        let names = table.into_iter().flat_map(|table| table.iter());
        names.map(|(name, _)| name.to_owned()).collect()
    }

    /// The failure of a value of another type than is expected there.
    fn invalid(&self, path: &[&str], item: &Item, expected: &str) -> Failure {
        let place = self.location_of(path);
        let found = found(item);
        let message = format!(
            "{place}: {} is {found}; expected {expected}",
            path.join(".")
        );
        Failure::usage(message).hint("fix the line, or remove it")
    }

    fn location_of(&self, path: &[&str]) -> String {
        let file = self.path.display();
        match line(&self.document.to_string(), path) {
            Some(line) => format!("{file}:{line}"),
            None => file.to_string(),
        }
    }
}

/// The line of a value. The document itself does not know, since it can be changed.
fn line(text: &str, path: &[&str]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let item = path
        .iter()
        .try_fold(document.as_item(), |item, key| item.get(key))?;
    Some(text[..item.span()?.start].matches('\n').count() + 1)
}

/// What stands there, in words: a single value as it is written, of all else the type alone.
fn found(item: &Item) -> String {
    match item.as_value() {
        Some(Value::String(text)) => format!("{:?}", text.value()),
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
