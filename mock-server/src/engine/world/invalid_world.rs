//! Which worlds nobody may put in place of another.

use std::borrow::Cow;

use super::World;
use super::invalid_account::{Accounts, InvalidAccount};
use crate::engine::access::label;
use crate::engine::resources::check_color;

/// The largest number that a JSON reader tells from its neighbours; ids may be integers.
const LARGEST_NUMBER: u64 = (1 << 53) - 1;

/// Why a world that was written by hand cannot be served. No key is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidWorld {
    #[error(
        "last_id is {found}; at most {LARGEST_NUMBER} is allowed, so that ids are left to give"
    )]
    NoIdsLeft { found: u64 },
    #[error(
        "last_id is {found}, and the world has {taken} already; at least {number} is expected, so \
         that no id is given twice"
    )]
    IdTaken {
        found: u64,
        taken: String,
        number: u64,
    },
    #[error("a key belongs to `{handle}`, which is no account here; add it, or leave the key out")]
    KeyWithoutAccount { handle: String },
    #[error("a key is no text that `Authorization` can carry; give letters, digits, `_` and `-`")]
    UnusableKey,
    #[error("badges[{index}].id: `{id}` is the id of an earlier badge already")]
    RepeatedBadge { index: usize, id: String },
    #[error("badges[{index}].color: {reason}")]
    BadgeColor { index: usize, reason: String },
    #[error(transparent)]
    Account(#[from] InvalidAccount),
}

/// Refuses a world that no service could have come to.
pub(crate) fn check(world: &World) -> Result<(), InvalidWorld> {
    check_ids(world)?;
    check_badges(world)?;
    Accounts::of(world).check()?;
    check_keys(world)
}

/// Refuses a counter that would give an id again, or soon none.
pub(crate) fn check_ids(world: &World) -> Result<(), InvalidWorld> {
    let found = world.last_id;
    if found > LARGEST_NUMBER {
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

/// The world with a counter that has passed every id: a test may give ids of its own.
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

/// The numbers that the counter may have given, each with what bears it. Larger ones it never
/// comes to.
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
        .filter_map(|(digits, bearer)| Some((digits.parse().ok()?, bearer)))
        .filter(|(number, _)| *number <= LARGEST_NUMBER)
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
        check_color("color", &badge.color).map_err(|refusal| InvalidWorld::BadgeColor {
            index,
            reason: refusal.to_string(),
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
    fn a_counter_passes_the_ids_that_a_test_gave() {
        let mut world = World::new(0);
        assert_eq!(check(&world), Ok(()));
        world.account_mut("demo").unwrap().links[0].id = "link_40".to_owned();
        let error = check(&world).unwrap_err().to_string();
        assert!(error.contains("the world has link_40 already"), "{error}");
        let mut counted = with_valid_last_id(&world).into_owned();
        assert_eq!(check(&counted), Ok(()));
        assert_eq!(counted.add_post("demo", "").unwrap().id, "post_41");
    }

    #[test]
    fn keys_are_counted_too() {
        let mut world = World::new(0);
        world.create_key("demo", &[]);
        assert_eq!(check(&world), Ok(()));
        world.last_id -= 1;
        let error = check(&world).unwrap_err().to_string();
        assert!(error.contains("the world has key"), "{error}");
        assert!(!error.contains("mock_"), "{error}");
    }
}
