//! The settings of a world from the command line and its files.

use std::fs;
use std::path::Path;

use mock_server::{Dialect, World};

use crate::failure::Failure;
use crate::server_options::{DialectChoice, ServerOptions};

/// Settings for a new world or one from a state file.
pub(crate) struct Settings {
    dialect: Option<Dialect>,
    /// The URL of the receiver of webhook events, and the secret.
    webhook: Option<(String, Vec<u8>)>,
}

impl Settings {
    pub(crate) fn read(options: &ServerOptions) -> Result<Self, Failure> {
        let dialect = options.dialect.as_ref().map(dialect);
        let (url, secret_file) = (&options.webhook_url, &options.webhook_secret_file);
        let webhook = url.as_ref().zip(secret_file.as_deref());
        let webhook = webhook.map(|(url, file)| {
            let secret = secret(file)?;
            World::default()
                .set_webhook_receiver(url, &*secret)
                .map_err(Failure::in_file("webhook secret", file))?;
            Ok::<_, Failure>((url.clone(), secret))
        });
        Ok(Self {
            dialect: dialect.transpose()?,
            webhook: webhook.transpose()?,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.dialect.is_none() && self.webhook.is_none()
    }

    /// Applies the settings to a world. Returns `true` if this changed its dialect.
    pub(crate) fn apply(&self, world: &mut World) -> bool {
        let other = |dialect: &Dialect| dialect != world.dialect();
        let had_other = self.dialect.as_ref().is_some_and(other);
        if let Some(dialect) = &self.dialect {
            world.set_dialect(dialect.clone());
        }
        if let Some((url, secret)) = &self.webhook {
            let set = world.set_webhook_receiver(url, &**secret);
            set.expect("URL and secret were checked when they were read");
        }
        had_other
    }
}

/// Returns a named dialect, or reads one from a file.
pub(crate) fn dialect(choice: &DialectChoice) -> Result<Dialect, Failure> {
    let path = match choice {
        DialectChoice::Named(dialect) => return Ok((**dialect).clone()),
        DialectChoice::File(path) => path,
    };
    let text = read("dialect", path)?;
    Dialect::from_json(&text).map_err(Failure::in_file("dialect", path))
}

/// Reads a secret without the line break that editors write at the end of a file.
pub(crate) fn secret(path: &Path) -> Result<Vec<u8>, Failure> {
    let action = format!("read the webhook secret file {}", path.display());
    let mut bytes = fs::read(path).map_err(Failure::of(action))?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        bytes.pop_if(|last| *last == b'\r');
    }
    Ok(bytes)
}

pub(crate) fn read(what: &'static str, path: &Path) -> Result<String, Failure> {
    let action = format!("read the {what} file {}", path.display());
    fs::read_to_string(path).map_err(Failure::of(action))
}
