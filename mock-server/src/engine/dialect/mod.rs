//! The dialect: one setting for each choice that the specification leaves open.

mod alternatives;
mod error_template;
mod extra_fields;
mod file;
mod observed;
mod settings;
mod signature_encoding;
mod timeout;

use crate::input::InvalidInput;

pub(crate) use alternatives::settings_with_alternatives;
pub use error_template::ErrorTemplate;
pub(super) use error_template::Values;
pub use extra_fields::ExtraFields;
pub(super) use extra_fields::Place;
pub use file::{DialectFile, Learned};
pub use observed::{RateLimitHeaderNames, Rejections, WriteStatuses};
pub use settings::*;
pub use timeout::WebhookTimeout;

impl Dialect {
    /// Returns a dialect whose responses contain as little as possible.
    pub fn minimal() -> Self {
        alternatives::named("minimal")
    }

    /// Returns a dialect with extra fields in responses and a key required by every endpoint.
    pub fn maximal() -> Self {
        alternatives::named("maximal")
    }

    /// Returns a dialect with random settings, determined by the seed.
    pub fn random(seed: u64) -> Self {
        alternatives::random(seed)
    }

    /// Returns the dialect with this name: `default`, `minimal`, `maximal`, or `random:` and a seed.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] for any other name.
    pub fn named(name: &str) -> Result<Self, InvalidInput> {
        match name {
            "default" => Ok(Self::default()),
            "minimal" => Ok(Self::minimal()),
            "maximal" => Ok(Self::maximal()),
            _ => {
                let seed = name.strip_prefix("random:");
                let seed = seed.and_then(|seed| seed.parse().ok());
                seed.map(Self::random).ok_or_else(|| {
                    let message = format!(
                        "unknown dialect `{name}`; expected default, minimal, maximal, or random: \
                         and a seed, such as random:7"
                    );
                    InvalidInput::new("invalid_dialect", message)
                })
            }
        }
    }

    /// Parses a dialect from a JSON object with the settings that differ from the default, or from a
    /// [`DialectFile`].
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `text` is not a JSON object or contains an unknown setting or
    /// value.
    pub fn from_json(text: &str) -> Result<Self, InvalidInput> {
        DialectFile::from_json(text).map(|file| file.settings)
    }

    /// Returns every alternative of every setting: the name of the setting, the name of the
    /// alternative, and a dialect that differs from the default only in this setting.
    pub fn alternatives() -> impl Iterator<Item = (&'static str, &'static str, Self)> {
        Self::default().variations()
    }

    /// Returns every alternative of every setting as [`alternatives`](Self::alternatives) does, with
    /// dialects that differ from this one only in the setting.
    pub fn variations(&self) -> impl Iterator<Item = (&'static str, &'static str, Self)> + use<> {
        alternatives::of(self.clone())
    }

    /// Returns `true` if responses have headers about the rate limit.
    pub(super) fn sends_rate_limit_headers(&self) -> bool {
        self.rate_limit_rejection != RateLimitRejection::WithoutHeaders
    }
}
