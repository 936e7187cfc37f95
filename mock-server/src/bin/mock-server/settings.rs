//! The settings of a world that the command line names, and the files that hold them.

use std::fs;
use std::io;
use std::path::Path;

use mock_server::{Dialect, ReceiverUrl, WebhookSecret, World};

use crate::arguments::{Arguments, DialectChoice};
use crate::failure::ServeError;

/// What the arguments say of the world, whether it is new or comes from a file.
pub(crate) struct Settings {
    dialect: Option<Dialect>,
    webhook: Option<(ReceiverUrl, WebhookSecret)>,
}

impl Settings {
    pub(crate) fn read(arguments: &Arguments) -> Result<Self, ServeError> {
        let dialect = arguments.dialect.as_ref().map(dialect);
        let secret = arguments.webhook_secret_file.as_deref().map(secret);
        Ok(Self {
            dialect: dialect.transpose()?,
            webhook: arguments.webhook_url.clone().zip(secret.transpose()?),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.dialect.is_none() && self.webhook.is_none()
    }

    /// Gives a world these settings, and says whether it had another dialect.
    pub(crate) fn apply(&self, world: &mut World) -> bool {
        let other = |dialect: &Dialect| dialect != world.dialect();
        let had_other = self.dialect.as_ref().is_some_and(other);
        if let Some(dialect) = &self.dialect {
            world.set_dialect(dialect.clone());
        }
        if let Some((url, secret)) = &self.webhook {
            world.point_webhook_at(url.clone(), secret.clone());
        }
        had_other
    }
}

fn dialect(choice: &DialectChoice) -> Result<Dialect, ServeError> {
    let path = match choice {
        DialectChoice::Named(dialect) => return Ok((**dialect).clone()),
        DialectChoice::File(path) => path,
    };
    let text = read("dialect", path)?;
    Dialect::from_json(&text).map_err(|source| ServeError::Dialect {
        path: path.clone(),
        source,
    })
}

/// Editors put a line break at the end of a file, which is no part of a secret.
fn secret(path: &Path) -> Result<WebhookSecret, ServeError> {
    let mut bytes = read_bytes("webhook secret", path)?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        bytes.pop_if(|last| *last == b'\r');
    }
    WebhookSecret::new(bytes).map_err(|source| ServeError::Secret {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn read(what: &'static str, path: &Path) -> Result<String, ServeError> {
    fs::read_to_string(path).map_err(unreadable(what, path))
}

fn read_bytes(what: &'static str, path: &Path) -> Result<Vec<u8>, ServeError> {
    fs::read(path).map_err(unreadable(what, path))
}

fn unreadable(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ServeError {
    let path = path.to_owned();
    move |source| ServeError::File { what, path, source }
}
