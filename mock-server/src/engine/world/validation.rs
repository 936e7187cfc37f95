//! Validation of worlds that come from a file or the control API. Errors never contain a key.

use std::collections::BTreeMap;

use url::Url;

use crate::engine::{Account, Clock, Problem, World, check_color};
use crate::input::{InvalidInput, Result};
use crate::redaction::label;

/// The largest integer that every JSON reader represents exactly; IDs may be integers.
const MAX_ID: u64 = (1 << 53) - 1;

/// Returns an error for a world that no sequence of requests can produce.
pub(crate) fn check(world: &mut World) -> Result<()> {
    raise_last_id(world)?;
    check_badges(world)?;
    check_accounts(world)?;
    check_keys(world)
}

/// Raises the ID counter to the largest ID in use, since a test may set IDs itself. Returns an error if
/// no IDs are left.
pub(crate) fn raise_last_id(world: &mut World) -> Result<()> {
    let used = numbers(world).max().unwrap_or_default();
    world.last_id = world.last_id.max(used);
    match world.last_id {
        found if found > MAX_ID => Err(invalid(format!(
            "last_id is {found}; expected at most {MAX_ID}"
        ))),
        _ => Ok(()),
    }
}

/// Returns the numbers of all IDs that the counter can reach.
fn numbers(world: &World) -> impl Iterator<Item = u64> {
    let accounts = world.accounts.values();
    let in_accounts = accounts.flat_map(|account| {
        let links = account.links.iter().map(|link| &*link.id);
        links.chain(account.posts.iter().map(|post| &*post.id))
    });
    let deliveries = world.webhook.deliveries();
    let ids = in_accounts.chain(deliveries.map(|delivery| &*delivery.sent.id));
    let numbered = ids.filter_map(|id| id.rsplit('_').next());
    let keys = world.keys.keys().filter_map(|token| label(token));
    let keys = keys.filter_map(|name| name.strip_prefix("key"));
    numbered
        .chain(keys)
        .filter_map(|digits| digits.parse().ok())
        .filter(|number| *number <= MAX_ID)
}

fn check_badges(world: &World) -> Result<()> {
    for (index, badge) in world.badges.iter().enumerate() {
        let mut earlier = world.badges[..index].iter();
        if earlier.any(|other| other.id == badge.id) {
            let problem = format!("duplicate badge id `{}`", badge.id);
            return Err(at(&format!("badges[{index}].id"), problem));
        }
        let place = format!("badges[{index}].color");
        check_color("color", &badge.color).map_err(|problem| at(&place, problem))?;
    }
    Ok(())
}

fn check_accounts(world: &World) -> Result<()> {
    let mut ids = BTreeMap::new();
    for (handle, account) in &world.accounts {
        if handle.is_empty() {
            let problem = "found an empty handle; expected a name such as `demo`";
            return Err(at("accounts", problem));
        }
        let place = format!("accounts.{handle}");
        if let Some(problem) = account.profile.problem() {
            return Err(at(&format!("{place}.profile"), problem));
        }
        for (index, link) in account.links.iter().enumerate() {
            let place = format!("{place}.links[{index}]");
            check_item(&place, &link.id, &link.created_at, &mut ids)?;
            Url::parse(&link.url)
                .map_err(|reason| at(&format!("{place}.url"), Problem::NotAUrl { reason }))?;
        }
        for (index, post) in account.posts.iter().enumerate() {
            let place = format!("{place}.posts[{index}]");
            check_item(&place, &post.id, &post.created_at, &mut ids)?;
        }
        check_owned_badges(world, &place, account)?;
    }
    Ok(())
}

/// Checks the ID and the date of a link or post. Accepts any ID that is not empty and unique across all
/// accounts: the specification does not show the format of IDs.
fn check_item<'a>(
    place: &str,
    id: &'a str,
    created_at: &str,
    ids: &mut BTreeMap<&'a str, String>,
) -> Result<()> {
    let id_place = format!("{place}.id");
    if id.is_empty() {
        let problem = "found an empty id; expected a non-empty string";
        return Err(at(&id_place, problem));
    }
    if let Some(other) = ids.insert(id, id_place.clone()) {
        let problem = format!("duplicate id `{id}`; {other} has it already");
        return Err(at(&id_place, problem));
    }
    if Clock::fixed(created_at).is_ok_and(|clock| clock.now() == created_at) {
        return Ok(());
    }
    let problem = format!(
        "`{created_at}` is not an instant in UTC with whole seconds, such as 2026-03-01T12:00:00Z"
    );
    Err(at(&format!("{place}.created_at"), problem))
}

fn check_owned_badges(world: &World, place: &str, account: &Account) -> Result<()> {
    for (index, id) in account.badges.iter().enumerate() {
        let place = format!("{place}.badges[{index}]");
        if !world.badges.iter().any(|badge| badge.id == *id) {
            let problem = format!("unknown badge `{id}`; expected an id from `badges`");
            return Err(at(&place, problem));
        }
        if account.badges[..index].contains(id) {
            return Err(at(&place, format!("duplicate badge `{id}`")));
        }
    }
    Ok(())
}

fn check_keys(world: &World) -> Result<()> {
    let is_usable =
        |key: &String| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    if !world.keys.keys().all(is_usable) {
        return Err(invalid(
            "a key cannot be sent in a header; use letters, digits, `_` and `-`",
        ));
    }
    let mut keys = world.keys.values();
    match keys.find(|key| world.account(&key.handle).is_none()) {
        Some(key) => Err(invalid(format!(
            "a key belongs to the account `{}`, which does not exist; add the account or remove the \
             key",
            key.handle
        ))),
        None => Ok(()),
    }
}

/// Creates the error for a value at a place such as `accounts.demo.links[0].url`.
fn at(place: &str, problem: impl ToString) -> InvalidInput {
    invalid(format!("{place}: {}", problem.to_string()))
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("invalid_state", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_counter_skips_the_numbers_of_keys() {
        let mut world = World::new(0);
        let first = world.create_key("demo", &[]);
        world.last_id -= 1;
        assert_eq!(check(&mut world), Ok(()));
        assert_ne!(world.create_key("demo", &[]), first);
    }
}
