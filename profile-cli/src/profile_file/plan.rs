//! The steps that make a profile equal to a file.

use profile_sdk::{
    Call, Client, Link, LinkId, LinkUpdate, NewLink, Profile, ProfileUpdate, Request,
};
use serde_json::{Value, json};

use super::fields::changed;
use super::matching::Matches;
use super::{Owner, ProfileFile};
use crate::outcome::failure::{Failure, FailureKind};
use crate::session::dry_run::{Change, field_changes};

/// The steps in their order, and what stays as it is.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) unchanged_links: usize,
    /// Number of links that are not in the file and are not deleted.
    pub(crate) other_links: usize,
    /// `true` if the file has links and the service does not list those of the profile.
    pub(crate) lacks_links: bool,
}

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    SetFields {
        update: ProfileUpdate,
        changes: Vec<Change>,
    },
    UpdateLink {
        id: LinkId,
        from: LinkText,
        to: NewLink,
    },
    CreateLink(NewLink),
    DeleteLink {
        id: LinkId,
        link: LinkText,
    },
}

/// The title and the URL of a link of the profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkText {
    pub(crate) title: String,
    pub(crate) url: String,
}

impl Plan {
    /// Compares a file with a profile. Links that are not in the file are deleted if `prune` is set.
    /// Fails if a match is ambiguous.
    pub(crate) fn new(
        file: &ProfileFile,
        profile: &Profile,
        service: &str,
        prune: bool,
    ) -> Result<Self, Failure> {
        let mut plan = Self {
            steps: Vec::new(),
            unchanged_links: 0,
            other_links: 0,
            lacks_links: false,
        };
        let update = changed(&file.fields, profile);
        if !update.is_empty() {
            let changes = field_changes(&update, profile);
            plan.steps.push(Step::SetFields { update, changes });
        }
        match (&file.links, &profile.links) {
            (Some(_), Some(links)) => plan.add_links(file, links, profile, service, prune)?,
            (Some(wanted), None) => plan.lacks_links = !wanted.is_empty() || prune,
            (None, _) => {}
        }
        Ok(plan)
    }

    fn add_links(
        &mut self,
        file: &ProfileFile,
        current: &[Link],
        profile: &Profile,
        service: &str,
        prune: bool,
    ) -> Result<(), Failure> {
        let wanted = file.links.as_deref().unwrap_or_default();
        let owner = Owner::of(profile, service);
        let by_id = file
            .source
            .as_ref()
            .is_some_and(|source| source.is_same(&owner));
        let matches = Matches::find(wanted, current, by_id).map_err(|message| {
            Failure::usage(message).hint("change the links so that each has its own title and URL")
        })?;
        let mut creations = Vec::new();
        for (wanted, index) in wanted.iter().zip(&matches.0) {
            let to = wanted.link.clone();
            let Some(link) = index.map(|index| &current[index]) else {
                creations.push(Step::CreateLink(to));
                continue;
            };
            let from = LinkText::of(link);
            if from.title == to.title && from.url == to.url.as_str() {
                self.unchanged_links += 1;
                continue;
            }
            let id = id_of(link)?;
            self.steps.push(Step::UpdateLink { id, from, to });
        }
        self.steps.append(&mut creations);
        let others = current.iter().enumerate();
        for (_, link) in others.filter(|(index, _)| !matches.is_taken(*index)) {
            if prune {
                let (id, link) = (id_of(link)?, LinkText::of(link));
                self.steps.push(Step::DeleteLink { id, link });
            } else {
                self.other_links += 1;
            }
        }
        Ok(())
    }

    /// Returns `true` if all steps are steps of another plan.
    pub(crate) fn is_part_of(&self, other: &[Step]) -> bool {
        let count = |steps: &[Step], step| steps.iter().filter(|other| *other == step).count();
        let steps = &self.steps;
        steps
            .iter()
            .all(|step| count(steps, step) <= count(other, step))
    }

    /// Returns the changes of all steps.
    pub(crate) fn changes(&self) -> Vec<Change> {
        self.steps.iter().flat_map(Step::changes).collect()
    }
}

impl Step {
    /// Returns the request of the step.
    pub(crate) fn request(&self, client: &Client) -> Result<Request, Failure> {
        match self {
            Self::SetFields { update, .. } => request_of(&client.update_profile(update)),
            Self::UpdateLink { id, to, .. } => request_of(&client.update_link(id, &edit_of(to))),
            Self::CreateLink(link) => request_of(&client.create_link(link)),
            Self::DeleteLink { id, .. } => request_of(&client.delete_link(id)),
        }
    }

    /// Returns the changes of the step, for people.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let new = |link: &NewLink| json!({"title": link.title, "url": link.url});
        let old = |link: &LinkText| json!({"title": link.title, "url": link.url});
        match self {
            Self::SetFields { changes, .. } => changes.clone(),
            Self::UpdateLink { id, from, to } => {
                vec![Change::new("link", old(from), new(to)).id(id)]
            }
            Self::CreateLink(link) => vec![Change::new("new link", Value::Null, new(link))],
            Self::DeleteLink { id, link } => {
                vec![Change::new("link", old(link), Value::Null).id(id)]
            }
        }
    }
}

impl LinkText {
    fn of(link: &Link) -> Self {
        Self {
            title: link.title.clone().unwrap_or_default(),
            url: link.url.clone().unwrap_or_default(),
        }
    }
}

/// Returns the edit that makes a link equal to another. It has both fields, as a creation does.
pub(crate) fn edit_of(link: &NewLink) -> LinkUpdate {
    LinkUpdate::new()
        .title(link.title.clone())
        .url(link.url.clone())
}

fn request_of<T>(call: &Call<T>) -> Result<Request, Failure> {
    call.request().cloned().map_err(Failure::unsent)
}

fn id_of(link: &Link) -> Result<LinkId, Failure> {
    link.id.clone().ok_or_else(|| {
        let LinkText { title, url } = LinkText::of(link);
        let message = format!("the service reports no ID for the link {title:?} ({url})");
        Failure::new(FailureKind::Other, message)
    })
}
