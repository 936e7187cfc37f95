//! The sentences of the specification that every service has to fulfill, as far as responses show it.

use serde_json::{Value, json};

use super::answer::{Answer, without_texts};
use super::delivery::decode;
use super::finding::{Observed, Sample};
use super::findings::deliveries;
use super::findings::writes::compare;
use super::observations::Observations;
use super::requests::Step::{
    Analytics, Badges, Bio10Lines, Bio11Lines, Bio300, Bio301, ColorShort, ColorUpperCase,
    Location, Location40, Location41, Me, MeAfterwards, Other, Other1, Other30, Own, Own1, Own30,
    Own31, Own365, Site, UnknownField,
};
use super::shape::Shape::{self, Fields, Is, List, Only};
use super::shape::{ANY, BADGE, KEY, ME, PROFILE, SITE, STATISTICS, TEXT, TRUE};

/// A sentence of the specification, the values that it describes, and their shape.
type Statement = (&'static str, fn(&Observations) -> Observed, Shape);

const LIMITS: &str = "display_name: up to 32 characters; bio: up to 300 characters and up to 10 lines; location: \
     up to 40 characters; colours: format #rrggbb";

#[rustfmt::skip]
const STATEMENTS: [Statement; 12] = [
    ("Responses that carry data wrap it in an object with a single top-level field `data`.",
        successful_bodies, Only(&[("data", ANY)])),
    ("The response of GET /me contains everything the public profile read returns, plus these fields: \
      email, api_visible, key", |all| all.at(Me, ""), Fields(ME)),
    (LIMITS, |all| all.at(Me, ""), Fields(PROFILE)),
    (LIMITS, edits_at_the_limits, TRUE),
    ("key: object describing the calling key: its scopes and its rate limit",
        |all| all.at(Me, "/key"), Fields(KEY)),
    ("Badge: id, name, description, color (#rrggbb) and kind, all strings",
        |all| all.at(Badges, ""), List(&Fields(BADGE))),
    ("total_views: integer; period: object with days and views; daily: array of objects with date and \
      views; devices: object of integers; countries: array of objects with code and views",
        |all| all.at(Own1, ""), Fields(STATISTICS)),
    ("days: 1 to 30 for other profiles; 1 to 365 for the caller's own profile; default 30", days, TRUE),
    ("Site statistics: users, views and links, all integers", |all| all.at(Site, ""), Fields(SITE)),
    ("PATCH /me/profile with a field that is not in the list of editable fields is rejected as a \
      whole (unknown fields are never ignored).", unknown_field, TRUE),
    ("A call to an operation whose scope the key lacks is refused", missing_scope, TRUE),
    ("Each delivery carries: X-Service-Event, the event kind; X-Service-Signature, `sha256=` plus \
      the HMAC of the body with the webhook secret", deliveries::headers, Fields(&[
        ("x-service-event", TEXT),
        ("x-service-signature", Is(|text| text.as_str().and_then(decode).is_some())),
        ("signature fits", Is(|fits| *fits != json!(false))),
    ])),
];

/// Returns the contradicted sentences of the specification.
pub(super) fn contradictions(all: &Observations) -> impl Iterator<Item = (&'static str, Sample)> {
    STATEMENTS.iter().filter_map(|(sentence, observe, shape)| {
        let observed = observe(all).ok()?;
        let misfit = |(value, sample): &(Value, Sample)| match shape.misfit(value)? {
            Value::Bool(_) => Some(sample.clone()),
            misfit => Some(sample.of(without_texts(&misfit))),
        };
        Some((*sentence, observed.iter().find_map(misfit)?))
    })
}

fn successful_bodies(all: &Observations) -> Observed {
    let answers = all.answers().map(|(_, answer)| answer);
    let answers = answers.filter(|answer| answer.is_success() && !answer.text.is_empty());
    let observe = |answer: &Answer| (answer.body(), answer.sample(without_texts(&answer.body())));
    Ok(answers.map(observe).collect())
}

fn edits_at_the_limits(all: &Observations) -> Observed {
    #[rustfmt::skip]
    let steps = [
        Location40, Location41, Bio300, Bio301, Bio10Lines, Bio11Lines, ColorShort, ColorUpperCase,
    ];
    let compare = |step| compare(all, Location, &[step]).ok();
    Ok(steps.into_iter().filter_map(compare).flatten().collect())
}

fn days(all: &Observations) -> Observed {
    #[rustfmt::skip]
    let steps = [
        (Own, 30), (Own1, 1), (Own30, 30), (Own31, 31), (Own365, 365),
        (Other, 30), (Other1, 1), (Other30, 30),
    ];
    let observe = |(step, expected)| {
        let answer = all.answer(step).ok()?;
        if answer.is_rejection() {
            return Some((json!(false), answer.sample(answer.body())));
        }
        let days = answer.at("/period/days").ok()?;
        let sample = answer.sample(json!({ "period.days": days }));
        Some((json!(*days == expected), sample))
    };
    Ok(steps.into_iter().filter_map(observe).collect())
}

fn unknown_field(all: &Observations) -> Observed {
    let answer = all.answer(UnknownField)?;
    let [before, after] = [Me, MeAfterwards].map(|step| all.answer(step)?.object());
    let (before, after) = (before?, after?);
    let mut names = PROFILE.iter().map(|(name, _)| *name);
    match names.find(|name| before.get(*name) != after.get(*name)) {
        Some(name) => answer.observe(false, format!("{name} has changed")),
        None => answer.observe(!answer.is_success(), "accepted"),
    }
}

fn missing_scope(all: &Observations) -> Observed {
    let answer = all.answer(Analytics)?;
    let has_scope = all.require_scope(&Analytics.call()).is_ok();
    answer.observe(has_scope || !answer.is_success(), "accepted")
}
