//! A change of the profile, for previews and differences.

use serde_json::{Value, json};

/// A change: a text or the fields of a resource, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(super) what: &'static str,
    pub(super) id: Option<String>,
    pub(super) from: Value,
    pub(super) to: Value,
}

impl Change {
    pub(crate) fn new(what: &'static str, from: impl Into<Value>, to: impl Into<Value>) -> Self {
        Self {
            what,
            id: None,
            from: from.into(),
            to: to.into(),
        }
    }

    /// Sets the ID of the resource.
    pub(crate) fn id(self, id: impl ToString) -> Self {
        let id = Some(id.to_string());
        Self { id, ..self }
    }

    /// Returns `false` if the value stays the same.
    pub(crate) fn is_change(&self) -> bool {
        self.from != self.to
    }

    pub(crate) fn as_json(&self) -> Value {
        let mut json = json!({"what": self.what, "from": self.from, "to": self.to});
        if let Some(id) = &self.id {
            json["id"] = json!(id);
        }
        json
    }
}
