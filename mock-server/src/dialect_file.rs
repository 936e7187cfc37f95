//! A dialect as a file has it: the settings that differ from the default, as JSON.

use crate::engine::Dialect;
use crate::misfit::{self, Misfit};

/// Why a text is no dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; a dialect is an object of settings such as {{\"ids\": \"integer\"}}")]
pub struct InvalidDialect(Misfit);

impl Dialect {
    /// Reads the settings that differ from the default, from a JSON object.
    ///
    /// # Errors
    ///
    /// [`InvalidDialect`] when it is no object, or has a setting or a value that there is not.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// use mock_server::dialect::Ids;
    ///
    /// assert_eq!(Dialect::from_json(r#"{"ids": "integer"}"#)?.ids, Ids::Integer);
    /// assert_eq!(
    ///     Dialect::from_json(r#""minimal""#).unwrap_err().to_string(),
    ///     r#"found "minimal"; an object is expected; a dialect is an object of settings such as {"ids": "integer"}"#,
    /// );
    /// # Ok::<(), mock_server::InvalidDialect>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, InvalidDialect> {
        misfit::object(text.as_bytes()).map_err(InvalidDialect)
    }
}
