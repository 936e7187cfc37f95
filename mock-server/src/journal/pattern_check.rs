//! Which patterns nothing in a journal can match.

use http::HeaderName;

use super::entry::is_secret;
use super::request_pattern::RequestPattern;
use crate::faults::NAMES;
use crate::never_matches::{self, NeverMatches, is_key_name};

impl RequestPattern {
    /// Refuses a pattern that nothing in a journal can match.
    pub(crate) fn check(&self) -> Result<(), NeverMatches> {
        if let Some(method) = &self.method {
            never_matches::method(method)?;
        }
        if let Some(path) = &self.path {
            check_path(path)?;
        }
        self.headers
            .keys()
            .try_for_each(|name| check_header(name))?;
        match (&self.key, self.status, &self.fault) {
            (Some(name), ..) if !is_label(name) => Err(NeverMatches::KeyName),
            (_, Some(found), _) if !(200..=999).contains(&found) => {
                Err(NeverMatches::Status { found })
            }
            (.., Some(found)) if !NAMES.contains(&found.as_str()) => Err(NeverMatches::Fault {
                found: found.clone(),
                known: &NAMES,
            }),
            _ => Ok(()),
        }
    }
}

/// A path is an endpoint's, or says by a `*` at its end that it may lead elsewhere.
fn check_path(found: &str) -> Result<(), NeverMatches> {
    if found.starts_with("/_mock/") {
        let found = found.to_owned();
        return Err(NeverMatches::ControlPath { found });
    }
    let beginning = found.strip_suffix('*').filter(|path| !path.contains('?'));
    if beginning.is_some() {
        return Ok(());
    }
    let path = match found.starts_with('/') {
        true => found,
        false => &format!("/{found}"),
    };
    match never_matches::path(path) {
        Err(NeverMatches::UnknownPath { found }) => Err(NeverMatches::Elsewhere { found }),
        other => other.map(drop),
    }
}

fn check_header(name: &str) -> Result<(), NeverMatches> {
    let name = name.to_owned();
    if is_secret(&name) {
        return Err(NeverMatches::SecretHeader { name });
    }
    match HeaderName::from_bytes(name.as_bytes()) {
        Ok(_) => Ok(()),
        Err(_) => Err(NeverMatches::HeaderName { found: name }),
    }
}

fn is_label(name: &str) -> bool {
    is_key_name(name) || matches!(name, "unknown" | "other")
}
