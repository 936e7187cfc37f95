//! The OpenAPI documents of the service and the control API.

/// Returns the OpenAPI 3.1 document of the service as JSON: its endpoints, limits and scopes, and the
/// responses of the default dialect.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(mock_server::openapi_json())?;
/// assert_eq!(document["openapi"], "3.1.0");
/// assert!(document["paths"]["/api/v1/me"]["get"].is_object());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn openapi_json() -> &'static str {
    include_str!("../openapi.json")
}

/// Returns the OpenAPI 3.1 document of the control API as JSON.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(mock_server::control_openapi_json())?;
/// assert!(document["paths"]["/_mock/v1/health"]["get"].is_object());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn control_openapi_json() -> &'static str {
    include_str!("../control-openapi.json")
}
