//! The address that a link points to.

use url::Url;

use crate::InvalidValue;
use crate::values::invalid_value::quoted;
use crate::values::text_value::{deserialize_from_text, serialize_as_text, text_value};

/// An absolute URL of any scheme, sent exactly as it was written.
///
/// It is parsed to see that it is one, but the parsed form, which adds slashes and lower-cases
/// hosts, is never sent. (Specification: Resources, Link.)
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkUrl {
    text: String,
}

impl LinkUrl {
    /// Takes the text as it is.
    ///
    /// # Errors
    ///
    /// When it is not an absolute URL by the WHATWG URL standard.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidValue> {
        let text = text.into();
        match Url::parse(&text) {
            Ok(_) => Ok(Self { text }),
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

text_value!(LinkUrl);
serialize_as_text!(LinkUrl);
deserialize_from_text!(LinkUrl);
