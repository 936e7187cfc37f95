//! API keys with their scopes and rate limits.

mod key;
mod keys;
mod rate_limit;
mod scope;

pub(super) use key::Key;
pub use keys::Keys;
pub(super) use keys::token;
pub(crate) use keys::{ActiveKeys, bearer_token};
pub(super) use rate_limit::Quota;
pub use rate_limit::RateLimit;
pub use scope::Scope;
