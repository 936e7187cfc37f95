//! The active fault rules of a service.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::fault::Fault;
use super::invalid::invalid;
use super::plan::Plan;
use super::rule::FaultRule;
use crate::engine::Request;
use crate::input::InvalidInput;

/// The active fault rules of a service, with their counters, in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct FaultRules(Mutex<ActiveRules>);

#[derive(Debug, Default)]
struct ActiveRules {
    rules: Vec<ActiveRule>,
    /// Number of rules that were ever added.
    added: u64,
}

/// A validated rule and its counters.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ActiveRule {
    id: u64,
    rule: FaultRule,
    /// Number of requests that matched the pattern.
    matched: u64,
    /// Number of requests that the fault was applied to.
    applied: u64,
}

impl FaultRules {
    /// Adds all rules, or none if one is invalid.
    pub(crate) fn add(&self, rules: Vec<FaultRule>) -> Result<(), InvalidInput> {
        let is_single = rules.len() == 1;
        for (number, rule) in (1..).zip(&rules) {
            check(rule).map_err(|error| match is_single {
                true => error,
                false => error.in_rule(number),
            })?;
        }
        let mut active = self.lock();
        for rule in rules {
            active.added += 1;
            let id = active.added;
            active.rules.push(ActiveRule {
                id,
                rule,
                matched: 0,
                applied: 0,
            });
        }
        Ok(())
    }

    /// Removes all rules. Ids are not reused.
    pub(crate) fn clear(&self) {
        self.lock().rules.clear();
    }

    /// Removes a rule and returns `true` if it existed.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut active = self.lock();
        let before = active.rules.len();
        active.rules.retain(|rule| rule.id != id);
        active.rules.len() < before
    }

    /// Removes all rules; the ids start again.
    pub(crate) fn restart(&self) {
        *self.lock() = ActiveRules::default();
    }

    /// Returns the rules with their counters.
    pub(crate) fn counted(&self) -> Vec<ActiveRule> {
        self.lock().rules.clone()
    }

    /// Determines the faults of a request, and counts it.
    pub(crate) fn plan(&self, request: &Request) -> Plan {
        let mut plan = Plan::default();
        for rule in &mut self.lock().rules {
            // A rule after the first fault is not counted.
            let is_delay = matches!(rule.rule.fault, Fault::Delay { .. });
            if (is_delay || plan.fault.is_none()) && rule.applies(request) {
                rule.add_to(&mut plan);
            }
        }
        plan
    }

    fn lock(&self) -> MutexGuard<'_, ActiveRules> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check(rule: &FaultRule) -> Result<(), InvalidInput> {
    rule.fault.check()?;
    rule.matching.check_request()?;
    match rule.times {
        Some(0) => Err(invalid("times is 0; expected at least 1")),
        _ => Ok(()),
    }
}

impl ActiveRule {
    /// Counts a request and returns `true` if the fault applies to it.
    fn applies(&mut self, request: &Request) -> bool {
        if !self.rule.matching.matches(request) {
            return false;
        }
        self.matched += 1;
        let is_left = self.rule.times.is_none_or(|times| self.applied < times);
        let applies = self.matched > self.rule.skip && is_left;
        self.applied += u64::from(applies);
        applies
    }

    fn add_to(&self, plan: &mut Plan) {
        let phase = self.rule.phase;
        match self.rule.fault {
            Fault::Delay { milliseconds } => {
                plan.add_delay(phase, Duration::from_millis(milliseconds));
            }
            ref fault => plan.fault = Some((phase, fault.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rules: &FaultRules) -> Plan {
        rules.plan(&Request::new("GET", "/"))
    }

    #[test]
    fn delays_add_up_and_the_first_other_fault_is_taken() {
        let rules = FaultRules::default();
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
        let rules = FaultRules::default();
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
