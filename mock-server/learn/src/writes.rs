//! The writes of `--allow-writes`, which leave nothing to restore: edits with the present values, and one
//! link and one post that are created and deleted.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

use crate::observations::{Changes, KINDS, Kind, Observations, id};
use crate::requests::{
    COLOR, Known, Request, RequestValues, Step, editable, other_color, restoration, text,
};
use crate::response::Answer;
use crate::service::Service;

/// The number of times that `GET /me` is read until it shows a write, and the pause in between.
const READS: usize = 4;
const PAUSE: Duration = Duration::from_secs(1);

/// An edit, the sentence of the specification that it contradicts if it has no effect, and a function that
/// returns `true` if `GET /me` shows the effect.
type Edit = (Step, &'static str, fn(&RequestValues, &Answer) -> bool);

const EDITS: [Edit; 2] = [
    (
        Step::EditProfile,
        "read and edit the key owner's profile",
        |values, me| other_color(values).is_none() || !has_color(values, me),
    ),
    (Step::EditLink, KINDS[0].sentence, |values, me| {
        let mut links = KINDS[0].listed(me).into_iter().flatten();
        links.all(|one| id(one) != values.link.clone().ok() || one["title"] != text(values))
    }),
];

/// Returns `true` if `GET /me` shows the color before the writes.
fn has_color(values: &RequestValues, me: &Answer) -> bool {
    let color = values
        .profile
        .as_ref()
        .ok()
        .and_then(|profile| profile.get(COLOR));
    color.is_none() || me.at(&format!("/{COLOR}")) == color
}

/// What the command has created or changed, or may have.
#[derive(Debug, Default)]
pub(crate) struct Created {
    /// The paths of those that were not deleted.
    paths: Vec<String>,
    /// The paths of those that `GET /me` has never listed.
    unlisted: Vec<String>,
    /// Those without a path, and the reasons.
    unknown: Vec<(Kind, String)>,
    /// The paths whose deletion was accepted.
    deleted: Vec<String>,
    /// `true` if a deletion has hit something else.
    has_missed: bool,
    /// `true` if the profile may have the other color.
    is_edited: bool,
}

impl Created {
    /// Describes what is left.
    pub(crate) fn left(&self, observations: &Observations) -> Vec<String> {
        let known = self.paths.iter();
        let known = known.map(|path| format!("not deleted: DELETE {path} deletes it"));
        let unlisted = self.unlisted.iter().map(|path| {
            format!("possibly not deleted: if GET /me lists it later, DELETE {path} deletes it")
        });
        let mark = &observations.values.mark;
        let unknown = self.unknown.iter().map(|(Kind { name, text, .. }, reason)| {
            format!(
                "possibly not deleted: a {name} whose {text} contains {mark}; {reason}, so delete it in \
                 the web interface of the service"
            )
        });
        let color = observations
            .values
            .profile
            .iter()
            .filter(|_| self.is_edited);
        let color =
            color.map(|profile| format!("possibly not restored: {COLOR} was {}", profile[COLOR]));
        known.chain(unlisted).chain(unknown).chain(color).collect()
    }

    /// Records that a deletion was accepted.
    fn delete(&mut self, path: &str) {
        self.paths.retain(|one| one != path);
        self.unlisted.retain(|one| one != path);
        self.deleted.push(path.to_owned());
    }

    /// Compares with a response to `GET /me`.
    fn update(&mut self, observations: &Observations, me: &Answer) {
        self.has_missed = false;
        for kind in KINDS.into_iter().filter(|kind| kind.listed(me).is_some()) {
            let listed = observations.created(kind, me);
            self.has_missed |= self.deleted.iter().any(|path| listed.contains(path))
                && observations.is_missing(kind, me);
            // Only the list shows that it is deleted.
            self.paths.retain(|path| !path.starts_with(kind.path));
            self.unlisted.retain(|path| !listed.contains(path));
            self.unknown
                .retain(|(one, _)| one.path != kind.path || listed.is_empty());
            self.paths.extend(listed);
        }
        self.is_edited &= !has_color(&observations.values, me);
    }
}

/// Describes the writes before they are sent.
pub(crate) fn describe(observations: &Observations, base_url: &str) -> String {
    format!(
        "this writes to the profile of the key's owner at {base_url}:\n  edits of the profile send the \
         values that GET /me shows, except one that changes {COLOR} by the smallest step until the next\n  \
         one link and one post that contain {} are created and deleted; \
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
        let is_allowed = check(observations, created, *step);
        let answer = match request.and_then(|request| is_allowed.map(|()| request)) {
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
fn check(observations: &Observations, created: &Created, step: Step) -> Known<()> {
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
        Step::DeletePost if created.has_missed => {
            Err("the deletion of the link has deleted another one".to_owned())
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

/// Sends a request, and records what it creates, changes or deletes.
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
    let is_rejected = answer.as_ref().is_ok_and(Answer::is_rejection);
    if request.method == Method::DELETE && is_accepted {
        created.delete(&request.path);
    }
    let creates = |kind: &Kind| request.method == Method::POST && request.path == kind.path;
    if let Some(kind) = KINDS.into_iter().find(creates)
        && !is_rejected
    {
        let reason = "no response showed its id".to_owned();
        created.unknown.push((kind, reason));
        find(service, observations, created, step, kind, &answer).await;
    }
    created.is_edited |= step == Step::EditProfile && !is_rejected;
    let mut edits = EDITS.into_iter();
    if let Some((_, sentence, shows)) = edits.find(|(edit, ..)| *edit == step && is_accepted) {
        let values = observations.values.clone();
        let shown = read_until(service, |me| shows(&values, me).then_some(())).await;
        if shown == Ok(None) {
            let found = "GET /me shows the old value";
            observations.not_applied.push((step, sentence, found));
        }
    }
    if created.is_edited {
        restore(service, observations, created).await;
    }
    if let ("/me", Ok(me)) = (request.path.as_str(), &answer) {
        created.update(observations, me);
    }
    answer
}

/// Reads `GET /me`, which may lag behind, until it shows something.
async fn read_until<T>(
    service: &mut Service,
    show: impl Fn(&Answer) -> Option<T>,
) -> Known<Option<T>> {
    for read in 0..READS {
        if read > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        let me = service.send(&Request::get("/me")).await?;
        if let Some(found) = show(&me) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Sends the values of the profile before the writes.
async fn restore(service: &mut Service, observations: &Observations, created: &mut Created) {
    if let Ok(request) = restoration(&observations.values) {
        let answer = service.send(&request).await;
        created.is_edited = !answer.is_ok_and(|answer| answer.is_success());
    }
}

/// Finds a created resource and its id. Only one that has the mark, or that is new in `GET /me`, was created
/// by the command.
async fn find(
    service: &mut Service,
    observations: &mut Observations,
    created: &mut Created,
    step: Step,
    kind: Kind,
    answer: &Known<Answer>,
) {
    let mark = observations.values.mark.clone();
    let has_mark = |one: &&Value| kind.has_mark(one, &mark);
    let shown = answer.as_ref().ok().and_then(|answer| answer.at(""));
    let shown_id = shown.and_then(id);
    let is_new = |one: &&Value| {
        let id = id(one);
        let is_known =
            |id: &String| created.paths.contains(&kind.path_of(id)) || observations.knows(kind, id);
        (has_mark(one) || id.is_some() && id == shown_id) && !id.as_ref().is_some_and(is_known)
    };
    let is_listed = observations.lists(kind);
    let listed = match is_listed {
        true => read_until(service, |me| kind.listed(me)?.iter().find(is_new).cloned()).await,
        false => Err(String::new()),
    };
    let is_accepted = answer.as_ref().is_ok_and(Answer::is_success);
    let found = match &listed {
        Ok(Some(one)) if id(one).is_none() => {
            Some((kind.identifier, "GET /me lists it without such an id"))
        }
        Ok(Some(one)) if !has_mark(&one) => Some((kind.sentence, "stored without its text")),
        Ok(None) if is_accepted => Some((kind.sentence, "GET /me does not list it")),
        _ => None,
    };
    let found = found.map(|(sentence, found)| (step, sentence, found));
    observations.not_applied.extend(found);
    let listed = listed.ok().flatten();
    let id = listed.as_ref().or(shown.filter(has_mark)).and_then(id);
    let unknown = created.unknown.pop();
    match (id, listed) {
        (Some(id), listed) => {
            let paths = match is_listed && listed.is_none() {
                true => &mut created.unlisted,
                false => &mut created.paths,
            };
            paths.push(kind.path_of(&id));
            *(kind.id)(&mut observations.values) = Ok(id);
        }
        (None, Some(one)) => {
            let reason = format!("a path cannot have its id {}", one["id"]);
            created.unknown.push((kind, reason));
        }
        // If the list does not show a creation that may have failed, the clean-up looks for it again.
        (None, None) => created
            .unknown
            .extend(unknown.filter(|_| is_accepted || !is_listed)),
    }
}

/// Deletes what was created, and compares the profile before and after. Restores what has changed.
pub(crate) async fn clean_up(
    service: &mut Service,
    observations: &mut Observations,
    created: &mut Created,
) -> Known<Changes> {
    service.start_cleaning();
    let mut read = 0;
    let mut changes = loop {
        let paths = created.paths.iter().chain(&created.unlisted).cloned();
        let paths: Vec<_> = paths.filter(|_| !created.has_missed).collect();
        for path in paths {
            let answer = service.send(&Request::new(Method::DELETE, &path)).await;
            if answer.is_ok_and(|answer| answer.is_success()) {
                created.delete(&path);
            }
        }
        if created.is_edited {
            restore(service, observations, created).await;
        }
        let me = service.send(&Request::get("/me")).await?;
        created.update(observations, &me);
        let changes = Changes::new(observations, &me)?;
        read += 1;
        if created.paths.is_empty() && changes.content.is_empty() || read == READS {
            break changes;
        }
        tokio::time::sleep(PAUSE).await;
    };
    for (kind, step) in KINDS.into_iter().zip([Step::DeleteLink, Step::DeletePost]) {
        let is_left = |path: &String| path.starts_with(kind.path) && created.paths.contains(path);
        if created.deleted.iter().any(is_left) {
            let found = "GET /me still lists it";
            observations.not_applied.push((step, kind.sentence, found));
        }
    }
    for (line, undo) in &mut changes.content {
        // Unless a deletion has hit it, a link that is missing may be on another page of the list.
        let undo = undo.take();
        if let Some(undo) = undo.filter(|undo| undo.method == Method::PATCH || created.has_missed) {
            let answer = service.send(&undo).await;
            let status = answer.map_or_else(|reason| reason, |answer| answer.status.to_string());
            line.push_str(&format!("; sent {undo} to undo it: {status}"));
        }
    }
    Ok(changes)
}
