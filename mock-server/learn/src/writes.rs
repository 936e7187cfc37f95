//! The writes of `--allow-writes`: edits with the present values, except for the last digit of a color, and
//! one link and one post that are created and deleted.

use std::fmt;
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

/// An edit, the quote of `docs/service.md` that it contradicts if it has no effect, and a function that returns
/// `true` if `GET /me` shows the effect.
type Edit = (Step, &'static str, fn(&RequestValues, &Answer) -> bool);

#[rustfmt::skip]
pub(crate) const EDITS: [Edit; 2] = [
    (Step::EditProfile, "`profile:write`: editing the profile", |values, me| {
        let color = values.profile.as_ref().ok().and_then(|profile| profile.get(COLOR));
        other_color(values).is_none() || me.at(&format!("/{COLOR}")) != color
    }),
    (Step::EditLink, KINDS[0].sentence, |values, me| {
        let mut links = KINDS[0].listed(me).into_iter().flatten();
        links.all(|one| id(one) != values.link.clone().ok() || one["title"] != text(values))
    }),
];

/// The reason why the clean-up cannot delete a link or post.
#[derive(Debug, PartialEq)]
enum Reason {
    /// No response shows its ID.
    NoId,
    /// A path cannot have its ID.
    UnusableId(Value),
    /// Only the response to the creation shows its path.
    NotListed(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = "so delete it in the web interface of the service";
        match self {
            Self::NoId => write!(f, "its id is unknown, {advice}"),
            Self::UnusableId(id) => write!(f, "a path cannot have its id {id}, {advice}"),
            Self::NotListed(path) => {
                f.write_str("GET /me does not list it; if it does later, ")?;
                write!(f, "DELETE {path} deletes it")
            }
        }
    }
}

/// The links and posts that the command has created, or may have created, and the color that it has changed.
#[derive(Debug, Default)]
pub(crate) struct Created {
    /// The paths of those that were not deleted.
    paths: Vec<String>,
    /// Those that `GET /me` does not list with an ID, and the reasons.
    unknown: Vec<(Kind, Reason)>,
    /// The paths whose deletion was accepted.
    deleted: Vec<String>,
    /// The kind of a resource that a deletion removed by mistake.
    missed: Option<Kind>,
    /// The edit that changes the color was sent, and nothing shows that the color is restored.
    is_color_changed: bool,
}

impl Created {
    /// Describes what is left.
    pub(crate) fn left(&self, observations: &Observations) -> Vec<String> {
        let mark = &observations.values.mark;
        let paths = self.paths.iter();
        let known = paths.map(|path| format!("not deleted: DELETE {path} deletes it"));
        let unknown = self.unknown.iter();
        let unknown = unknown.map(|(Kind { name, text, .. }, reason)| {
            format!("possibly not deleted: a {name} whose {text} contains {mark}; {reason}")
        });
        let values = &observations.values;
        let old = values.profile.as_ref().ok().and_then(|all| all.get(COLOR));
        let restored = old.zip(restoration(values).ok());
        let color = restored.filter(|_| self.is_color_changed);
        let color = color.map(|(old, request)| {
            let body = &request.body;
            format!("possibly not restored: {COLOR} was {old}; {request} with {body} restores it")
        });
        known.chain(unknown).chain(color).collect()
    }

    /// Records that a deletion was accepted.
    fn delete(&mut self, path: &str) {
        self.paths.retain(|one| one != path);
        let reason = Reason::NotListed(path.to_owned());
        self.unknown.retain(|(_, one)| *one != reason);
        self.deleted.push(path.to_owned());
    }

    /// Compares with a response to `GET /me`.
    fn update(&mut self, observations: &Observations, me: &Answer) {
        self.missed = None;
        for kind in KINDS.into_iter().filter(|kind| kind.listed(me).is_some()) {
            let created = observations.created(kind, me);
            let is_deleted = self.deleted.iter().any(|path| path.starts_with(kind.path));
            let missed = is_deleted && observations.is_missing(kind, me);
            self.missed = self.missed.or(missed.then_some(kind));
            self.unknown
                .retain(|(one, _)| one.path != kind.path || created.is_empty());
            // Only the list shows what is deleted. The service may have changed the texts.
            let own = [&created[..], &self.paths, &self.deleted].concat();
            let ids = kind.listed(me).into_iter().flatten().filter_map(id);
            let listed = ids.map(|id| kind.path_of(&id));
            let listed: Vec<_> = listed.filter(|path| own.contains(path)).collect();
            self.paths.retain(|path| !path.starts_with(kind.path));
            self.paths.extend(listed);
        }
    }
}

/// Describes the writes before they are sent.
pub(crate) fn describe(observations: &Observations, base_url: &str) -> String {
    format!(
        "this writes to the profile of the key's owner at {base_url}:\n  edits of the profile send the \
         values that GET /me shows; the last digit of {COLOR} is changed once and restored\n  one link and one post that contain {} are created and deleted; \
         others may see them until then",
        observations.values.mark
    )
}

/// The writes to a service.
pub(crate) struct Writes<'a> {
    pub(crate) service: &'a mut Service,
    pub(crate) observations: &'a mut Observations,
    pub(crate) created: Created,
}

