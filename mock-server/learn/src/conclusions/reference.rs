//! The mock with the observed profile, which answers the same requests as the service.

use std::collections::BTreeMap;

use mock_server::dialect::MeFields;
use mock_server::{Dialect, ProfileField, RateLimit, Request, Scope, World, handle};
use reqwest::Method;
use serde_json::Value;

use super::views;
use crate::answer::Answer;
use crate::call::{Access, Call};
use crate::names::{Known, Names};
use crate::observations::Observations;
use crate::resource::KINDS;
use crate::steps::Step;

/// The responses of the mock.
pub(super) type Answers = BTreeMap<Step, Answer>;

/// A mock with the observed profile.
pub(super) struct Reference {
    world: World,
    key: String,
    names: Names,
    /// The requests that the service was asked, or could not be asked.
    asked: Vec<Step>,
}

impl Reference {
    pub(super) fn new(all: &Observations) -> Known<Self> {
        let me = all.me()?;
        let mut world = World::default();
        let own = me.at("/handle").and_then(Value::as_str).unwrap_or("demo");
        if let Some(other) = &all.other {
            world.add_account(other);
        }
        let has_scope = |scope: &Scope| views::scopes(me).contains(&scope.as_str());
        let scopes: Vec<_> = Scope::ALL.iter().copied().filter(has_scope).collect();
        let key = world.create_key(own, &scopes);
        fill(&mut world, own, me);
        Ok(Self {
            world,
            key,
            names: all.names.clone(),
            asked: all.asked(),
        })
    }

    /// Returns the responses under a dialect to these requests.
    pub(super) fn answers(&self, dialect: &Dialect, steps: &[Step]) -> Answers {
        let mut world = self.world.clone();
        world.set_dialect(dialect.clone());
        let mut names = self.names.clone();
        let mut answers = Answers::new();
        for step in &self.asked {
            let is_wanted = steps.contains(step);
            if *step == Step::RateLimited && is_wanted {
                answers.insert(*step, self.rate_limited(&world));
            }
            let Ok(call) = step.call(&names) else {
                continue;
            };
            // Later requests depend on writes.
            if is_wanted || call.method != Method::GET {
                answers.insert(*step, self.answer(&mut world, &call));
            }
            if call.method == Method::POST {
                self.find_created(&world, &mut names);
            }
        }
        answers
    }

    fn answer(&self, world: &mut World, call: &Call) -> Answer {
        let mut request = Request::new(call.method.as_str(), &format!("/api/v1{}", call.path));
        let key = match call.access {
            Access::Key => Some(self.key.as_str()),
            Access::WrongKey => Some("wrong"),
            Access::NoKey => None,
        };
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        if !call.body.is_empty() {
            request = request
                .header("Content-Type", call.content_type)
                .body(call.body.clone());
        }
        let reply = handle(world, &request);
        let headers = reply.headers.into_iter();
        let headers = headers.map(|(name, value)| (name.into_owned(), value.into_owned()));
        Answer::new(
            call.to_string(),
            reply.status,
            headers.collect(),
            &reply.body,
        )
    }

    fn rate_limited(&self, world: &World) -> Answer {
        let mut world = world.clone();
        let limit = RateLimit {
            limit: 0,
            ..RateLimit::default()
        };
        world.set_rate_limit(&self.key, limit);
        self.answer(&mut world, &Call::get("/me"))
    }

    /// Sets the ids of the created link and post, as they appear in paths under the dialect.
    fn find_created(&self, world: &World, names: &mut Names) {
        let mut world = world.clone();
        let mut dialect = world.dialect().clone();
        dialect.me_fields = MeFields::Full;
        world.set_dialect(dialect);
        let me = self.answer(&mut world, &Call::get("/me"));
        for kind in KINDS {
            if let Some(id) = kind.marked(&me, &names.mark).pop() {
                *(kind.id)(names) = Ok(id);
            }
        }
    }
}

/// Sets the profile, links and posts of an account to those in a response to `GET /me`.
fn fill(world: &mut World, own: &str, me: &Answer) {
    let account = world.add_account(own);
    account.links.clear();
    account.posts.clear();
    for kind in KINDS {
        let listed = kind.listed(me).into_iter().flatten();
        listed.for_each(|one| (kind.add)(world, own, one));
    }
    let account = world.add_account(own);
    for field in ProfileField::ALL {
        if let Some(Value::String(text)) = me.at(&format!("/{}", field.name())) {
            field.set(&mut account.profile, text);
        }
    }
    let badges = me.at("/badges").and_then(Value::as_array);
    account.badges = match badges.is_some_and(|badges| !badges.is_empty()) {
        true => vec!["early".to_owned()],
        false => Vec::new(),
    };
}
