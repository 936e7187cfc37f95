//! The clients: the library in this process, and the program.

use std::collections::BTreeMap;
use std::time::Duration;

use profile_sdk::{
    ApiKey, Client, Error, LinkId, LinkUpdate, NewLink, PostId, Profile, ProfileField,
    ProfileUpdate, RetryPolicy,
};
use serde_json::Value;

use super::expected_state::{Kind, ObservedState, Outcome};
use super::operation::Operation;
use super::random::Random;
use crate::program::{Fixture, Run};

/// Timeout for faults without a response.
const SHORT_TIMEOUT: Duration = Duration::from_millis(200);
const URL: &str = "https://example.org";

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ClientKind {
    Sdk,
    Program,
}

impl ClientKind {
    pub(super) fn draw(random: &mut Random) -> Self {
        match random.below(100) < 12 {
            true => Self::Program,
            false => Self::Sdk,
        }
    }
}

pub(super) struct Clients<'a> {
    pub(super) fixture: &'a Fixture,
    with_default_timeout: Client,
    with_short_timeout: Client,
}

impl<'a> Clients<'a> {
    pub(super) fn of(fixture: &'a Fixture) -> Self {
        // Retry without delays, since the service is local.
        let policy = RetryPolicy::new()
            .max_retries(2)
            .base_delay(Duration::ZERO)
            .max_wait(Duration::ZERO);
        let builder = || {
            Client::builder()
                .base_url(fixture.service.uri())
                .api_key(ApiKey::new(fixture.service.key()).unwrap())
                .retry(policy)
                .retry_budget(u32::MAX)
                .max_response_bytes(1 << 20)
        };
        Self {
            fixture,
            with_default_timeout: builder().build().unwrap(),
            with_short_timeout: builder().attempt_timeout(SHORT_TIMEOUT).build().unwrap(),
        }
    }

    /// Reads the profile; returns `None` if that fails. A failed read must not claim that it may
    /// have changed something.
    pub(super) async fn read(
        &self,
        kind: ClientKind,
        slow: bool,
    ) -> Result<Option<ObservedState>, String> {
        if kind == ClientKind::Program {
            let run = self.run(&["show".to_owned()], slow);
            return Ok(run.succeeded().then(|| state_of_json(&run.json())));
        }
        match self.client(slow).me().await {
            Ok(profile) => Ok(Some(state_of(profile))),
            Err(error) if error.may_have_been_applied() => {
                Err(format!("a read may have been applied: {error}"))
            }
            Err(_) => Ok(None),
        }
    }

    /// Performs a write and returns its outcome, with the ID of a created item.
    pub(super) async fn write(
        &self,
        kind: ClientKind,
        operation: &Operation,
        slow: bool,
    ) -> (Outcome, Option<String>) {
        if kind == ClientKind::Program {
            return outcome_of_program(&self.run(&arguments(operation), slow));
        }
        match send(self.client(slow), operation).await {
            Ok(id) => (Outcome::Done, id),
            Err(error) if error.may_have_been_applied() => (Outcome::Unknown, None),
            Err(_) => (Outcome::NotDone, None),
        }
    }

    fn client(&self, slow: bool) -> &Client {
        match slow {
            true => &self.with_short_timeout,
            false => &self.with_default_timeout,
        }
    }

    fn run(&self, arguments: &[String], slow: bool) -> Run {
        let timeout = match slow {
            true => SHORT_TIMEOUT.as_secs_f64().to_string(),
            false => "30".to_owned(),
        };
        let settings = ["--json", "--yes", "--retries", "1", "--timeout", &timeout];
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        self.fixture.run(&[&settings, &arguments[..]].concat())
    }
}

/// Performs a write with the library and returns the ID of a created item.
async fn send(client: &Client, operation: &Operation) -> Result<Option<String>, Error> {
    match operation {
        Operation::Create { kind, text } => {
            let id = match kind {
                Kind::Link => {
                    let link = NewLink::new(text, URL.parse().unwrap());
                    let created = client.create_link(&link).await?;
                    created.and_then(|link| Some(link.id?.to_string()))
                }
                Kind::Post => {
                    let created = client.create_post(text).await?;
                    created.and_then(|post| Some(post.id?.to_string()))
                }
            };
            return Ok(id);
        }
        Operation::Rename { id, title } => {
            let id = LinkId::new(id).unwrap();
            let update = LinkUpdate::new().title(title);
            client.update_link(&id, &update).await?;
        }
        Operation::Delete { kind, id } => match kind {
            Kind::Link => client.delete_link(&LinkId::new(id).unwrap()).await?,
            Kind::Post => client.delete_post(&PostId::new(id).unwrap()).await?,
        },
        Operation::Edit { field, value } => {
            let mut update = ProfileUpdate::new();
            update.set(*field, value).unwrap();
            client.update_profile(&update).await?;
        }
        Operation::Read => unreachable!("not a write"),
    }
    Ok(None)
}

/// Returns the arguments of the program.
fn arguments(operation: &Operation) -> Vec<String> {
    let arguments: Vec<&str> = match operation {
        Operation::Create { kind, text } => match kind {
            Kind::Link => vec!["link", "add", text, URL],
            Kind::Post => vec!["post", "create", text],
        },
        Operation::Rename { id, title } => vec!["link", "edit", id, "--title", title],
        Operation::Delete { kind, id } => match kind {
            Kind::Link => vec!["link", "delete", id],
            Kind::Post => vec!["post", "delete", id],
        },
        Operation::Edit { field, value } => {
            let option = format!("--{}", field.kebab_name());
            return vec!["set".to_owned(), option, value.clone()];
        }
        Operation::Read => vec!["show"],
    };
    arguments.into_iter().map(str::to_owned).collect()
}

fn outcome_of_program(run: &Run) -> (Outcome, Option<String>) {
    if run.succeeded() {
        let id = run.json()["id"].as_str().map(str::to_owned);
        return (Outcome::Done, id);
    }
    match run.error()["outcome"].as_str() {
        Some("unknown") => (Outcome::Unknown, None),
        Some("not_done") => (Outcome::NotDone, None),
        other => panic!("a failed write has the outcome {other:?}: {run}"),
    }
}

fn state_of(profile: Profile) -> ObservedState {
    let text = |field| profile.get(field).unwrap_or_default().to_owned();
    let fields = ProfileField::ALL.iter().map(|field| (*field, text(*field)));
    let fields = fields.collect();
    let links = profile.links.unwrap_or_default().into_iter();
    let posts = profile.posts.unwrap_or_default().into_iter();
    ObservedState {
        fields,
        links: links.filter_map(|link| link.title).collect(),
        posts: posts.filter_map(|post| post.body).collect(),
    }
}

/// Returns the texts of the fields in the JSON of a profile.
pub(super) fn fields_of(profile: &Value) -> BTreeMap<ProfileField, String> {
    let fields = ProfileField::ALL.iter();
    let text = |field: &ProfileField| (*field, profile[field.name()].as_str().unwrap().to_owned());
    fields.map(text).collect()
}

fn state_of_json(profile: &Value) -> ObservedState {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let texts = |list: &Value, field: &str| {
        let items = list.as_array().unwrap().iter();
        items.map(|item| text(&item[field])).collect()
    };
    ObservedState {
        fields: fields_of(profile),
        links: texts(&profile["links"], "title"),
        posts: texts(&profile["posts"], "body"),
    }
}
