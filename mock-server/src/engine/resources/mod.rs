//! Accounts with their profiles, links, posts and badges, and the limits of the specification.

mod account;
mod badge;
mod limits;
mod link;
mod post;
mod profile;

pub use account::Account;
pub(super) use badge::Badge;
pub(super) use limits::check_color;
pub use link::Link;
pub(super) use link::check_url;
pub use post::Post;
pub(crate) use profile::FIELD_NAMES;
pub use profile::Profile;
pub(super) use profile::{FIELDS, Field};