impl Writes<'_> {
    /// Sends the writes until the service is interrupted. Returns the reason if it was stopped.
    pub(crate) async fn send_all(&mut self) -> Option<String> {
        for step in Step::writes() {
            let answer = match self.observations.require_exact() {
                Ok(()) => self.send(*step).await,
                Err(reason) => Err(reason),
            };
            if *step == Step::MeBeforeWrites {
                let profile = answer.as_ref().map_err(Clone::clone).and_then(editable);
                self.observations.values.profile = profile;
            }
            self.observations.answers.insert(*step, answer);
        }
        self.service.stopped.clone()
    }

    /// Returns the reason for not sending a request: something could be left, or hit somebody else's.
    fn check(&self, step: Step) -> Known<()> {
        let problem = match step {
            Step::CreateLinkWithoutUrl | Step::CreateLink | Step::CreatePost => {
                let me = self.observations.answer(Step::MeBeforeWrites)?;
                let edited = self.observations.answer(Step::EditProfile).ok();
                let edited = edited.and_then(|edited| edited.at("")?.as_object());
                let shows_edit = edited.is_some_and(|edited| !edited.is_empty());
                let shows_all = KINDS.iter().all(|kind| kind.listed(me).is_some()) || shows_edit;
                (!shows_all).then_some(
                    "neither GET /me nor the response to an edit shows what is stored, so that a new \
                     link could not be deleted",
                )
            }
            Step::DeletePost => {
                let missed = self.created.missed;
                missed.map(|_| "the deletion of the link has deleted another one")
            }
            Step::DeleteLinkAgain | Step::DeletePostAgain => {
                self.observations.answer(Step::MeAfterDeletions)?;
                let is_listed = !self.created.paths.is_empty();
                is_listed.then_some("GET /me still lists the id, which may be somebody else's")
            }
            _ => None,
        };
        problem.map_or(Ok(()), |problem| Err(problem.to_owned()))
    }

    /// Sends a request, and records what it creates, changes or deletes.
    async fn send(&mut self, step: Step) -> Known<Answer> {
        let request = step.request(&self.observations.values)?;
        self.check(step)?;
        self.service.require_ready()?;
        let other_color = other_color(&self.observations.values);
        // Set before, because a second signal ends the command during the request.
        self.created.is_color_changed |= step == Step::EditProfile && other_color.is_some();
        let answer = self.service.send(&request).await;
        let is_accepted = answer.as_ref().is_ok_and(Answer::is_success);
        let is_rejected = answer.as_ref().is_ok_and(Answer::is_rejection);
        if request.method == Method::DELETE && is_accepted {
            self.created.delete(&request.path);
        }
        let creates = |kind: &Kind| request.method == Method::POST && request.path == kind.path;
        if let Some(kind) = KINDS.into_iter().find(creates)
            && !is_rejected
        {
            // `find` replaces it. Until then, a second signal may end the command, which reports what may be left.
            self.created.unknown.push((kind, Reason::NoId));
            self.find(step, kind, &answer).await;
        }
        let mut edits = EDITS.into_iter();
        if let Some((_, sentence, shows)) = edits.find(|(edit, ..)| *edit == step && is_accepted) {
            let values = &self.observations.values;
            let shown = read_until(self.service, |me| shows(values, me).then_some(())).await;
            if shown == Ok(None) {
                let found = "GET /me shows the old value";
                self.observations.not_applied.push((step, sentence, found));
            }
        }
        if let (Step::EditProfile, Ok(request)) = (step, restoration(&self.observations.values)) {
            // The clean-up repeats it if it fails.
            let restored = self.service.send(&request).await;
            self.created.is_color_changed &=
                !is_rejected && !restored.is_ok_and(|answer| answer.is_success());
        }
        if let ("/me", Ok(me)) = (request.path.as_str(), &answer) {
            self.created.update(self.observations, me);
        }
        answer
    }

    /// Finds a created resource and its ID. Only one that has the mark, or that is new in `GET /me`, was created
    /// by the command.
    async fn find(&mut self, step: Step, kind: Kind, answer: &Known<Answer>) {
        let (observations, created) = (&mut *self.observations, &mut self.created);
        let mark = observations.values.mark.clone();
        let has_mark = |one: &&Value| kind.has_mark(one, &mark);
        let shown = answer.as_ref().ok().and_then(|answer| answer.at(""));
        let shown_id = shown.and_then(id);
        let is_new = |one: &&Value| {
            let id = id(one);
            let is_known = |id: &String| {
                created.paths.contains(&kind.path_of(id)) || observations.knows(kind, id)
            };
            (has_mark(one) || id.is_some() && id == shown_id) && !id.as_ref().is_some_and(is_known)
        };
        let is_listed = kind.listed(observations.me()).is_some();
        let find_new = |me: &Answer| kind.listed(me)?.iter().find(is_new).cloned();
        let listed = match is_listed {
            true => read_until(self.service, find_new).await,
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
        // The service may have changed an existing one instead.
        let id = id.filter(|id| !observations.knows(kind, id));
        created.unknown.pop();
        let reason = match (&id, listed) {
            (Some(id), None) if is_listed => Some(Reason::NotListed(kind.path_of(id))),
            (Some(id), _) => {
                created.paths.push(kind.path_of(id));
                None
            }
            (None, Some(mut one)) => Some(Reason::UnusableId(one["id"].take())),
            // If the list does not show a creation that may have failed, the clean-up looks for it again.
            (None, None) => (is_accepted || !is_listed).then_some(Reason::NoId),
        };
        created.unknown.extend(reason.map(|reason| (kind, reason)));
        if let Some(id) = id {
            *(kind.id)(&mut observations.values) = Ok(id);
        }
    }

    /// Deletes what was created, and compares the profile before and after. Restores what has changed.
    pub(crate) async fn clean_up(&mut self) -> Known<Changes> {
        self.service.start_cleaning();
        let (observations, created) = (&mut *self.observations, &mut self.created);
        let mut read = 0;
        let mut changes = loop {
            let mut paths = created.paths.clone();
            paths.retain(|_| created.missed.is_none());
            for path in paths {
                let request = Request::new(Method::DELETE, &path);
                let answer = self.service.send(&request).await;
                if answer.is_ok_and(|answer| answer.is_success()) {
                    created.delete(&path);
                }
            }
            let me = self.service.send(&Request::get("/me")).await?;
            created.update(observations, &me);
            let changes = Changes::new(observations, &me)?;
            let color = changes.content.get(COLOR);
            created.is_color_changed &= color.is_some();
            read += 1;
            if created.paths.is_empty() && changes.content.is_empty() || read == READS {
                break changes;
            }
            if let Some((_, Some(undo))) = color {
                let _ = self.service.send(undo).await;
            }
            tokio::time::sleep(PAUSE).await;
        };
        for (kind, step) in KINDS.into_iter().zip([Step::DeleteLink, Step::DeletePost]) {
            let is_left =
                |path: &String| path.starts_with(kind.path) && created.paths.contains(path);
            let found = if created.deleted.iter().any(is_left) {
                "GET /me still lists it"
            } else if created.missed.is_some_and(|one| one.path == kind.path) {
                "another one is missing"
            } else {
                continue;
            };
            observations.not_applied.push((step, kind.sentence, found));
        }
        for (line, undo) in changes.content.values_mut() {
            // A missing link may be on another page of the list, unless a deletion removed the wrong one.
            let is_sent = |undo: &Request| undo.method == Method::PATCH || created.missed.is_some();
            if let Some(undo) = undo.take().filter(is_sent) {
                let answer = self.service.send(&undo).await;
                let status = answer.map(|answer| answer.status.to_string());
                let status = status.unwrap_or_else(|reason| reason);
                line.push_str(&format!("; sent {undo} to undo it: {status}"));
            }
        }
        Ok(changes)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deletion_hides_no_other_link() {
        let path = |id: &str| KINDS[0].path_of(id);
        let unknown = ["10", "1", "a/1"].map(|id| (KINDS[0], Reason::NotListed(path(id))));
        let mut created = Created {
            unknown: unknown.into(),
            ..Created::default()
        };
        created.delete(&path("1"));
        let left = created.unknown.iter();
        let left: Vec<_> = left.map(|(_, reason)| reason.to_string()).collect();
        let line = |id: &str| {
            let path = path(id);
            format!("GET /me does not list it; if it does later, DELETE {path} deletes it")
        };
        assert_eq!(left, [line("10"), line("a/1")]);
    }
}
