//! Accounts with their profiles, links, posts and badges, and the limits of the specification.

mod account;
mod badge;
mod field_limit;
mod link;
mod post;
mod profile;

pub use account::Account;
pub(super) use badge::Badge;
pub use field_limit::FieldLimit;
pub(super) use field_limit::{Excess, check_color};
pub use link::Link;
pub(super) use link::check_url;
pub use post::Post;
pub use profile::{Profile, ProfileField};
