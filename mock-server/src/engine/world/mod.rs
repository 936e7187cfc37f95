//! The state of one service: its accounts, keys, seed, clock, id counter and webhook.

mod default_world;
mod invalid_account;
mod invalid_world;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::access::{ActiveKeys, Key, Keys, RateLimit, Scope, token};
use super::clock::Clock;
use super::dialect::Dialect;
use super::resources::{Account, Badge, Link, Post};
use crate::invalid_input::InvalidInput;
use crate::webhook::{Webhook, WebhookSecret};

pub(crate) use invalid_world::{InvalidWorld, check, check_ids, with_valid_last_id};

/// One profile service with everything it holds.
///
/// A new world has two accounts, `demo` (whose keys are [`World::keys`]) and `grace`. Texts, links,
/// posts and ids are always the same; keys and statistics follow from the seed. The same seed, the
/// same fixed clock and the same requests give the same bytes. Two worlds are equal that hold the
/// same, however much of a rate limit is used up in each.
///
/// ```
/// use mock_server::{Request, World};
///
/// let mut world = World::new(0);
/// let request = Request::new("GET", "/api/v1/me")
///     .header("Authorization", format!("Bearer {}", world.keys().all));
/// assert_eq!(mock_server::handle(&mut world, &request).status, 200);
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    seed: u64,
    clock: Clock,
    #[serde(default)]
    dialect: Dialect,
    pub(super) last_id: u64,
    pub(super) badges: Vec<Badge>,
    pub(super) accounts: BTreeMap<String, Account>,
    pub(super) keys: BTreeMap<String, Key>,
    #[serde(default, skip_serializing_if = "Webhook::is_new")]
    pub(crate) webhook: Webhook,
}

