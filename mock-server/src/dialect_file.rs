//! A dialect as a file has it: the settings that differ from the default, as JSON.

use crate::engine::Dialect;
use crate::invalid_input::InvalidInput;
use crate::read_json;

impl Dialect {
    /// Reads the settings that differ from the default, from a JSON object.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`] when it is no object, or has a setting or a value that there is not.
    ///
    /// ```
    /// use mock_server::Dialect;
    /// use mock_server::dialect::Ids;
    ///
    /// assert_eq!(Dialect::from_json(r#"{"ids": "integer"}"#)?.ids, Ids::Integer);
    /// assert_eq!(
    ///     Dialect::from_json(r#""minimal""#).unwrap_err().to_string(),
    ///     "expected a JSON object",
    /// );
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, InvalidInput> {
        read_json::object(text.as_bytes())
    }
}
