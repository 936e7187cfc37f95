//! The types that responses are read as.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a read call responses with, under the field `data`.
pub(crate) trait ResponseData: DeserializeOwned {
    /// The fields whose shape the specification does not show. One that has another shape than ours
    /// is set aside rather than refused.
    const LENIENT_FIELDS: &'static [&'static str] = &[];

    /// Keeps the fields that were set aside, as the service sent them.
    fn add_extra(&mut self, _fields: Map<String, Value>) {}

    /// Whether this field of an element of this list may be set aside too.
    fn is_lenient_in_element(_list: &str, _field: &str) -> bool {
        false
    }

    /// Where an element keeps its fields beyond those that it knows.
    fn element_extra(&mut self, _list: &str, _index: usize) -> Option<&mut Map<String, Value>> {
        None
    }

    /// The value for data of which not even the outermost shape is ours, where the specification
    /// shows none.
    fn from_unexpected(_data: Value) -> Option<Self> {
        None
    }
}

/// What a write may response with.
pub(crate) trait Resource: ResponseData {
    /// Whether it holds at least one of the fields by which the specification knows it.
    fn is_recognized(&self) -> bool;
}
