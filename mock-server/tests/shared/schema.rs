//! Checks values against the schemas of the OpenAPI documents.

use std::sync::LazyLock;

use boon::{Compiler, Draft, Schemas};
use serde_json::Value;

const LOCATION: &str = "http://document/openapi.json";

/// The document of the control API.
pub(crate) static CONTROL_DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_yaml_ng::from_str(include_str!("../../control-openapi.yaml")).unwrap());

/// Returns the errors of a value against the schema at a pointer in a document.
pub(crate) fn schema_error_in(document: &Value, value: &Value, place: &str) -> Option<String> {
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.enable_format_assertions();
    compiler.add_resource(LOCATION, document.clone()).unwrap();
    let fragment = place.replace('{', "%7B").replace('}', "%7D");
    let mut schemas = Schemas::new();
    let schema = compiler
        .compile(&format!("{LOCATION}#{fragment}"), &mut schemas)
        .unwrap();
    let invalid = schemas.validate(value, schema).err();
    invalid.map(|error| error.to_string())
}
