//! The faults of the requests of one operation.
//!
//! No client can handle a service that reports a false outcome, such as rejecting a write that it
//! has applied. So each fault is injected before or after the write, whichever is truthful.

use std::time::Duration;

use mock_server::faults::Phase;
use mock_server::{Fault, FaultRule, WireFault};

use super::expected_state::Outcome;
use super::random::Random;

/// Longer than the short timeout.
const TOO_LATE: Duration = Duration::from_millis(400);

/// The faults of an operation, one per attempt.
#[derive(Debug)]
pub(super) struct FaultSequence {
    faults: Vec<PlannedFault>,
}

#[derive(Debug, Clone)]
struct PlannedFault {
    fault: Fault,
    phase: Phase,
    effect: Effect,
}

/// The effect of the request that a client can infer from the fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Effect {
    /// The request was applied.
    Applied,
    /// The request was not applied.
    Rejected,
    /// It is unknown whether the request was applied.
    Unknown,
}

impl FaultSequence {
    pub(super) fn draw(random: &mut Random) -> Self {
        let count = match random.below(100) {
            0..40 => 0,
            40..75 => 1,
            75..90 => 2,
            _ => 4,
        };
        Self {
            faults: (0..count).map(|_| PlannedFault::draw(random)).collect(),
        }
    }

    /// Returns one rule per attempt.
    pub(super) fn rules(&self) -> impl Iterator<Item = FaultRule> {
        self.faults.iter().map(|planned| {
            let rule = FaultRule::new(planned.fault.clone()).times(1);
            match planned.phase {
                Phase::Before => rule.before_write(),
                _ => rule.after_write(),
            }
        })
    }

    /// Returns `true` if a response is so late that the client needs a short timeout.
    pub(super) fn is_slow(&self) -> bool {
        self.faults.iter().any(|planned| {
            let delay = Fault::delay(TOO_LATE);
            matches!(planned.fault, Fault::Wire(WireFault::Stall { .. })) || planned.fault == delay
        })
    }

    /// Checks the outcome that the client reported: it may be unknown only if a fault makes it so, and
    /// must be done if no fault prevents that.
    pub(super) fn check(&self, outcome: Outcome, is_possible: bool) -> Result<(), String> {
        // On a loaded machine, the short timeout may pass before the status code is read.
        let is_unknown = self.has(Effect::Unknown) || self.is_slow();
        if outcome == Outcome::Unknown && !is_unknown {
            return Err("the outcome is known, but the client reported it as unknown".to_owned());
        }
        let must_succeed = is_possible && !is_unknown && !self.has(Effect::Rejected);
        if outcome != Outcome::Done && must_succeed {
            return Err(format!(
                "no fault prevented the operation, but the client reported {outcome:?}"
            ));
        }
        Ok(())
    }

    fn has(&self, effect: Effect) -> bool {
        self.faults.iter().any(|planned| planned.effect == effect)
    }
}

impl PlannedFault {
    fn draw(random: &mut Random) -> Self {
        let (fault, phase, effect) = match random.below(10) {
            0..2 => (applied(random), Phase::After, Effect::Applied),
            2..5 => (rejected(random), Phase::Before, Effect::Rejected),
            _ => {
                let (fault, phase) = unknown(random);
                (fault, phase, Effect::Unknown)
            }
        };
        Self {
            fault,
            phase,
            effect,
        }
    }
}

fn applied(random: &mut Random) -> Fault {
    let after = random.below(20) as u64;
    let faults = [
        Fault::delay(Duration::from_millis(1)),
        Fault::EmptyBody,
        Fault::MalformedJson,
        Fault::WrongContentType {
            content_type: "text/html".to_owned(),
        },
        Fault::Wire(WireFault::Dribble {
            bytes: 100,
            pause: Duration::from_millis(1),
        }),
        // The status code arrives, and a write needs no body.
        Fault::Wire(WireFault::Cut { after }),
        Fault::Wire(WireFault::BadChunk),
        Fault::Wire(WireFault::Stall { after }),
    ];
    one_of(faults, random)
}

fn rejected(random: &mut Random) -> Fault {
    let faults = [
        Fault::status(400),
        Fault::status(401),
        Fault::status(403),
        Fault::status(409),
        Fault::status(422),
        Fault::RateLimited { retry_after: None },
        Fault::rate_limited("0"),
        Fault::rate_limited("120"),
    ];
    one_of(faults, random)
}

/// Returns a fault before or after the write, which the client cannot distinguish.
fn unknown(random: &mut Random) -> (Fault, Phase) {
    let phase = [Phase::Before, Phase::After][random.below(2)];
    let common = [
        Fault::status(408),
        Fault::status(500),
        Fault::status(502),
        Fault::status(503),
        Fault::status(504),
        Fault::redirect("http://127.0.0.1:1/"),
        Fault::Wire(WireFault::Reset { after: None }),
        Fault::Wire(WireFault::Close),
    ];
    match random.below(100) {
        // A request delayed before the write could be applied after the next operation.
        0..3 => (Fault::delay(TOO_LATE), Phase::After),
        _ => (one_of(common, random), phase),
    }
}

fn one_of<const COUNT: usize>(faults: [Fault; COUNT], random: &mut Random) -> Fault {
    faults[random.below(COUNT)].clone()
}
