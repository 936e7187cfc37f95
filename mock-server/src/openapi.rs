//! The documents that describe the service and its control API to programs.

/// The OpenAPI 3.1 document of the service, as JSON: its eleven endpoints with every limit and scope
/// that the specification states, and every answer of the default dialect.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(mock_server::openapi_json())?;
/// assert_eq!(document["openapi"], "3.1.0");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn openapi_json() -> &'static str {
    include_str!("../openapi.json")
}
