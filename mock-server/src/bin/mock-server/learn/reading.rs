//! The requests that change nothing: reads, and two writes that every service has to reject.

use reqwest::Method;
use serde_json::{Value, json};

use super::call::{Access, Call};
use super::observations::{Days, Observations, Step};
use super::service::Service;
use super::{path_segment, random_name};

/// The values of `days` to ask for: the limits, the values beyond them, and the default.
const DAYS: [Days; 6] = [None, Some(1), Some(30), Some(31), Some(365), Some(366)];

/// The reason for ending without any result.
#[derive(Debug)]
pub(crate) struct Unreachable(pub(crate) String);

/// Sends the requests that change nothing. `handle` is a profile of somebody else.
///
/// # Errors
///
/// Returns an error if the service cannot be reached or refuses the key.
pub(crate) async fn read(
    service: &mut Service,
    handle: Option<&str>,
) -> Result<Observations, Unreachable> {
    let mut observations = Observations::default();
    let me = service.send(&Call::get("/me")).await.map_err(Unreachable)?;
    let problem = match me.status {
        200..300 if me.json.is_some() => None,
        200..300 => Some("GET /me returns no JSON; check the base URL".to_owned()),
        401 | 403 => Some(format!("the service refuses the key: {}", me.unexpected())),
        _ => Some(format!("{}; check the base URL", me.unexpected())),
    };
    if let Some(problem) = problem {
        return Err(Unreachable(problem));
    }
    observations.add(Step::Me, Ok(me));
    if let Some(limit) = observations
        .key()
        .ok()
        .and_then(|(_, key)| key.get("rate_limit"))
    {
        service.set_stated_limit(limit);
    }
    let own = observations.me("handle").ok();
    let own = own.and_then(|(_, handle)| handle.as_str().map(str::to_owned));
    for (step, call) in fixed_calls() {
        observations.add(step, service.send(&call).await);
    }
    for days in DAYS {
        let answer = statistics(service, own.as_deref(), days).await;
        let answer = answer.unwrap_or_else(|| Err("GET /me has no handle".to_owned()));
        observations.add(Step::OwnStatistics(days), answer);
        let other = handle.filter(|handle| own.as_deref() != Some(*handle));
        let answer = statistics(service, other, days).await;
        let answer = answer.unwrap_or_else(|| Err("needs --handle of another profile".to_owned()));
        observations.add(Step::OtherStatistics(days), answer);
    }
    reject_profile_field(service, &mut observations).await;
    // Otherwise, a service that stopped in between would look like one without differences.
    let me = observations.answer(Step::MeAfterwards).map(drop);
    me.map_err(Unreachable)?;
    observations.rate_limited = service.rate_limited.clone();
    Ok(observations)
}

/// Checks that the service still returns the profile, so that writes can be undone.
///
/// # Errors
///
/// Returns an error if the last `GET /me` failed.
pub(crate) fn require_profile(observations: &Observations) -> Result<(), Unreachable> {
    let me = observations.answer(Step::MeAfterwards);
    let me = me.and_then(|me| me.object().map(drop));
    me.map_err(|reason| Unreachable(format!("{reason}; nothing was changed")))
}

#[rustfmt::skip]
fn fixed_calls() -> [(Step, Call); 10] {
    let unknown = random_name();
    [
        (Step::Analytics, Call::get("/me/analytics")),
        (Step::UnknownHandle, Call::get(format!("/users/{unknown}/stats"))),
        (Step::UnknownPath, Call::get(format!("/{unknown}"))),
        (Step::WithoutKey, Call::get("/me").access(Access::NoKey)),
        (Step::WrongKey, Call::get("/me").access(Access::WrongKey)),
        (Step::Badges, Call::get("/badges")),
        (Step::BadgesWithoutKey, Call::get("/badges").access(Access::NoKey)),
        (Step::Site, Call::get("/stats")),
        (Step::SiteWithoutKey, Call::get("/stats").access(Access::NoKey)),
        (Step::WrongMethod, Call::new(Method::PUT, "/stats")),
    ]
}

async fn statistics(
    service: &mut Service,
    handle: Option<&str>,
    days: Days,
) -> Option<Result<super::answer::Answer, String>> {
    // A URL cannot carry `.` and `..`.
    let handle = handle.filter(|handle| !matches!(*handle, "" | "." | ".."))?;
    let handle = path_segment(handle);
    let query = days.map(|days| format!("?days={days}")).unwrap_or_default();
    let call = Call::get(format!("/users/{handle}/stats{query}"));
    Some(service.send(&call).await)
}

/// Edits the profile with nothing but an unknown field, which the specification rejects as a whole.
async fn reject_profile_field(service: &mut Service, observations: &mut Observations) {
    let field = random_name();
    let body: Value = json!({ &field: "x" });
    observations.unknown_field = field;
    let call = Call::new(Method::PATCH, "/me/profile").body(body);
    observations.add(Step::UnknownProfileField, service.send(&call).await);
    observations.add(Step::MeAfterwards, service.send(&Call::get("/me")).await);
}