impl World {
    /// The default world with this seed and the system's clock.
    ///
    /// ```
    /// let world = mock_server::World::new(7);
    /// assert_eq!(world.account("demo").unwrap().profile.display_name, "Demo Person");
    /// ```
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            clock: Clock::system(),
            dialect: Dialect::default(),
            last_id: default_world::LAST_ID,
            badges: default_world::badges(),
            accounts: default_world::accounts(),
            keys: Keys::from_seed(seed).owned_by(default_world::OWNER),
            webhook: Webhook::default(),
        }
    }

    /// The seed that keys and statistics follow from.
    ///
    /// ```
    /// assert_eq!(mock_server::World::new(7).seed(), 7);
    /// ```
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The clock that the world reads.
    ///
    /// ```
    /// use mock_server::{Clock, World};
    /// assert_eq!(World::new(0).clock(), &Clock::system());
    /// ```
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Gives the world another clock.
    ///
    /// ```
    /// use mock_server::{Clock, World};
    ///
    /// let mut world = World::new(0);
    /// world.set_clock(Clock::fixed("2026-03-01T12:00:00Z")?);
    /// let link = world.add_link("demo", "Blog", "https://example.com").unwrap();
    /// assert_eq!(link.created_at, "2026-03-01T12:00:00Z");
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Puts the clock forward, as [`Clock::advance`] does.
    ///
    /// ```
    /// use mock_server::{Clock, World};
    /// use std::time::Duration;
    ///
    /// let mut world = World::new(0);
    /// world.set_clock(Clock::fixed("2026-03-01T12:00:00Z")?);
    /// world.advance(Duration::from_secs(60));
    /// assert_eq!(world.clock().now(), "2026-03-01T12:01:00Z");
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn advance(&mut self, time: Duration) {
        self.clock.advance(time);
    }

    /// How this service behaves where the specification is silent.
    ///
    /// ```
    /// use mock_server::{Dialect, World};
    /// assert_eq!(World::new(0).dialect(), &Dialect::default());
    /// ```
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Gives the world another dialect, from the next request on. What the world holds stays.
    ///
    /// ```
    /// use mock_server::{Dialect, World};
    ///
    /// let mut world = World::new(0);
    /// world.set_dialect(Dialect::minimal());
    /// ```
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// Points the webhook at a receiver, as
    /// [`WebhookHandle::point_at`](crate::webhook::WebhookHandle::point_at) does in a server that
    /// runs.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`] unless the URL is an absolute `http://` URL, and when the secret is empty.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// world.point_webhook_at("http://127.0.0.1:8080/hooks", "whsec_test")?;
    /// # Ok::<(), mock_server::InvalidInput>(())
    /// ```
    pub fn point_webhook_at(
        &mut self,
        url: &str,
        secret: impl Into<Vec<u8>>,
    ) -> Result<(), InvalidInput> {
        self.webhook
            .point_at(url.parse()?, WebhookSecret::new(secret)?);
        Ok(())
    }

    /// The six keys of `demo`.
    ///
    /// ```
    /// use mock_server::World;
    /// assert_eq!(World::new(7).keys(), World::new(7).keys());
    /// assert_ne!(World::new(7).keys(), World::new(8).keys());
    /// ```
    pub fn keys(&self) -> Keys {
        Keys::from_seed(self.seed)
    }

    /// The account of a handle; handles match exactly.
    ///
    /// ```
    /// let world = mock_server::World::new(0);
    /// assert!(world.account("demo").is_some());
    /// assert!(world.account("Demo").is_none());
    /// ```
    pub fn account(&self, handle: &str) -> Option<&Account> {
        self.accounts.get(handle)
    }

    /// The account of a handle, to be changed.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// world.account_mut("demo").unwrap().profile.bio = "Set by a test".to_owned();
    /// ```
    pub fn account_mut(&mut self, handle: &str) -> Option<&mut Account> {
        self.accounts.get_mut(handle)
    }

    /// Adds an account with empty texts, or returns the one that is there.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// world.add_account("ada").profile.display_name = "Ada".to_owned();
    /// assert_eq!(world.account("ada").unwrap().email, "ada@example.com");
    /// ```
    pub fn add_account(&mut self, handle: &str) -> &mut Account {
        self.accounts
            .entry(handle.to_owned())
            .or_insert_with(|| Account::new(handle))
    }

    /// Adds a link with an id and date of its own; `None` when there is no such account.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// let link = world.add_link("grace", "Blog", "https://example.com").unwrap();
    /// assert_eq!(world.account("grace").unwrap().links.last(), Some(&link));
    /// ```
    pub fn add_link(&mut self, handle: &str, title: &str, url: &str) -> Option<Link> {
        self.account(handle)?;
        let link = Link {
            id: format!("link_{}", self.next_number()),
            title: title.to_owned(),
            url: url.to_owned(),
            created_at: self.clock.now(),
        };
        self.account_mut(handle)?.links.push(link.clone());
        Some(link)
    }

    /// Adds a post with an id and date of its own; `None` when there is no such account.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// let post = world.add_post("grace", "Hello").unwrap();
    /// assert_eq!(world.account("grace").unwrap().posts.last(), Some(&post));
    /// ```
    pub fn add_post(&mut self, handle: &str, body: &str) -> Option<Post> {
        self.account(handle)?;
        let post = Post {
            id: format!("post_{}", self.next_number()),
            body: body.to_owned(),
            created_at: self.clock.now(),
        };
        self.account_mut(handle)?.posts.push(post.clone());
        Some(post)
    }

    /// Makes a further key for `handle` with these scopes, and returns it. When there is no account
    /// of that handle yet, an empty one is made.
    ///
    /// ```
    /// use mock_server::{Scope, World};
    ///
    /// let mut world = World::new(0);
    /// let key = world.create_key("ada", &[Scope::LinksWrite]);
    /// assert!(key.starts_with("mock_key"));
    /// assert!(world.account("ada").is_some());
    /// ```
    pub fn create_key(&mut self, handle: &str, scopes: &[Scope]) -> String {
        self.add_account(handle);
        let name = format!("key{}", self.next_number());
        let token = token(self.seed, &name);
        self.keys.insert(token.clone(), Key::new(handle, scopes));
        token
    }

    /// Its six keys, without those that were revoked or that a state did not bring.
    pub(crate) fn active_keys(&self) -> ActiveKeys {
        let Keys {
            all,
            none,
            profile,
            analytics,
            links,
            social,
        } = self.keys();
        let keys = [
            ("all", all),
            ("none", none),
            ("profile", profile),
            ("analytics", analytics),
            ("links", links),
            ("social", social),
        ];
        let in_force = |key: String| self.has_key(&key).then_some(key);
        keys.map(|(name, key)| (name, in_force(key))).into()
    }

    /// Whether the world has this key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// Takes a key away, and says whether there was one.
    ///
    /// ```
    /// let mut world = mock_server::World::new(0);
    /// let key = world.keys().links;
    /// assert!(world.remove_key(&key));
    /// assert!(!world.remove_key(&key));
    /// ```
    pub fn remove_key(&mut self, key: &str) -> bool {
        self.keys.remove(key).is_some()
    }

    /// Sets how many requests a key may make, and returns what it was allowed before; `None` when
    /// there is no such key. What was counted in the window so far still counts.
    ///
    /// ```
    /// use mock_server::{RateLimit, Request, World};
    /// use std::num::NonZeroU32;
    ///
    /// let mut world = World::new(0);
    /// let key = world.keys().all;
    /// let limit = RateLimit { limit: 1, window_seconds: NonZeroU32::MAX };
    /// assert_eq!(world.set_rate_limit(&key, limit), Some(RateLimit::default()));
    ///
    /// let request = Request::new("GET", "/api/v1/me").header("Authorization", format!("Bearer {key}"));
    /// assert_eq!(mock_server::handle(&mut world, &request).status, 200);
    /// assert_eq!(mock_server::handle(&mut world, &request).status, 429);
    /// ```
    pub fn set_rate_limit(&mut self, key: &str, limit: RateLimit) -> Option<RateLimit> {
        let key = self.keys.get_mut(key)?;
        Some(std::mem::replace(&mut key.rate_limit, limit))
    }

    /// Returns the account of a key whose owner is known to exist.
    pub(super) fn owner(&self, caller: &Key) -> &Account {
        &self.accounts[&caller.handle]
    }

    /// The same, to be changed.
    pub(super) fn owner_mut(&mut self, caller: &Key) -> &mut Account {
        let owner = self.accounts.get_mut(&caller.handle);
        owner.expect("a key without an account is rejected as unknown")
    }

    /// A new world of another seed with the settings of this one: clock, dialect and webhook.
    pub(crate) fn recreate(&self, seed: u64) -> Self {
        Self {
            clock: self.clock.clone(),
            dialect: self.dialect.clone(),
            webhook: self.webhook.clone(),
            ..Self::new(seed)
        }
    }

    /// Gives no number again that the other world has given.
    pub(crate) fn continue_ids_after(&mut self, other: &Self) {
        self.last_id = self.last_id.max(other.last_id);
    }

    // One counter for everything, so that no two things in a world ever share a number.
    pub(crate) fn next_number(&mut self) -> u64 {
        let next = self.last_id.checked_add(1);
        self.last_id = next.expect("a world that comes from outside has ids left to give");
        self.last_id
    }
}

impl Default for World {
    /// The world of seed 0.
    fn default() -> Self {
        Self::new(0)
    }
}

impl fmt::Debug for World {
    /// Shows the accounts and how many keys there are, never a key.
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
