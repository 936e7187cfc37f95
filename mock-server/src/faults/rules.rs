//! The active fault rules of a service.

use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::Serialize;

use super::fault::Fault;
use super::plan::Plan;
use super::rule::FaultRule;
use super::schedule::Schedule;
use crate::engine::{Request, SeededHash};
use crate::input::InvalidInput;

/// The active fault rules of a service, with their counters, in the order in which they were added.
#[derive(Debug)]
pub(crate) struct FaultRules {
    seed: SeededHash,
    active: Mutex<ActiveRules>,
}

#[derive(Debug, Default)]
struct ActiveRules {
    rules: Vec<Rule>,
    /// Number of rules ever added, so that no two rules draw the same random numbers.
    added: u64,
}

/// A validated rule.
#[derive(Debug)]
struct Rule {
    /// The number of the rule since the last [`restart`](FaultRules::restart), starting at 1.
    id: u64,
    written: FaultRule,
    schedule: Schedule,
    point: SeededHash,
}

/// A rule and its counters.
#[derive(Serialize)]
pub(crate) struct RuleCounts {
    id: u64,
    rule: FaultRule,
    matched: u64,
    applied: u64,
}

impl FaultRules {
    /// Creates an empty set of rules. Random choices are derived from the seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed: SeededHash::new(seed).mix_str("faults"),
            active: Mutex::default(),
        }
    }

    /// Adds the rules, unless one of them is invalid.
    pub(crate) fn add(&self, rules: Vec<FaultRule>) -> Result<(), InvalidInput> {
        let mut active = self.lock();
        let (first, single) = (active.added, rules.len() == 1);
        let read = (1..).zip(rules).map(|(number, rule)| {
            let id = first + number;
            let read = Rule::read(id, rule, self.seed.mix(id));
            read.map_err(|error| match single {
                true => error,
                false => error.in_rule(number as usize),
            })
        });
        let read = read.collect::<Result<Vec<_>, _>>()?;
        active.added += read.len() as u64;
        active.rules.extend(read);
        Ok(())
    }

    /// Removes all rules.
    pub(crate) fn clear(&self) {
        self.lock().rules.clear();
    }

    /// Removes the rule with this id and returns `true` if it existed.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut active = self.lock();
        let before = active.rules.len();
        active.rules.retain(|rule| rule.id != id);
        active.rules.len() < before
    }

    /// Removes all rules and restarts the random sequence.
    pub(crate) fn restart(&self) {
        *self.lock() = ActiveRules::default();
    }

    /// Returns the rules with their counters.
    pub(crate) fn counted(&self) -> Vec<RuleCounts> {
        self.lock().rules.iter().map(Rule::counted).collect()
    }

    /// Returns `true` if [`plan`](Self::plan) needs the current time.
    pub(crate) fn reads_clock(&self) -> bool {
        self.lock()
            .rules
            .iter()
            .any(|rule| rule.schedule.reads_clock())
    }

    /// Returns the faults to apply to a request, and counts it.
    pub(crate) fn plan(&self, request: &Request, now: Option<Timestamp>) -> Plan {
        let mut plan = Plan::default();
        for rule in &mut self.lock().rules {
            // A rule after the first fault is not counted.
            let is_delay = matches!(rule.written.fault, Fault::Delay(_));
            if (is_delay || plan.fault.is_none()) && rule.applies(request, now) {
                rule.add_to(&mut plan);
            }
        }
        plan
    }

    fn lock(&self) -> MutexGuard<'_, ActiveRules> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rule {
    fn read(id: u64, written: FaultRule, point: SeededHash) -> Result<Self, InvalidInput> {
        written.fault.check()?;
        written.matching.check()?;
        Ok(Self {
            id,
            schedule: Schedule::read(&written.when)?,
            point,
            written,
        })
    }

    fn applies(&mut self, request: &Request, now: Option<Timestamp>) -> bool {
        self.written.matching.matches(request)
            && self.schedule.applies(now, self.point.mix_str("strike"))
    }

    fn add_to(&self, plan: &mut Plan) {
        let phase = self.written.phase;
        match &self.written.fault {
            Fault::Delay(delay) => {
                let point = self.point.mix_str("delay").mix(self.schedule.matched);
                plan.add_delay(phase, delay.at(point));
            }
            fault => plan.fault = Some((phase, fault.clone())),
        }
    }

    fn counted(&self) -> RuleCounts {
        RuleCounts {
            id: self.id,
            rule: self.written.clone(),
            matched: self.schedule.matched,
            applied: self.schedule.applied,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn plan(rules: &FaultRules) -> Plan {
        rules.plan(&Request::new("GET", "/"), None)
    }

    #[test]
    fn delays_add_up_and_the_first_other_fault_is_taken() {
        let rules = FaultRules::new(0);
        rules
            .add(vec![
                FaultRule::new(Fault::delay(10)),
                FaultRule::new(Fault::EmptyBody).times(1),
                FaultRule::new(Fault::MalformedJson).times(1),
                FaultRule::new(Fault::delay(5)),
                FaultRule::new(Fault::delay(1)).after_write(),
            ])
            .unwrap();
        for expected in [Some(Fault::EmptyBody), Some(Fault::MalformedJson), None] {
            let plan = plan(&rules);
            assert_eq!(plan.fault.map(|(_, fault)| fault), expected);
            assert_eq!(plan.delay_before, Duration::from_millis(15));
            assert_eq!(plan.delay_after, Duration::from_millis(1));
        }
    }

    #[test]
    fn of_several_rules_all_are_added_or_none() {
        let rules = FaultRules::new(0);
        let wrong = FaultRule::new(Fault::status(150));
        let error = rules.add(vec![FaultRule::new(Fault::EmptyBody), wrong.clone()]);
        assert_eq!(
            error.unwrap_err().to_string(),
            "rule 2: the status is 150; expected 200 to 999 for this fault"
        );
        assert_eq!(
            rules.add(vec![wrong]).unwrap_err().to_string(),
            "the status is 150; expected 200 to 999 for this fault"
        );
        assert!(plan(&rules).fault.is_none());
    }
}
