//! The traits of types that are decoded from responses.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A type that is decoded from the field `data` of a response.
pub(crate) trait ResponseData: DeserializeOwned {
    /// The fields whose shape the specification does not define. A field that cannot be decoded is
    /// moved to `extra`.
    const LENIENT_FIELDS: &'static [&'static str] = &[];

    /// Adds fields that could not be decoded to `extra`.
    fn add_extra(&mut self, _fields: Map<String, Value>) {}

    /// Returns `true` if a field of an element of a list can be moved to `extra` as well.
    fn is_lenient_in_element(_list: &str, _field: &str) -> bool {
        false
    }

    /// Returns the `extra` of an element of a list.
    fn element_extra(&mut self, _list: &str, _index: usize) -> Option<&mut Map<String, Value>> {
        None
    }

    /// Creates a value from data that cannot be decoded, if the specification does not define the
    /// shape of the data.
    fn from_unexpected(_data: Value) -> Option<Self> {
        None
    }
}

/// A resource in the response to a write.
pub(crate) trait Resource: ResponseData {
    /// Returns `true` if the value has at least one field of the resource.
    fn is_recognized(&self) -> bool;
}
