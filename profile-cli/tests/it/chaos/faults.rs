//! What goes wrong with the requests of one operation.
//!
//! A service that does one thing and says another, such as one that refuses what it has done, is
//! beyond any client. So each fault is drawn on the side of the write where its answer is no lie.

use mock_server::faults::Phase;
use mock_server::{Fault, FaultRule, WireFault};

use super::dice::Dice;
use super::ledger::Told;

/// Beyond the largest answer that either client takes.
const TOO_LARGE: u64 = 9 << 20;
/// Beyond the time that either client waits where an answer stays away.
const TOO_LATE: u64 = 400;

/// The faults that the attempts of one operation meet, one after another.
#[derive(Debug)]
pub(super) struct Storm {
    gusts: Vec<Gust>,
}

#[derive(Debug, Clone)]
struct Gust {
    fault: Fault,
    phase: Phase,
    meaning: Meaning,
}

/// What a client can know after it has met the fault.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    /// That the request was carried out.
    CarriedOut,
    /// That it was not.
    Refused,
    /// Neither.
    Open,
}

impl Storm {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        let count = match dice.below(100) {
            0..40 => 0,
            40..75 => 1,
            75..90 => 2,
            _ => 4,
        };
        Self {
            gusts: (0..count).map(|_| Gust::draw(dice)).collect(),
        }
    }

    /// One rule for each attempt. A delay is held beside the fault that the same attempt meets.
    pub(super) fn rules(&self) -> impl Iterator<Item = FaultRule> {
        self.gusts.iter().map(|gust| {
            let rule = FaultRule::new(gust.fault.clone()).times(1);
            match gust.phase {
                Phase::Before => rule,
                Phase::After => rule.after_write(),
            }
        })
    }

    /// Whether an answer stays away, so that the client has to lose its patience soon.
    pub(super) fn is_slow(&self) -> bool {
        self.gusts.iter().any(|gust| {
            let delay = Fault::delay(TOO_LATE);
            matches!(gust.fault, Fault::Wire(WireFault::Stall { .. })) || gust.fault == delay
        })
    }

    /// Says what is wrong with the outcome that the client was told: it may only be unknown where
    /// nobody can know, and is done where nothing stands in the way.
    pub(super) fn check(&self, told: Told, is_possible: bool) -> Result<(), String> {
        let is_open = self.has(Meaning::Open);
        if told == Told::Unknown && !is_open {
            return Err("the outcome is known, and the client was told that it is not".to_owned());
        }
        let nothing_in_the_way = is_possible && !is_open && !self.has(Meaning::Refused);
        if told != Told::Done && nothing_in_the_way {
            return Err(format!(
                "nothing stood in the way, and it was told as {told:?}"
            ));
        }
        Ok(())
    }

    fn has(&self, meaning: Meaning) -> bool {
        self.gusts.iter().any(|gust| gust.meaning == meaning)
    }
}

impl Gust {
    fn draw(dice: &mut Dice) -> Self {
        match dice.below(10) {
            0..2 => carried_out(dice),
            2..5 => refused(dice),
            _ => open(dice),
        }
    }
}

fn carried_out(dice: &mut Dice) -> Gust {
    let faults = [
        Fault::delay(1),
        Fault::EmptyBody,
        Fault::MalformedJson,
        Fault::WrongContentType {
            content_type: "text/html".to_owned(),
        },
        Fault::Wire(WireFault::Dribble {
            bytes: 100,
            milliseconds: 1,
        }),
    ];
    Gust {
        fault: one_of(faults, dice),
        phase: Phase::After,
        meaning: Meaning::CarriedOut,
    }
}

fn refused(dice: &mut Dice) -> Gust {
    let faults = [
        Fault::status(400),
        Fault::status(401),
        Fault::status(403),
        Fault::status(408),
        Fault::status(409),
        Fault::status(422),
        Fault::RateLimited { retry_after: None },
        Fault::rate_limited("0"),
        Fault::rate_limited("120"),
        Fault::redirect("http://127.0.0.1:1/"),
    ];
    Gust {
        fault: one_of(faults, dice),
        phase: Phase::Before,
        meaning: Meaning::Refused,
    }
}

/// On either side of the write, since the client cannot tell which it is.
fn open(dice: &mut Dice) -> Gust {
    let phase = [Phase::Before, Phase::After][dice.below(2)];
    let after = dice.below(20) as u64;
    let common = [
        Fault::status(500),
        Fault::status(502),
        Fault::status(503),
        Fault::status(504),
        Fault::Wire(WireFault::Reset),
        Fault::Wire(WireFault::Close),
        Fault::Wire(WireFault::Cut { after }),
        Fault::Wire(WireFault::BadChunk),
    ];
    let (fault, phase) = match dice.below(100) {
        0..4 => (Fault::Wire(WireFault::Stall { after }), phase),
        // A request that is held back before the write may be carried out after the next one.
        4..6 => (Fault::delay(TOO_LATE), Phase::After),
        6..8 => (Fault::HugeBody { bytes: TOO_LARGE }, phase),
        8..10 => (Fault::GzipBomb { bytes: TOO_LARGE }, phase),
        _ => (one_of(common, dice), phase),
    };
    Gust {
        fault,
        phase,
        meaning: Meaning::Open,
    }
}

fn one_of<const COUNT: usize>(faults: [Fault; COUNT], dice: &mut Dice) -> Fault {
    faults[dice.below(COUNT)].clone()
}
