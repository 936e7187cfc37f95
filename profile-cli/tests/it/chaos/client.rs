//! The two clients: the SDK in this process, and the program as another.

use std::time::Duration;

use profile_sdk::{
    ApiKey, Client, Error, LinkId, LinkUpdate, NewLink, PostId, Profile, ProfileUpdate, RetryPolicy,
};
use serde_json::Value;

use super::deed::{Deed, FIELDS};
use super::dice::Dice;
use super::ledger::{Kind, Seen, Told};
use crate::program::{Place, Run};

/// How long an answer is waited for where one stays away.
const IMPATIENT: Duration = Duration::from_millis(200);
const URL: &str = "https://example.org";

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Chosen {
    Sdk,
    Program,
}

impl Chosen {
    pub(super) fn draw(dice: &mut Dice) -> Self {
        match dice.percent(12) {
            true => Self::Program,
            false => Self::Sdk,
        }
    }
}

pub(super) struct Clients<'a> {
    pub(super) place: &'a Place,
    patient: Client,
    impatient: Client,
}

impl<'a> Clients<'a> {
    pub(super) fn of(place: &'a Place) -> Self {
        // No wait is needed where the service is as near as this, and none is asked for in vain.
        let policy = RetryPolicy::new()
            .max_retries(2)
            .base_delay(Duration::ZERO)
            .max_wait(Duration::ZERO);
        let described = || {
            Client::builder()
                .base_url(place.service.uri())
                .api_key(ApiKey::new(place.service.key()).unwrap())
                .retry(policy)
                .retry_budget(u32::MAX)
                .max_response_bytes(1 << 20)
        };
        Self {
            place,
            patient: described().build().unwrap(),
            impatient: described().attempt_timeout(IMPATIENT).build().unwrap(),
        }
    }

    /// What the profile shows, unless the storm hides it. Nobody may be told that a look changed
    /// something.
    pub(super) async fn look(&self, chosen: Chosen, slow: bool) -> Result<Option<Seen>, String> {
        if chosen == Chosen::Program {
            let run = self.run(&["show"], slow);
            return Ok(run.succeeded().then(|| seen_in_json(&run.json())));
        }
        match self.client(slow).me().await {
            Ok(profile) => Ok(Some(seen_in(profile))),
            Err(error) if error.may_have_been_applied() => Err(format!("a look wrote: {error}")),
            Err(_) => Ok(None),
        }
    }

    /// Does it, and gives what was told of it, with the identifier of what was created.
    pub(super) async fn write(
        &self,
        chosen: Chosen,
        deed: &Deed,
        slow: bool,
    ) -> (Told, Option<String>) {
        if chosen == Chosen::Program {
            return told_by_program(&self.run(&arguments(deed), slow));
        }
        match carry_out(self.client(slow), deed).await {
            Ok(id) => (Told::Done, id),
            Err(error) if error.may_have_been_applied() => (Told::Unknown, None),
            Err(_) => (Told::NotDone, None),
        }
    }

    fn client(&self, slow: bool) -> &Client {
        match slow {
            true => &self.impatient,
            false => &self.patient,
        }
    }

    fn run(&self, arguments: &[&str], slow: bool) -> Run {
        let patience = match slow {
            true => IMPATIENT.as_secs_f64().to_string(),
            false => "30".to_owned(),
        };
        let settings = ["--json", "--yes", "--retries", "1", "--timeout", &patience];
        self.place.run(&[&settings, arguments].concat())
    }
}

/// Sends it through the SDK and gives the identifier of what was created.
async fn carry_out(client: &Client, deed: &Deed) -> Result<Option<String>, Error> {
    match deed {
        Deed::Create {
            kind: Kind::Link,
            text,
        } => {
            let link = NewLink::new(text, URL.parse().unwrap());
            let created = client.create_link(&link).await?;
            return Ok(created.and_then(|link| Some(link.id?.to_string())));
        }
        Deed::Create {
            kind: Kind::Post,
            text,
        } => {
            let created = client.create_post(text).await?;
            return Ok(created.and_then(|post| Some(post.id?.to_string())));
        }
        Deed::Rename { id, title } => {
            let id = LinkId::new(id).unwrap();
            let update = LinkUpdate::new().title(title);
            client.update_link(&id, &update).await?;
        }
        Deed::Delete {
            kind: Kind::Link,
            id,
        } => client.delete_link(&LinkId::new(id).unwrap()).await?,
        Deed::Delete {
            kind: Kind::Post,
            id,
        } => client.delete_post(&PostId::new(id).unwrap()).await?,
        Deed::Edit { field, value } => {
            client
                .update_profile(&update_of(FIELDS[*field], value))
                .await?;
        }
        Deed::Look => unreachable!("a look is no write"),
    }
    Ok(None)
}

fn update_of(field: &str, value: &str) -> ProfileUpdate {
    let update = ProfileUpdate::new();
    match field {
        "display_name" => update.display_name(value.parse().unwrap()),
        "bio" => update.bio(value.parse().unwrap()),
        "location" => update.location(value.parse().unwrap()),
        "accent_color" => update.accent_color(value.parse().unwrap()),
        "text_color" => update.text_color(value.parse().unwrap()),
        _ => update.background_color(value.parse().unwrap()),
    }
}

/// What a person would type.
fn arguments(deed: &Deed) -> Vec<&str> {
    match deed {
        Deed::Create {
            kind: Kind::Link,
            text,
        } => vec!["link", "add", "--title", text, "--url", URL],
        Deed::Create {
            kind: Kind::Post,
            text,
        } => vec!["post", "create", text],
        Deed::Rename { id, title } => vec!["link", "edit", id, "--title", title],
        Deed::Delete {
            kind: Kind::Link,
            id,
        } => vec!["link", "delete", id],
        Deed::Delete {
            kind: Kind::Post,
            id,
        } => vec!["post", "delete", id],
        Deed::Edit { field, value } => vec!["set", FLAGS[*field], value],
        Deed::Look => vec!["show"],
    }
}

/// The flags of the fields, in their order.
const FLAGS: [&str; FIELDS.len()] = [
    "--display-name",
    "--bio",
    "--location",
    "--accent-color",
    "--text-color",
    "--background-color",
];

fn told_by_program(run: &Run) -> (Told, Option<String>) {
    if run.succeeded() {
        let id = run.json()["id"].as_str().map(str::to_owned);
        return (Told::Done, id);
    }
    let hint = run.error()["hint"].as_str().unwrap_or_default().to_owned();
    match hint.contains("outcome is unknown") {
        true => (Told::Unknown, None),
        false => (Told::NotDone, None),
    }
}

fn seen_in(profile: Profile) -> Seen {
    let links = profile.links.unwrap_or_default().into_iter();
    let posts = profile.posts.unwrap_or_default().into_iter();
    Seen {
        fields: [
            profile.display_name,
            profile.bio,
            profile.location,
            profile.accent_color,
            profile.text_color,
            profile.background_color,
        ]
        .map(Option::unwrap_or_default)
        .into(),
        links: links.filter_map(|link| link.title).collect(),
        posts: posts.filter_map(|post| post.body).collect(),
    }
}

fn seen_in_json(profile: &Value) -> Seen {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let texts = |list: &Value, field: &str| {
        let items = list.as_array().unwrap().iter();
        items.map(|item| text(&item[field])).collect()
    };
    Seen {
        fields: FIELDS.map(|field| text(&profile[field])).into(),
        links: texts(&profile["links"], "title"),
        posts: texts(&profile["posts"], "body"),
    }
}
