//! Finds every rule of the specification that a request broke, where an answer names but the first.

use super::authorization::{authorize, token};
use super::endpoint::Endpoint;
use super::json_body;
use super::redaction::without_keys;
use super::refusal::Refusal;
use super::request::Request;
use super::routing;
use super::rule::Rule;
use super::statistics;
use super::violation::Violation;
use super::world::World;

/// The violations of one request. The world says whose key and which profile it is about; its
/// dialect has no say.
pub(super) fn violations(world: &World, request: &Request) -> Vec<Violation> {
    let (endpoint, problems) = match routing::route(request) {
        Err(refusal) => (None, vec![refusal]),
        Ok((endpoint, parameter)) => {
            let mut problems = Vec::new();
            let caller = inspect_key(world, request, endpoint, &mut problems);
            inspect_body(request, endpoint, &mut problems);
            if endpoint == Endpoint::ReadViewStatistics {
                // Without a known caller nobody can say whose profile it is.
                let own = caller.is_none_or(|handle| handle == parameter);
                let days = statistics::days(request.query.as_deref(), own);
                problems.extend(days.err());
            }
            (Some(endpoint), problems)
        }
    };
    problems
        .iter()
        .filter_map(|problem| violation(problem, endpoint, request))
        .take(Violation::MOST_IN_ONE_REQUEST)
        .collect()
}

/// The handle of the caller, where the key is known.
fn inspect_key<'a>(
    world: &'a World,
    request: &Request,
    endpoint: Endpoint,
    problems: &mut Vec<Refusal>,
) -> Option<&'a str> {
    let key = match token(request) {
        Ok(Some(token)) => world.keys.get(token)?,
        Ok(None) => {
            problems.extend(endpoint.needs_key().then_some(Refusal::KeyMissing));
            return None;
        }
        Err(refusal) => {
            problems.push(refusal);
            return None;
        }
    };
    problems.extend(authorize(Some(key), endpoint.scope()).err());
    Some(&key.handle)
}

fn inspect_body(request: &Request, endpoint: Endpoint, problems: &mut Vec<Refusal>) {
    let length = request.body.len();
    if endpoint == Endpoint::ReadMe && length > 0 {
        problems.push(Refusal::UnexpectedBody { length });
    }
    let Some(judge) = endpoint.judge() else {
        return;
    };
    problems.extend(json_body::check_content_type(request).err());
    match json_body::parse(&request.body) {
        Ok(fields) => {
            let judged = fields.iter().flat_map(|(field, value)| judge(field, value));
            problems.extend(judged);
        }
        Err(refusal) => problems.push(refusal),
    }
}

fn violation(
    problem: &Refusal,
    endpoint: Option<Endpoint>,
    request: &Request,
) -> Option<Violation> {
    let rule = Rule::behind(problem, endpoint)?;
    Some(Violation {
        rule,
        section: rule.section(),
        sentence: rule.sentence(),
        found: shorten(&problem.to_string()),
        field: problem.field().map(shorten),
        method: shorten(&request.method),
        path: endpoint.map_or_else(|| shorten(&request.path), |one| one.path().to_owned()),
    })
}

/// A client may send names of any length, and verdicts are kept; a key in them is not.
fn shorten(text: &str) -> String {
    let text = without_keys(text);
    match text.char_indices().nth(Violation::LONGEST_TEXT) {
        Some(_) => text
            .chars()
            .take(Violation::LONGEST_TEXT - 1)
            .chain(['…'])
            .collect(),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_is_cut_between_characters() {
        let longest = "é".repeat(Violation::LONGEST_TEXT);
        assert_eq!(shorten(&longest), longest);
        let cut = shorten(&(longest + "é"));
        assert_eq!(cut.chars().count(), Violation::LONGEST_TEXT);
        assert!(cut.ends_with("é…"));
    }
}
