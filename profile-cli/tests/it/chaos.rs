//! Runs two thousand operations against a service with random faults, and checks that its state
//! matches the outcomes that the clients reported.

mod client;
mod expected_state;
mod faults;
mod operation;
mod random;
#[cfg(unix)]
mod signals;

use std::env;

use mock_server::{MockServer, World};

use crate::program::Fixture;
use client::{ClientKind, Clients};
use expected_state::{ExpectedState, ObservedState, Outcome};
use faults::FaultSequence;
use operation::Operation;
use random::Random;

const OPERATIONS: usize = 2_000;

/// The seed, unless it is set in the environment.
const SEED: u64 = 20_260_115;
const SEED_VARIABLE: &str = "PROFILE_CHAOS_SEED";

/// The number of writes by outcome, and of operations through the program.
#[derive(Debug, Default)]
struct Tally {
    done: usize,
    not_done: usize,
    unknown: usize,
    by_program: usize,
}

#[tokio::test]
async fn the_service_state_matches_the_reported_outcomes() {
    let seed = env::var(SEED_VARIABLE).map_or(SEED, |text| text.parse().expect("a number"));
    let builder = MockServer::builder().seed(seed);
    let fixture = Fixture::of(builder.start().await.unwrap());
    let updated = fixture.service.update(|world| {
        let owner = world.account_mut("demo").unwrap();
        owner.links.clear();
        owner.posts.clear();
    });
    updated.unwrap();
    let (mut expected, mut tally) = (ExpectedState::default(), Tally::default());
    let (clients, mut random) = (Clients::of(&fixture), Random::new(seed));
    for number in 1..=OPERATIONS {
        let outcome = operate(number, &clients, &mut random, &mut expected, &mut tally).await;
        if let Err(problem) = outcome {
            panic!("{SEED_VARIABLE}={seed}, operation {number}: {problem}");
        }
    }
    let actual = state_of(&fixture.service.world().unwrap());
    if let Err(problem) = expected.check(&actual) {
        panic!("{SEED_VARIABLE}={seed}, at the end: {problem}");
    }
    // Each outcome must be frequent enough for the test to be meaningful.
    let frequent = tally
        .done
        .min(4 * tally.not_done)
        .min(4 * tally.unknown)
        .min(4 * tally.by_program);
    assert!(frequent >= OPERATIONS / 5, "{tally:?}");
}

/// Performs a random operation, with a random client and random faults.
async fn operate(
    number: usize,
    clients: &Clients<'_>,
    random: &mut Random,
    expected: &mut ExpectedState,
    tally: &mut Tally,
) -> Result<(), String> {
    let operation = Operation::draw(number, random, expected);
    let faults = FaultSequence::draw(random);
    let kind = ClientKind::draw(random);
    let context = format!("{operation:?} through {kind:?} under {faults:?}");
    let service = &clients.fixture.service;
    service.clear_faults();
    for rule in faults.rules() {
        service.add_fault(rule).unwrap();
    }
    tally.by_program += usize::from(kind == ClientKind::Program);
    if let Operation::Read = operation {
        let seen = clients.read(kind, faults.is_slow()).await?;
        let Some(seen) = seen else { return Ok(()) };
        let checked = expected.check(&seen);
        return checked.map_err(|why| format!("{why}; {context}"));
    }
    let (outcome, id) = clients.write(kind, &operation, faults.is_slow()).await;
    match outcome {
        Outcome::Done => tally.done += 1,
        Outcome::NotDone => tally.not_done += 1,
        Outcome::Unknown => tally.unknown += 1,
    }
    // The program first reads the profile for these, which any fault may prevent.
    let reads_first = matches!(
        operation,
        Operation::Rename { .. } | Operation::Delete { .. }
    ) && kind == ClientKind::Program
        && faults.rules().next().is_some();
    let is_possible = expected.is_possible(&operation) && !reads_first;
    let checked = faults.check(outcome, is_possible);
    checked.map_err(|why| format!("{why}; {context}"))?;
    expected.record(operation, outcome, id);
    Ok(())
}

fn state_of(world: &World) -> ObservedState {
    let owner = world.account("demo").unwrap();
    let profile = serde_json::to_value(&owner.profile).unwrap();
    ObservedState {
        fields: client::fields_of(&profile),
        links: owner.links.iter().map(|link| link.title.clone()).collect(),
        posts: owner.posts.iter().map(|post| post.body.clone()).collect(),
    }
}
