//! The state of one service: its accounts, keys, seed, clock, id counter and webhook.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::account::Account;
use super::badges::Badge;
use super::clock::Clock;
use super::default_world;
use super::dialect::Dialect;
use super::keys::{Key, Keys};
use super::links::Link;
use super::posts::Post;
use super::refusal::Refusal;
use super::request::Request;
use crate::webhook::Webhook;

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
/// let outcome = world.handle(&request);
/// assert_eq!(outcome.reply.status, 200);
/// assert!(!outcome.changed);
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
        let mut world = Self {
            seed,
            clock: Clock::system(),
            dialect: Dialect::default(),
            last_id: 0,
            badges: Vec::new(),
            accounts: BTreeMap::new(),
            keys: BTreeMap::new(),
            webhook: Webhook::default(),
        };
        default_world::fill(&mut world);
        world
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
    /// # Ok::<(), mock_server::InvalidInstant>(())
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
    /// # Ok::<(), mock_server::InvalidInstant>(())
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

    /// The six keys of `demo`.
    ///
    /// ```
    /// use mock_server::World;
    /// assert_eq!(World::new(7).keys(), World::new(7).keys());
    /// assert_ne!(World::new(7).keys(), World::new(8).keys());
    /// ```
    pub fn keys(&self) -> Keys {
        Keys::of_seed(self.seed)
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

    /// What a journal may call the key of a request; nothing when it carries none.
    pub(crate) fn key_label<'a>(&self, request: &'a Request) -> Option<&'a str> {
        super::authorization::key_label(self, request)
    }

    /// The account that a key belongs to. A state that was written by hand can have a key without
    /// an account; such a key is as good as unknown.
    pub(super) fn owner(&self, key: &Key) -> Result<&Account, Refusal> {
        self.account(&key.handle).ok_or(Refusal::UnknownKey)
    }

    pub(super) fn owner_mut(&mut self, key: &Key) -> Result<&mut Account, Refusal> {
        self.account_mut(&key.handle).ok_or(Refusal::UnknownKey)
    }

    /// A new world of another seed with the settings of this one: clock, dialect and webhook.
    pub(crate) fn anew(&self, seed: u64) -> Self {
        Self {
            clock: self.clock.clone(),
            dialect: self.dialect.clone(),
            webhook: self.webhook.clone(),
            ..Self::new(seed)
        }
    }

    /// Gives no number again that the other world has given.
    pub(crate) fn count_on_from(&mut self, other: &Self) {
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
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("World")
            .field("seed", &self.seed)
            .field("clock", &self.clock)
            .field("dialect", &self.dialect)
            .field("last_id", &self.last_id)
            .field("accounts", &self.accounts)
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}
