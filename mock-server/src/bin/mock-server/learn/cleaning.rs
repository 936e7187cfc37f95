//! Undoes the changes.

use reqwest::Method;
use serde_json::{Map, Value};

use super::changes::{Changes, Undo};
use super::service::{Call, Service};

/// Maximum number of times that the service is asked what is left.
const MAX_ROUNDS: usize = 4;

/// Undoes the changes, and returns a description of what is left.
pub(crate) async fn clean_up(service: &mut Service, changes: &mut Changes) -> Vec<String> {
    service.start_cleaning();
    let mut me = None;
    for _ in 0..MAX_ROUNDS {
        me = read(service).await.or(me);
        let left = changes.left(me.as_ref());
        if left.is_empty() {
            break;
        }
        for undo in left {
            if undo_one(service, changes, undo).await {
                // What was read before is out of date.
                me = None;
            }
        }
    }
    changes.describe_left(me.as_ref())
}

async fn read(service: &mut Service) -> Option<Map<String, Value>> {
    let answer = service.send(&Call::get("/me")).await.ok()?;
    answer.object().ok().cloned()
}

/// Returns `true` if the service accepted the change.
async fn undo_one(service: &mut Service, changes: &mut Changes, undo: Undo) -> bool {
    match undo {
        Undo::Delete(kind, id) => {
            let call = Call::new(Method::DELETE, kind.path_of(&id));
            let answer = service.send(&call).await;
            let is_gone =
                answer.is_ok_and(|one| one.is_success() || matches!(one.status, 404 | 410));
            if is_gone {
                changes.has_deleted(&id);
            }
            is_gone
        }
        Undo::Edit(fields) => {
            let call = Call::new(Method::PATCH, "/me/profile").body(Value::Object(fields));
            let is_restored = service
                .send(&call)
                .await
                .is_ok_and(|answer| answer.is_success());
            if is_restored {
                changes.has_restored_profile();
            }
            is_restored
        }
    }
}
