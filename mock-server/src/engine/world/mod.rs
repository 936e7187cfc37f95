//! The state of one service: its accounts, keys, seed, clock, ID counter and webhook.

mod validation;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::access::{ActiveKeys, Key, Keys, RateLimit, Scope, token};
use super::webhook::{NewDelivery, NotSent, Prepared, Receiver, Webhook, WebhookSecret};
use super::{Account, Badge, Clock, Dialect, Link, Post, Profile};
use crate::input::{self, InvalidInput, Result};
use crate::redaction::label;

pub(crate) use validation::{check, raise_last_id};

/// An isolated instance of the profile service.
///
/// A new world has two accounts, `demo` (whose keys [`World::keys`] returns) and `grace`. Profiles,
/// links, posts and IDs are always the same; the seed determines keys and statistics. The same seed,
/// fixed clock and requests lead to the same responses. Equality ignores how much of a
/// rate limit is used.
///
/// ```
/// use mock_server::{Clock, Request, Scope, World};
///
/// let mut world = World::new(0);
/// world.set_clock(Clock::fixed("2026-03-01T12:00:00Z")?);
/// world.add_account("ada").profile.display_name = "Ada".to_owned();
/// let link = world.add_link("ada", "Blog", "https://example.com").unwrap();
/// assert_eq!(link.created_at, "2026-03-01T12:00:00Z");
/// assert!(world.create_key("ada", &[Scope::LinksWrite]).starts_with("mock_key"));
///
/// let request = Request::new("GET", "/api/v1/me")
///     .header("Authorization", format!("Bearer {}", world.keys().all));
/// assert_eq!(mock_server::handle(&mut world, &request).status, 200);
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    seed: u64,
    clock: Clock,
    #[serde(default, deserialize_with = "input::nested_object")]
    dialect: Dialect,
    pub(super) last_id: u64,
    pub(super) badges: Vec<Badge>,
    pub(super) accounts: BTreeMap<String, Account>,
    pub(crate) keys: BTreeMap<String, Key>,
    #[serde(default, skip_serializing_if = "Webhook::is_new")]
    pub(crate) webhook: Webhook,
}

impl World {
    /// Creates the default world with this seed and the system clock.
    pub fn new(seed: u64) -> Self {
        let mut world = Self {
            seed,
            clock: Clock::fixed(CREATED_AT).expect("the date is an instant"),
            dialect: Dialect::default(),
            last_id: 0,
            badges: vec![
                Badge::new("early", "Early bird", "Joined in the first year", "#f59e0b"),
                Badge::new("writer", "Writer", "Wrote a first post", "#2563eb"),
            ],
            accounts: BTreeMap::new(),
            keys: Keys::from_seed(seed).owned_by(OWNER),
            webhook: Webhook::default(),
        };
        let added = world.add_resources();
        added.expect("links and posts are added to existing accounts");
        world.clock = Clock::system();
        world
    }

    /// Adds the accounts of a new world with their links and posts, in the order of their IDs.
    fn add_resources(&mut self) -> Result<()> {
        for (handle, profile, badge) in [
            (OWNER, Profile::demo(), "early"),
            ("grace", Profile::grace(), "writer"),
        ] {
            let account = self.add_account(handle);
            account.profile = profile;
            account.badges.push(badge.to_owned());
        }
        self.add_link(OWNER, "Homepage", "https://example.com/demo")?;
        self.add_link(OWNER, "Code", "https://example.com/demo/code")?;
        self.add_post(OWNER, "Hello from the mock server!")?;
        self.add_link("grace", "Homepage", "https://example.com/grace")?;
        self.add_post("grace", "Nice weather on the loopback today.")?;
        Ok(())
    }

    /// Returns the seed, which determines keys and statistics.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Sets the clock.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Advances the clock; see [`Clock::advance`].
    pub fn advance(&mut self, time: Duration) {
        self.clock.advance(time);
    }

    /// Returns the dialect: the choices that the service makes where the specification is silent.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Sets the dialect, starting with the next request. The data of the world does not change.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// Sets the receiver of the webhook, as
    /// [`WebhookHandle::set_receiver`](crate::webhook::WebhookHandle::set_receiver) does in a running
    /// server.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if `url` is not an absolute `http://` URL or the secret is empty.
    pub fn set_webhook_receiver(&mut self, url: &str, secret: impl Into<Vec<u8>>) -> Result<()> {
        let receiver = Receiver::Url(url.to_owned().try_into()?);
        let secret = WebhookSecret::new(secret)?;
        self.webhook.set_receiver(receiver, secret);
        Ok(())
    }

    /// Returns the keys of `demo`.
    pub fn keys(&self) -> Keys {
        Keys::from_seed(self.seed)
    }

    /// Returns the account with this handle. Handles are case-sensitive.
    pub fn account(&self, handle: &str) -> Option<&Account> {
        self.accounts.get(handle)
    }

    /// Returns a mutable reference to the account with this handle.
    pub fn account_mut(&mut self, handle: &str) -> Option<&mut Account> {
        self.accounts.get_mut(handle)
    }

    /// Adds an account with an empty profile, or returns the existing one.
    pub fn add_account(&mut self, handle: &str) -> &mut Account {
        self.accounts
            .entry(handle.to_owned())
            .or_insert_with(|| Account::new(handle))
    }

