//! The types that answers are read as.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// What a read call answers with, under the field `data`.
pub(crate) trait Answer: DeserializeOwned {
    /// The fields whose shape the specification does not show. One that has another shape than ours
    /// is set aside rather than refused.
    const SHAPE_NOT_SHOWN: &'static [&'static str] = &[];

    /// Keeps the fields that were set aside, as the service sent them.
    fn keep(&mut self, _set_aside: Map<String, Value>) {}

    /// Whether this field of an element of this list may be set aside too.
    fn may_be_odd_in_element(_list: &str, _field: &str) -> bool {
        false
    }

    /// Where an element keeps its fields beyond those that it knows.
    fn extra_of_element(&mut self, _list: &str, _index: usize) -> Option<&mut Map<String, Value>> {
        None
    }

    /// The value for data of which not even the outermost shape is ours, where the specification
    /// shows none.
    fn odd(_data: Value) -> Option<Self> {
        None
    }
}

/// What a write may answer with.
pub(crate) trait Resource: Answer {
    /// Whether it holds at least one of the fields by which the specification knows it.
    fn is_recognised(&self) -> bool;
}
