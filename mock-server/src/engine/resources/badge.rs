//! Badges.

use serde::{Deserialize, Serialize};

/// A badge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Badge {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) color: String,
    pub(crate) kind: String,
}