    /// Adds a link with a new ID and the current date.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the account does not exist.
    pub fn add_link(&mut self, handle: &str, title: &str, url: &str) -> Result<Link> {
        let account = self.accounts.get_mut(handle);
        let account = account.ok_or_else(|| unknown_account(handle))?;
        let link = Link {
            id: format!("link_{}", next(&mut self.last_id)),
            title: title.to_owned(),
            url: url.to_owned(),
            created_at: self.clock.now(),
        };
        account.links.push(link.clone());
        Ok(link)
    }

    /// Adds a post with a new ID and the current date.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the account does not exist.
    pub fn add_post(&mut self, handle: &str, body: &str) -> Result<Post> {
        let account = self.accounts.get_mut(handle);
        let account = account.ok_or_else(|| unknown_account(handle))?;
        let post = Post {
            id: format!("post_{}", next(&mut self.last_id)),
            body: body.to_owned(),
            created_at: self.clock.now(),
        };
        account.posts.push(post.clone());
        Ok(post)
    }

    /// Creates a key for `handle` with these scopes and returns it. If the account does not exist, it
    /// is created.
    pub fn create_key(&mut self, handle: &str, scopes: &[Scope]) -> String {
        self.add_account(handle);
        let name = format!("key{}", next(&mut self.last_id));
        let token = token(self.seed, &name);
        self.keys.insert(token.clone(), Key::new(handle, scopes));
        token
    }

    /// Returns the keys of `demo`, with `None` for keys that the world does not have.
    pub(crate) fn active_keys(&self) -> ActiveKeys {
        let active = |name: &&'static str| {
            let key = token(self.seed, name);
            (*name, self.has_key(&key).then_some(key))
        };
        Keys::NAMES.iter().map(active).collect()
    }

    /// Returns the keys that were not generated, which a state file or a state of the control API can
    /// contain.
    pub(crate) fn other_keys(&self) -> Vec<String> {
        let others = self.keys.keys().filter(|key| label(key).is_none());
        others.cloned().collect()
    }

    /// Returns `true` if the world has this key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Sets the rate limit of a key and returns the previous one. Requests counted in the current window
    /// still count.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the key does not exist.
    pub fn set_rate_limit(&mut self, key: &str, limit: RateLimit) -> Result<RateLimit> {
        let key = self.keys.get_mut(key).ok_or_else(|| {
            let message =
                "the world does not have this key; expected one of `keys` or `create_key`";
            InvalidInput::new("unknown_key", message)
        })?;
        Ok(std::mem::replace(&mut key.rate_limit, limit))
    }

    /// Returns the account of a key. Panics if the key or the account does not exist.
    pub(super) fn owner(&self, key: &str) -> &Account {
        &self.accounts[&self.keys[key].handle]
    }

    /// Returns a mutable reference to the account of a key. Panics if the key or the account does not
    /// exist.
    pub(super) fn owner_mut(&mut self, key: &str) -> &mut Account {
        let owner = self.accounts.get_mut(&self.keys[key].handle);
        owner.expect("a key without an account is rejected as unknown")
    }

    /// Creates a new world with this seed and the clock, dialect and webhook of `self`.
    pub(crate) fn recreate(&self, seed: u64) -> Self {
        Self {
            clock: self.clock.clone(),
            dialect: self.dialect.clone(),
            webhook: self.webhook.clone(),
            ..Self::new(seed)
        }
    }

    /// Prepares and signs a delivery.
    pub(crate) fn prepare_delivery(&mut self, new: NewDelivery) -> Result<Prepared, NotSent> {
        let now = self.clock.now();
        let id = || format!("delivery_{}", next(&mut self.last_id));
        self.webhook.prepare(new, id, now, &self.dialect)
    }

    /// Keeps the webhook of the replaced world, unless this world has one.
    pub(crate) fn keep_webhook(&mut self, replaced: Self) {
        if self.webhook.is_new() && !replaced.webhook.is_new() {
            // IDs of later deliveries must differ from those in the log.
            self.last_id = self.last_id.max(replaced.last_id);
            self.webhook = replaced.webhook;
        }
    }
}

fn unknown_account(handle: &str) -> InvalidInput {
    let message = format!("no account has the handle {handle:?}; create it with `add_account`");
    InvalidInput::new("unknown_account", message)
}

/// Returns the next number; links, posts, keys and deliveries share one counter.
fn next(last_id: &mut u64) -> u64 {
    let next = last_id.checked_add(1);
    *last_id = next.expect("validated worlds have a small `last_id`");
    *last_id
}

impl Default for World {
    /// Creates the default world with the seed 0.
    fn default() -> Self {
        Self::new(0)
    }
}

impl fmt::Debug for World {
    /// Shows the number of keys instead of the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("seed", &self.seed)
            .field("clock", &self.clock)
            .field("dialect", &self.dialect)
            .field("last_id", &self.last_id)
            .field("accounts", &self.accounts)
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

/// The handle of the owner of the keys of a new world.
const OWNER: &str = "demo";

/// The date of all links and posts of a new world. It is fixed so that the same seed always gives
/// the same responses.
const CREATED_AT: &str = "2025-01-15T09:00:00Z";
