//! The URL of a link.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::values::macros::{from_text, text_value};
use crate::values::{InvalidValue, quoted};

/// An absolute URL with any scheme.
///
/// The URL is validated but sent exactly as written: the parsed form, with additional slashes and a
/// lower-case host, is not used. (Specification: Resources, Link.)
///
/// ```
/// use profile_sdk::LinkUrl;
///
/// assert_eq!(LinkUrl::new("https://Example.org")?.as_str(), "https://Example.org");
/// assert_eq!(
///     LinkUrl::new("example.org").unwrap_err().to_string(),
///     "url \"example.org\" is not an absolute URL (relative URL without a base); \
///      expected one such as https://example.org",
/// );
/// # Ok::<(), profile_sdk::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct LinkUrl(String);

impl LinkUrl {
    /// Creates a URL. The text is not changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an absolute URL according to the WHATWG URL standard.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        match Url::parse(&text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => {
                let found = quoted(&text);
                let reason = format!(
                    "{found} is not an absolute URL ({error}); \
                     expected one such as https://example.org"
                );
                Err(InvalidValue::new("url", reason))
            }
        }
    }
}

impl From<Url> for LinkUrl {
    fn from(url: Url) -> Self {
        Self(url.into())
    }
}

text_value!(LinkUrl);
from_text!(LinkUrl);
