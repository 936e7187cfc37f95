//! The requests that change nothing: reads, and two writes that every service has to reject.

use super::answer::Answer;
use super::call::Call;
use super::observations::Observations;
use super::service::Service;
use super::steps::Step;

/// Sends the requests that change nothing. `handle` is a profile of somebody else.
///
/// # Errors
///
/// Returns an error if the service cannot be reached or rejects the key, or if there is no profile with
/// this handle.
pub(crate) async fn read(
    service: &mut Service,
    handle: Option<&str>,
) -> Result<Observations, String> {
    let me = service.send(&Call::get("/me")).await?;
    check_first(&me)?;
    if let Some(limit) = me.at("/key/rate_limit") {
        service.set_stated_limit(limit);
    }
    let mut observations = Observations::new(me, handle);
    for step in Step::reads() {
        let answer = match step.call(&observations.names) {
            Ok(call) => service.send(&call).await,
            Err(reason) => Err(reason),
        };
        if *step == Step::Other && answer.as_ref().is_ok_and(|answer| answer.status == 404) {
            let handle = handle.unwrap_or_default();
            return Err(format!("no profile has the handle {handle} of --handle"));
        }
        observations.add(*step, answer);
    }
    // Otherwise, a service that stopped in between would look like one without differences.
    observations.answer(Step::MeAfterwards)?;
    observations.add_rate_limited(service);
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
