//! The writes of `--allow-writes`, which leave nothing to restore: edits with the present values, and one
//! link and one post that are created and deleted.

use std::time::Duration;

use reqwest::Method;

use crate::observations::{Changes, KINDS, Kind, Observations, id};
use crate::requests::{Known, Request, Step, editable};
use crate::response::Answer;
use crate::service::Service;

/// The number of times that `GET /me` is read until it shows a write, and the pause in between.
const READS: usize = 4;
const PAUSE: Duration = Duration::from_secs(1);

/// The links and posts that the command has created, or may have created.
#[derive(Debug, Default)]
pub(crate) struct Created {
    /// The paths of those that were not deleted.
    paths: Vec<String>,
    /// The kinds of those whose id is not known.
    unknown: Vec<Kind>,
}

impl Created {
    /// Describes what is left.
    pub(crate) fn left(&self, observations: &Observations) -> Vec<String> {
        let paths = self.paths.iter();
        let known = paths.map(|path| format!("not deleted: {path}; delete it"));
        let unknown = self.unknown.iter().map(|Kind { name, text, .. }| {
            let mark = &observations.values.mark;
            format!(
                "possibly not deleted: a {name} whose {text} contains {mark}; no response showed its \
                 id, so delete it in the web interface of the service"
            )
        });
        known.chain(unknown).collect()
    }
}

/// Describes the writes before they are sent.
pub(crate) fn describe(observations: &Observations, base_url: &str) -> String {
    format!(
        "this writes to the profile of the key's owner at {base_url}:\n  edits of the profile send the \
         values that GET /me shows\n  one link and one post that contain {} are created and deleted; \
         others may see them until then",
        observations.values.mark
    )
}

/// Sends the writes until the service is interrupted.
pub(crate) async fn write(
    service: &mut Service,
    observations: &mut Observations,
    created: &mut Created,
) {
    for step in Step::writes() {
        let request = step.request(&observations.values);
        let answer = match request.and_then(|request| check(observations, *step).map(|()| request))
        {
            Ok(request) => send(service, observations, created, *step, &request).await,
            Err(reason) => Err(reason),
        };
        if *step == Step::MeBeforeWrites {
            let profile = answer.as_ref().map_err(Clone::clone).and_then(editable);
            observations.values.profile = profile;
        }
        observations.add(*step, answer);
    }
    observations.add_rate_limited(service);
}

/// Returns the reason for not sending a request: something could be left, or hit somebody else's.
fn check(observations: &Observations, step: Step) -> Known<()> {
    match step {
        Step::CreateLinkWithoutUrl | Step::CreateLink | Step::CreatePost => {
            let me = observations.answer(Step::MeBeforeWrites)?;
            let edited = observations.answer(Step::EditProfile).ok();
            let edited = edited.and_then(|edited| edited.at("")?.as_object());
            let lists_all = KINDS.iter().all(|kind| kind.listed(me).is_some());
            match lists_all || edited.is_some_and(|edited| !edited.is_empty()) {
                true => Ok(()),
                false => Err(
                    "neither GET /me nor the response to an edit shows what is stored, so that a new \
                     link could not be deleted"
                        .to_owned(),
                ),
            }
        }
        Step::DeleteLinkAgain | Step::DeletePostAgain => {
            let me = observations.answer(Step::MeAfterDeletions)?;
            let ids = [&observations.values.link, &observations.values.post];
            let is_listed = KINDS.into_iter().zip(ids).any(|(kind, id)| {
                let id = id.as_ref();
                id.is_ok_and(|id| kind.lists(me, id))
            });
            match is_listed {
                true => Err("GET /me still lists the id, which may be somebody else's".to_owned()),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Sends a request, and records what it creates or deletes.
async fn send(
    service: &mut Service,
    observations: &mut Observations,
    created: &mut Created,
    step: Step,
    request: &Request,
) -> Known<Answer> {
    service.require_ready()?;
    let answer = service.send(request).await;
    let is_accepted = answer.as_ref().is_ok_and(Answer::is_success);
    if request.method == Method::DELETE && is_accepted {
        created.paths.retain(|path| *path != request.path);
    }
    let creates = |kind: &Kind| request.method == Method::POST && request.path == kind.path;
    if let Some(kind) = KINDS.into_iter().find(creates)
        && !answer.as_ref().is_ok_and(Answer::is_rejection)
    {
        created.unknown.push(kind);
        match find(service, observations, created, step, kind, &answer).await {
            Some(id) => {
                created.unknown.pop();
                created.paths.push(format!("{}/{id}", kind.path));
                *(kind.id)(&mut observations.values) = Ok(id);
            }
            None if is_accepted => {}
            // The clean-up looks for it again.
            None => drop(created.unknown.pop_if(|_| observations.lists(kind))),
        }
    }
    answer
}

/// Returns the id of a created resource. Only one that has the mark, or that is new in `GET /me`, was
/// created by the command. `GET /me` may lag behind.
async fn find(
    service: &mut Service,
    observations: &mut Observations,
    created: &Created,
    step: Step,
    kind: Kind,
    answer: &Known<Answer>,
) -> Option<String> {
    let mark = observations.values.mark.clone();
    let shown = answer.as_ref().ok().and_then(|answer| answer.at(""));
    let shown_id = shown.and_then(id);
    let is_known = |id: &String| created.paths.contains(&format!("{}/{id}", kind.path));
    if observations.lists(kind) {
        for read in 0..READS {
            if read > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            let me = service.send(&Request::get("/me")).await.ok()?;
            let mut marked = kind.marked(&me, &mark).into_iter();
            if let Some(id) = marked.find(|id| !is_known(id)) {
                return Some(id);
            }
            let before = observations.answer(Step::MeBeforeWrites).ok()?;
            let is_new = |id: &String| kind.lists(&me, id) && !kind.lists(before, id);
            if let Some(id) = shown_id.clone().filter(is_new) {
                observations
                    .not_stored
                    .push((step, "stored without its text"));
                return Some(id);
            }
        }
        if answer.as_ref().is_ok_and(Answer::is_success) {
            observations
                .not_stored
                .push((step, "GET /me does not list it"));
        }
    }
    shown_id.filter(|_| shown.is_some_and(|shown| kind.has_mark(shown, &mark)))
}

/// Deletes what was created, and compares the profile before and after.
pub(crate) async fn clean_up(
    service: &mut Service,
    observations: &Observations,
    created: &mut Created,
) -> Known<Changes> {
    service.start_cleaning();
    let mut read = 0;
    loop {
        for path in created.paths.clone() {
            let answer = service.send(&Request::new(Method::DELETE, &path)).await;
            if answer.is_ok_and(|answer| answer.is_success()) {
                created.paths.retain(|one| *one != path);
            }
        }
        let me = service.send(&Request::get("/me")).await?;
        for kind in KINDS.into_iter().filter(|kind| kind.listed(&me).is_some()) {
            let marked = kind.marked(&me, &observations.values.mark).into_iter();
            let marked: Vec<_> = marked.map(|id| format!("{}/{id}", kind.path)).collect();
            // Only the list shows that it is deleted.
            created.paths.retain(|path| !path.starts_with(kind.path));
            created
                .unknown
                .retain(|one| one.path != kind.path || marked.is_empty());
            created.paths.extend(marked);
        }
        read += 1;
        if created.paths.is_empty() || read == READS {
            return Changes::new(observations, &me);
        }
        tokio::time::sleep(PAUSE).await;
    }
}
