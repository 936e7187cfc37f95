//! A stored login: a base URL in config.toml, and a key that is stored elsewhere.

/// A stored login.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) base_url: Option<String>,
}
