//! Types for requests, which can only hold values that the service accepts.

mod api_key;
mod bio;
mod color;
mod days;
mod field_kind;
mod handle;
pub(crate) mod invalid_value;
mod key_redaction;
mod link_url;
pub(crate) mod open_enum;
pub(crate) mod path_segment;
mod resource_id;
mod scope;
mod short_text;
mod text_value;

pub use api_key::ApiKey;
pub use bio::Bio;
pub use color::Color;
pub use days::Days;
pub use field_kind::FieldKind;
pub use handle::Handle;
pub use invalid_value::InvalidValue;
pub use link_url::LinkUrl;
pub use resource_id::{LinkId, PostId};
pub use scope::{Scope, Scopes};
pub use short_text::{DisplayName, Location};
