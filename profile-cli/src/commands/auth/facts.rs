//! The account and the service, as `profile auth status` prints them.

use profile_sdk::{Profile, RateLimit, Scopes};
use serde_json::{Value, json};

use super::permissions::{self, Permissions};
use crate::drawing::{rate, scope_names};
use crate::outcome::{Failure, Report, View, push_field};
use crate::settings::{Key, Source, masked};

/// The account and the service, as far as they are known, and problems with them.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) account: Option<String>,
    pub(super) base_url: Option<String>,
    pub(super) proxy: Option<String>,
    /// The key with all but its end hidden, and its source.
    pub(super) key: Option<(String, String)>,
    pub(super) key_warnings: Vec<String>,
    /// The status and duration of the response.
    pub(super) service: Option<String>,
    pub(super) profile: Option<Profile>,
    /// `true` if the settings permit a request.
    pub(super) can_connect: bool,
    pub(super) failures: Vec<Failure>,
    pub(super) warnings: Vec<String>,
}

impl Facts {
    pub(super) fn of_sandbox() -> Self {
        Self {
            key: Some(("sample".to_owned(), "--sandbox".to_owned())),
            can_connect: true,
            ..Self::default()
        }
    }

    pub(super) fn set_key(&mut self, key: &Key) {
        // A key from the environment does not belong to the selected account.
        if let Source::Account(name) = &key.key.source {
            self.account = Some(name.clone());
        }
        self.key = Some((masked(key.text.key()), key.key.source.to_string()));
        self.key_warnings.clone_from(&key.text.warnings);
    }

    /// Adds a failure, unless another check has found it too.
    pub(super) fn push(&mut self, failure: Failure) {
        let is_known = |known: &Failure| {
            let is_same_field = known.field.is_some() && known.field == failure.field;
            // The other may start with the variable that names the file.
            is_same_field || known.message.ends_with(&failure.message)
        };
        if !self.failures.iter().any(is_known) {
            self.failures.push(failure);
        }
    }

    pub(super) fn report(&self) -> Report {
        let permissions = self.scopes().map(permissions::of);
        let permissions = permissions.as_ref();
        let fields = View::Fields(self.pipe_fields(permissions));
        let people = View::Fields(self.terminal_fields(permissions));
        let mut warnings = self.warnings.clone();
        if self.can_connect {
            // The client has printed the warnings about its key.
            warnings.retain(|warning| !self.key_warnings.contains(warning));
        }
        let report = Report::new(self.document(permissions), fields).for_people(people);
        report.warnings(warnings)
    }

    fn handle(&self) -> Option<String> {
        let handle = self.profile.as_ref()?.handle.as_ref()?;
        Some(handle.to_string())
    }

    fn scopes(&self) -> Option<&Scopes> {
        let key = self.profile.as_ref()?.key.as_ref()?;
        permissions::known(key.scopes.as_ref())
    }

    fn rate_limit(&self) -> Option<&RateLimit> {
        self.profile.as_ref()?.key.as_ref()?.rate_limit.as_ref()
    }

    /// Returns the fields for the terminal.
    fn terminal_fields(&self, permissions: Option<&Permissions>) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        let mut push = |name: &str, value: Option<String>| push_field(&mut fields, name, value);
        push("account", self.account.clone());
        push("base_url", self.base_url.clone());
        push("proxy", self.proxy.clone());
        let key = self.key.as_ref();
        let key = key.map(|(masked, source)| format!("{masked} ({source})"));
        push("key", key);
        push("service", self.service.clone());
        if self.profile.is_none() {
            return fields;
        }
        push("handle", self.handle());
        let scopes = self.scopes().map(scope_names);
        let scopes = scopes.map(|names| match names.is_empty() {
            true => "none".to_owned(),
            false => names.join(" "),
        });
        push("scopes", scopes.or_else(unknown));
        push("rate_limit", self.rate_limit().map(rate).or_else(unknown));
        let allowed = permissions.map(|one| one.allowed.join(", "));
        push("allowed", allowed.or_else(unknown));
        let denied = permissions.iter().flat_map(|one| &one.denied);
        let denied = denied.map(|(command, scope)| format!("{command} (needs {scope})"));
        let denied = denied.collect::<Vec<_>>().join(", ");
        push("not allowed", Some(denied).filter(|list| !list.is_empty()));
        fields
    }

    /// Returns the known fields, with single values.
    fn pipe_fields(&self, permissions: Option<&Permissions>) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        let mut push = |name: &str, value: Option<String>| push_field(&mut fields, name, value);
        push("account", self.account.clone());
        push("base_url", self.base_url.clone());
        push("proxy", self.proxy.clone());
        push("key.masked", self.key.as_ref().map(|key| key.0.clone()));
        push("key.source", self.key.as_ref().map(|key| key.1.clone()));
        push("handle", self.handle());
        let scopes = self.scopes().map(|scopes| scope_names(scopes).join(" "));
        push("scopes", scopes);
        let rate_limit = self.rate_limit().map(|limit| limit.raw().to_string());
        push("rate_limit", rate_limit);
        for command in permissions.iter().flat_map(|one| &one.allowed) {
            push(&format!("commands.{command}"), Some("allowed".to_owned()));
        }
        for (command, scope) in permissions.iter().flat_map(|one| &one.denied) {
            let needs = format!("needs {scope}");
            push(&format!("commands.{command}"), Some(needs));
        }
        fields
    }

    fn document(&self, permissions: Option<&Permissions>) -> Value {
        let denied = permissions.map(|permissions| {
            let denied = permissions.denied.iter();
            let denied = denied.map(|(command, scope)| json!({"command": command, "needs": scope}));
            denied.collect::<Value>()
        });
        let key = self.key.as_ref();
        json!({
            "account": self.account,
            "base_url": self.base_url,
            "proxy": self.proxy,
            "key": key.map(|(masked, source)| json!({"masked": masked, "source": source})),
            "handle": self.handle(),
            "scopes": self.scopes().map(scope_names),
            "rate_limit": self.rate_limit().map(RateLimit::raw),
            "commands": {"allowed": permissions.map(|one| &one.allowed), "denied": denied},
            "warnings": self.warnings,
        })
    }
}

fn unknown() -> Option<String> {
    Some("unknown".to_owned())
}
