//! The writes of three fields of the profile, one link and one post, and how they are undone.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::call::Call;
use super::changes::{Changes, EDITED, path_of};
use super::observations::Observations;
use super::requests::Step;
use super::service::Service;

/// Sends the writes until the service is interrupted. The changes have to be undone afterwards.
pub(crate) async fn write(
    service: &mut Service,
    observations: &mut Observations,
    changes: &mut Changes,
) {
    for name in EDITED {
        let reason = || format!("GET /me does not show a {name} that can be restored");
        let field = observations.restorable(name).map(|_| name.to_owned());
        observations.set(name, field.ok_or_else(reason));
    }
    for name in ["link", "post"] {
        let reason = format!("no response shows the id of the new {name}");
        observations.set(name, Err(reason));
    }
    for step in Step::writes() {
        let call = match observations.require_scope(&step.call()) {
            Ok(()) if *step == Step::CreateLink && has_link(observations, changes) => {
                Err("the service accepted the link without a URL".to_owned())
            }
            Ok(()) => observations.call(*step),
            Err(reason) => Err(reason),
        };
        let answer = match call {
            Ok(call) => send(service, observations, changes, &call).await,
            Err(reason) => Err(reason),
        };
        observations.add(*step, answer);
        if *step == Step::MeEdited && !shows_stored(observations) {
            let reason = "neither GET /me nor the response to an edit shows what is stored, so that \
                          a new link could not be deleted";
            for name in ["mark", "link", "post"] {
                observations.set(name, Err(reason.to_owned()));
            }
        }
    }
    observations.rate_limited = service.rate_limited.clone();
}

/// Returns `true` if there is a link already. One that may exist would be listed.
fn has_link(observations: &Observations, changes: &Changes) -> bool {
    let is_known = !observations.name("link").is_empty();
    is_known || changes.may_have_created("/me/links") && !observations.lists_resources()
}

/// Returns `true` if a response can show the id of a new link.
fn shows_stored(observations: &Observations) -> bool {
    let edited = observations.answer(Step::Location).and_then(Answer::object);
    observations.lists_resources() || edited.is_ok_and(|edited| !edited.is_empty())
}

/// Sends a request, and records what it changes.
async fn send(
    service: &mut Service,
    observations: &mut Observations,
    changes: &mut Changes,
    call: &Call,
) -> Result<Answer, String> {
    service.require_ready()?;
    let created = changes.will_send(call);
    let answer = service.send(call).await;
    let accepted = answer.as_ref().ok().filter(|answer| answer.is_success());
    if call.method == Method::DELETE && accepted.is_some() {
        changes.has_deleted(&call.path);
    }
    if let Some(kind) = created {
        if accepted.is_some() {
            changes.has_accepted(kind);
        }
        let shown = accepted.and_then(|answer| path_of(kind, answer.data().ok()?));
        let path = match shown {
            Some(path) => Some(path),
            None if answer.as_ref().is_ok_and(Answer::is_rejection) => {
                changes.has_not_created(kind);
                None
            }
            None => read(service)
                .await
                .and_then(|me| changes.marked(kind, &me)?.pop()),
        };
        if let Some(path) = path {
            let (_, id) = path.rsplit_once('/').unwrap_or_default();
            observations.set(kind.0, Ok(id.to_owned()));
            changes.has_created(kind, path);
        }
    }
    answer
}

/// Undoes the changes, and returns a description of what is left.
pub(crate) async fn clean_up(service: &mut Service, changes: &mut Changes) -> Vec<String> {
    const MAX_ROUNDS: usize = 4;
    /// Time for the service to show what it stored.
    const PAUSE: Duration = Duration::from_secs(3);
    service.start_cleaning();
    // `GET /me` may still show the state before the writes: first, all known changes are undone.
    let mut me = None;
    for round in 0..MAX_ROUNDS {
        let mut is_accepted = round > 0;
        for call in changes.left(me.as_ref()) {
            let answer = service.send(&call).await;
            // A rejection because of an unknown id proves nothing; only `GET /me` does.
            match answer.is_ok_and(|answer| answer.is_success()) {
                true => changes.has_deleted(&call.path),
                false => is_accepted = false,
            }
        }
        if is_accepted {
            tokio::time::sleep(PAUSE).await;
        }
        me = read(service).await;
        let may_appear = round == 0 && me.as_ref().is_some_and(|me| changes.may_appear(me));
        if changes.left(me.as_ref()).is_empty() && !may_appear {
            break;
        }
    }
    changes.describe_left(me.as_ref())
}

async fn read(service: &mut Service) -> Option<Map<String, Value>> {
    let answer = service.send(&Call::get("/me")).await.ok()?;
    answer.object().ok().cloned()
}
