//! Two thousand operations through a storm of faults: in the end the service holds what the client
//! was told, operation by operation.

mod client;
mod deed;
mod dice;
mod faults;
mod ledger;

use std::env;

use mock_server::{MockServer, World};

use crate::program::Place;
use client::{Chosen, Clients};
use deed::Deed;
use dice::Dice;
use faults::Storm;
use ledger::{Ledger, Seen, Told};

const OPERATIONS: usize = 2_000;

/// The seed of every run, unless the environment names another.
const SEED: u64 = 20_260_115;
const SEED_VARIABLE: &str = "PROFILE_CHAOS_SEED";

/// How often each outcome was told of a write.
#[derive(Debug, Default)]
struct Tally {
    done: usize,
    not_done: usize,
    unknown: usize,
    by_program: usize,
}

#[tokio::test]
async fn the_service_holds_what_the_client_was_told() {
    let seed = env::var(SEED_VARIABLE).map_or(SEED, |text| text.parse().expect("a number"));
    let place = Place {
        service: empty_service(seed).await,
        home: tempfile::tempdir().unwrap(),
    };
    let (mut ledger, mut tally) = (Ledger::new(), Tally::default());
    let (clients, mut dice) = (Clients::of(&place), Dice::new(seed));
    for number in 1..=OPERATIONS {
        let outcome = operate(number, &clients, &mut dice, &mut ledger, &mut tally).await;
        if let Err(problem) = outcome {
            panic!("{SEED_VARIABLE}={seed}, operation {number}: {problem}");
        }
    }
    let held = seen_in(&place.service.world().unwrap());
    if let Err(problem) = ledger.check(&held) {
        panic!("{SEED_VARIABLE}={seed}, at the end: {problem}");
    }
    // A storm that is too weak or too strong would prove nothing.
    for count in [
        tally.done / 4,
        tally.not_done,
        tally.unknown,
        tally.by_program,
    ] {
        assert!(count >= OPERATIONS / 20, "{tally:?}");
    }
}

/// A service whose owner has no link and no post yet.
async fn empty_service(seed: u64) -> MockServer {
    let described = MockServer::builder().seed(seed).wire_faults();
    let service = described.start().await.unwrap();
    let emptied = service.update(|world| {
        let owner = world.account_mut("demo").unwrap();
        owner.links.clear();
        owner.posts.clear();
    });
    emptied.unwrap();
    service
}

/// Does one thing, through one of the clients, under the faults that the dice show.
async fn operate(
    number: usize,
    clients: &Clients<'_>,
    dice: &mut Dice,
    ledger: &mut Ledger,
    tally: &mut Tally,
) -> Result<(), String> {
    let deed = Deed::draw(number, dice, ledger);
    let storm = Storm::draw(dice);
    let chosen = Chosen::draw(dice);
    let context = format!("{deed:?} through {chosen:?} under {storm:?}");
    let service = &clients.place.service;
    service.clear_faults();
    for rule in storm.rules() {
        service.add_fault(rule).unwrap();
    }
    tally.by_program += usize::from(chosen == Chosen::Program);
    if let Deed::Look = deed {
        let seen = clients.look(chosen, storm.is_slow()).await?;
        return seen.map_or(Ok(()), |seen| {
            ledger
                .check(&seen)
                .map_err(|why| format!("{why}; {context}"))
        });
    }
    let (told, id) = clients.write(chosen, &deed, storm.is_slow()).await;
    match told {
        Told::Done => tally.done += 1,
        Told::NotDone => tally.not_done += 1,
        Told::Unknown => tally.unknown += 1,
    }
    storm
        .check(told, ledger.is_possible(&deed))
        .map_err(|why| format!("{why}; {context}"))?;
    ledger.enter(deed, told, id);
    Ok(())
}

fn seen_in(world: &World) -> Seen {
    let owner = world.account("demo").unwrap();
    let profile = serde_json::to_value(&owner.profile).unwrap();
    Seen {
        fields: deed::FIELDS
            .map(|field| profile[field].as_str().unwrap().to_owned())
            .into(),
        links: owner.links.iter().map(|link| link.title.clone()).collect(),
        posts: owner.posts.iter().map(|post| post.body.clone()).collect(),
    }
}
