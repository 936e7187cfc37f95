//! Validation of the accounts of a world.

use std::collections::BTreeMap;

use super::World;
use crate::engine::clock::Clock;
use crate::engine::resources::{Account, check_url};

/// The error for an account that no sequence of requests can produce.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub(crate) struct InvalidAccount {
    /// The location of the value, such as `accounts.demo.links[0].url`.
    place: String,
    reason: String,
}

/// Checks the accounts of a world. Ids must be unique across all accounts.
pub(super) struct Accounts<'a> {
    world: &'a World,
    /// The location of each id of a link or post.
    ids: BTreeMap<&'a str, String>,
}

impl<'a> Accounts<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        let ids = BTreeMap::new();
        Self { world, ids }
    }

    pub(super) fn check(&mut self) -> Result<(), InvalidAccount> {
        for (handle, account) in &self.world.accounts {
            if handle.is_empty() {
                return Err(at(
                    "accounts",
                    "found an empty handle; expected a name such as `demo`",
                ));
            }
            let place = format!("accounts.{handle}");
            if let Some(problem) = account.profile.problems().next() {
                return Err(at(&format!("{place}.profile"), problem));
            }
            self.check_links(&place, account)?;
            self.check_posts(&place, account)?;
            self.check_badges(&place, account)?;
        }
        Ok(())
    }

    fn check_links(&mut self, place: &str, account: &'a Account) -> Result<(), InvalidAccount> {
        for (index, link) in account.links.iter().enumerate() {
            let place = format!("{place}.links[{index}]");
            self.check_id(&place, &link.id)?;
            check_instant(&place, &link.created_at)?;
            check_url(&link.url).map_err(|problem| at(&format!("{place}.url"), problem))?;
        }
        Ok(())
    }

    fn check_posts(&mut self, place: &str, account: &'a Account) -> Result<(), InvalidAccount> {
        for (index, post) in account.posts.iter().enumerate() {
            let place = format!("{place}.posts[{index}]");
            self.check_id(&place, &post.id)?;
            check_instant(&place, &post.created_at)?;
        }
        Ok(())
    }

    /// Accepts any unique, non-empty string: the specification does not show the format of ids.
    fn check_id(&mut self, place: &str, id: &'a str) -> Result<(), InvalidAccount> {
        let place = format!("{place}.id");
        if id.is_empty() {
            return Err(at(&place, "found an empty id; expected a non-empty string"));
        }
        match self.ids.get(id) {
            Some(other) => Err(at(
                &place,
                format!("duplicate id `{id}`; {other} has it already"),
            )),
            None => {
                self.ids.insert(id, place);
                Ok(())
            }
        }
    }

    fn check_badges(&self, place: &str, account: &Account) -> Result<(), InvalidAccount> {
        for (index, id) in account.badges.iter().enumerate() {
            let place = format!("{place}.badges[{index}]");
            if !self.world.badges.iter().any(|badge| badge.id == *id) {
                return Err(at(
                    &place,
                    format!("unknown badge `{id}`; expected an id from `badges`"),
                ));
            }
            if account.badges[..index].contains(id) {
                return Err(at(&place, format!("duplicate badge `{id}`")));
            }
        }
        Ok(())
    }
}

fn check_instant(place: &str, text: &str) -> Result<(), InvalidAccount> {
    match Clock::fixed(text) {
        Ok(clock) if clock.now() == text => Ok(()),
        _ => Err(at(
            &format!("{place}.created_at"),
            format!(
                "`{text}` is not an instant in UTC with whole seconds, such as \
                 2026-03-01T12:00:00Z"
            ),
        )),
    }
}

fn at(place: &str, reason: impl ToString) -> InvalidAccount {
    InvalidAccount {
        place: place.to_owned(),
        reason: reason.to_string(),
    }
}
