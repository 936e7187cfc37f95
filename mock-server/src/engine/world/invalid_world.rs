//! Validation of worlds that come from a file or the control API.

use std::borrow::Cow;

use super::World;
use super::invalid_account::{Accounts, InvalidAccount};
use crate::engine::access::label;
use crate::engine::resources::check_color;

/// The largest integer that every JSON reader represents exactly; ids may be integers.
const MAX_ID: u64 = (1 << 53) - 1;

/// The error for a world that cannot be served. It never contains a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidWorld {
    #[error("last_id is {found}; expected at most {MAX_ID}")]
    NoIdsLeft { found: u64 },
    #[error("last_id is {found}, but the id {taken} is in use; expected at least {number}")]
    IdTaken {
        found: u64,
        taken: String,
        number: u64,
    },
    #[error(
        "a key belongs to the account `{handle}`, which does not exist; add the account or remove \
         the key"
    )]
    KeyWithoutAccount { handle: String },
    #[error("a key cannot be sent in a header; use letters, digits, `_` and `-`")]
    UnusableKey,
    #[error("badges[{index}].id: duplicate badge id `{id}`")]
    RepeatedBadge { index: usize, id: String },
    #[error("badges[{index}].color: {reason}")]
    BadgeColor { index: usize, reason: String },
    #[error(transparent)]
    Account(#[from] InvalidAccount),
}

/// Returns an error for a world that no sequence of requests can produce.
pub(crate) fn check(world: &World) -> Result<(), InvalidWorld> {
    check_ids(world)?;
    check_badges(world)?;
    Accounts::of(world).check()?;
    check_keys(world)
}

/// Returns an error if the id counter would repeat an id or run out of ids.
pub(crate) fn check_ids(world: &World) -> Result<(), InvalidWorld> {
    let found = world.last_id;
    if found > MAX_ID {
        return Err(InvalidWorld::NoIdsLeft { found });
    }
    match numbers(world).max_by_key(|(number, _)| *number) {
        Some((number, taken)) if number > found => Err(InvalidWorld::IdTaken {
            found,
            taken: taken.to_owned(),
            number,
        }),
        _ => Ok(()),
    }
}

/// Returns the world with `last_id` raised to the largest id in use: a test may set ids itself.
pub(crate) fn with_valid_last_id(world: &World) -> Cow<'_, World> {
    match numbers(world).map(|(number, _)| number).max() {
        Some(number) if number > world.last_id => {
            let mut counted = world.clone();
            counted.last_id = number;
            Cow::Owned(counted)
        }
        _ => Cow::Borrowed(world),
    }
}

/// Returns the numbers of all ids that the counter can reach, each with its id.
fn numbers(world: &World) -> impl Iterator<Item = (u64, &str)> {
    let accounts = world.accounts.values();
    let in_accounts = accounts.flat_map(|account| {
        let links = account.links.iter().map(|link| &*link.id);
        links.chain(account.posts.iter().map(|post| &*post.id))
    });
    let deliveries = world.webhook.deliveries();
    let ids = in_accounts.chain(deliveries.map(|delivery| &*delivery.sent.id));
    let numbered = ids.filter_map(|id| Some((id.rsplit('_').next()?, id)));
    let keys = world.keys.keys().filter_map(|token| label(token));
    let keys = keys.filter_map(|name| Some((name.strip_prefix("key")?, name)));
    numbered
        .chain(keys)
        .filter_map(|(digits, id)| Some((digits.parse().ok()?, id)))
        .filter(|(number, _)| *number <= MAX_ID)
}

fn check_badges(world: &World) -> Result<(), InvalidWorld> {
    for (index, badge) in world.badges.iter().enumerate() {
        if world.badges[..index]
            .iter()
            .any(|other| other.id == badge.id)
        {
            let id = badge.id.clone();
            return Err(InvalidWorld::RepeatedBadge { index, id });
        }
        check_color("color", &badge.color).map_err(|rejection| InvalidWorld::BadgeColor {
            index,
            reason: rejection.to_string(),
        })?;
    }
    Ok(())
}

fn check_keys(world: &World) -> Result<(), InvalidWorld> {
    let is_usable =
        |key: &String| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
    if !world.keys.keys().all(is_usable) {
        return Err(InvalidWorld::UnusableKey);
    }
    let mut keys = world.keys.values();
    match keys.find(|key| world.account(&key.handle).is_none()) {
        Some(key) => Err(InvalidWorld::KeyWithoutAccount {
            handle: key.handle.clone(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_counter_skips_ids_set_by_a_test() {
        let mut world = World::new(0);
        assert_eq!(check(&world), Ok(()));
        world.account_mut("demo").unwrap().links[0].id = "link_40".to_owned();
        let error = check(&world).unwrap_err().to_string();
        assert!(error.contains("the id link_40 is in use"), "{error}");
        let mut counted = with_valid_last_id(&world).into_owned();
        assert_eq!(check(&counted), Ok(()));
        assert_eq!(counted.add_post("demo", "").unwrap().id, "post_41");
    }

    #[test]
    fn the_id_counter_skips_the_numbers_of_keys() {
        let mut world = World::new(0);
        world.create_key("demo", &[]);
        assert_eq!(check(&world), Ok(()));
        world.last_id -= 1;
        let error = check(&world).unwrap_err().to_string();
        assert!(error.contains("the id key"), "{error}");
        assert!(!error.contains("mock_"), "{error}");
    }
}
