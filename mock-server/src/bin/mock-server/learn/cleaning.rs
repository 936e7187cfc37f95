//! Undoes the changes.

use reqwest::Method;
use serde_json::{Map, Value};

use super::call::Call;
use super::changes::{Changes, Undo};
use super::service::Service;

/// Maximum number of times that the service is asked what is left.
const MAX_ROUNDS: usize = 4;

/// Undoes the changes, and returns a description of what is left.
pub(crate) async fn clean_up(service: &mut Service, changes: &mut Changes) -> Vec<String> {
    service.start_cleaning();
    let mut me = read(service).await;
    for _ in 0..MAX_ROUNDS {
        let left = changes.left(me.as_ref());
        if left.is_empty() {
            break;
        }
        for undo in left {
            undo_one(service, changes, undo).await;
        }
        me = read(service).await;
    }
    changes.describe_left(me.as_ref())
}

async fn read(service: &mut Service) -> Option<Map<String, Value>> {
    let answer = service.send(&Call::get("/me")).await.ok()?;
    answer.object().ok().cloned()
}

async fn undo_one(service: &mut Service, changes: &mut Changes, undo: Undo) {
    let call = match &undo {
        Undo::Delete(kind, id) => Call::new(Method::DELETE, kind.path_of(id)),
        Undo::Edit(fields) => {
            Call::new(Method::PATCH, "/me/profile").body(Value::Object(fields.clone()))
        }
    };
    let answer = service.send(&call).await;
    // A rejection because of an unknown id proves nothing; only `GET /me` does.
    if !answer.is_ok_and(|answer| answer.is_success()) {
        return;
    }
    match undo {
        Undo::Delete(_, id) => changes.has_deleted(&id),
        Undo::Edit(_) => changes.has_restored_profile(),
    }
}
