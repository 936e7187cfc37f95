//! The requests that change nothing: reads, and two writes that every service has to reject.

use super::answer::Answer;
use super::observations::Observations;
use super::path_segment;
use super::requests::Step;
use super::service::Service;

/// Sends the requests that change nothing. `handle` is a profile of somebody else.
///
/// # Errors
///
/// Returns an error if the service cannot be reached or rejects the key.
pub(crate) async fn read(
    service: &mut Service,
    handle: Option<&str>,
) -> Result<Observations, String> {
    let mut observations = Observations::new();
    let me = service.send(&Step::Me.call()).await?;
    check_first(&me)?;
    observations.add(Step::Me, Ok(me));
    if let Ok(limit) = observations.me("/key/rate_limit") {
        service.set_stated_limit(limit);
    }
    let own = observations.me("/handle").ok().and_then(|own| own.as_str());
    let other = handle.filter(|handle| own != Some(*handle));
    // A URL cannot contain `.` and `..`.
    let segment = |handle| match handle {
        None | Some("" | "." | "..") => None,
        Some(handle) => Some(path_segment(handle).to_string()),
    };
    let (own, other) = (segment(own), segment(other));
    observations.set("own", own.ok_or("GET /me has no handle".to_owned()));
    observations.set(
        "other",
        other.ok_or("needs --handle of another profile".to_owned()),
    );
    for step in Step::reads() {
        let answer = match observations.call(*step) {
            Ok(call) => service.send(&call).await,
            Err(reason) => Err(reason),
        };
        observations.add(*step, answer);
    }
    // Otherwise, a service that stopped in between would look like one without differences.
    observations.answer(Step::MeAfterwards)?;
    observations.rate_limited = service.rate_limited.clone();
    Ok(observations)
}

fn check_first(me: &Answer) -> Result<(), String> {
    Err(match me.status {
        200..300 if me.json.is_some() => return Ok(()),
        200..300 => "GET /me does not return JSON; check the base URL".to_owned(),
        401 | 403 => format!("the service rejects the key: {}", me.unexpected()),
        _ => format!("{}; check the base URL", me.unexpected()),
    })
}

/// Checks that the service still returns the profile, so that writes can be undone.
///
/// # Errors
///
/// Returns an error if the last `GET /me` failed.
pub(crate) fn require_profile(observations: &Observations) -> Result<(), String> {
    let me = observations
        .answer(Step::MeAfterwards)
        .and_then(Answer::object);
    me.map(drop)
        .map_err(|reason| format!("{reason}; nothing was changed"))
}
