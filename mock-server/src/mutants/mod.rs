//! Mutants: services that break one sentence of the specification each, to test the test suite of a
//! client. A mutant changes requests, replies or deliveries; the engine does not depend on it.

mod table;

use http::HeaderMap;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use self::table::MUTANTS;
use crate::engine::{
    Account, BASE_PATH, Endpoint, FieldLimit, ProblemKind, Processed, ProfileField, Request, Scope,
    World, id_in_path, process, route,
};

/// A service that breaks one sentence of the specification. `mock-server mutants` runs the test suite
/// of a client against each mutant: a suite that still passes does not test the sentence.
///
/// ```
/// use mock_server::{Mutant, World, Worlds};
///
/// let mutant = Mutant::all().find(|mutant| mutant.name() == "me_without_email").unwrap();
/// assert!(mutant.sentence().starts_with("`GET /me` returns the public profile"));
/// let mut worlds = Worlds::in_memory(World::default());
/// worlds.set_mutant(mutant);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Mutant(&'static str, &'static str, Change);

impl Mutant {
    /// Returns all mutants, in the order of the specification.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        MUTANTS.iter().copied()
    }

    /// Returns the name, in snake case.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns the sentence of the specification that the mutant breaks. Rows of tables are quoted as
    /// `first column: other columns`.
    pub fn sentence(self) -> &'static str {
        self.1
    }

    /// Handles a request in place of the engine.
    pub(crate) fn process(self, world: &mut World, request: &Request, now: Timestamp) -> Processed {
        let mut request = request.clone();
        match self.2 {
            Change::Request(change) => change(world, &mut request),
            Change::Field(field, limit, change) => {
                edit_profile_field(&mut request, field, |text| change(text, limit));
            }
            Change::Discard(endpoint) if is(&request, endpoint) => {
                return process(&mut world.clone(), &request, now);
            }
            Change::Process(process) => return process(world, request, now),
            Change::Discard(_)
            | Change::Reply(..)
            | Change::Delivery(_)
            | Change::FailureLimit(_) => {}
        }
        let mut processed = process(world, &request, now);
        if let Change::Reply(endpoint, change) = self.2
            && processed.endpoint == Some(endpoint)
        {
            edit_data(&mut processed, change);
        }
        processed
    }

    /// Changes the headers and the body of a delivery.
    pub(crate) fn change_delivery(self, headers: &mut HeaderMap, body: &mut Vec<u8>) {
        if let Change::Delivery(change) = self.2 {
            change(headers, body);
        }
    }

    /// Returns the number of failures in a row that turns the webhook off, if the mutant changes it.
    pub(crate) fn failure_limit(self) -> Option<u32> {
        let Change::FailureLimit(limit) = self.2 else {
            return None;
        };
        Some(limit)
    }
}

/// The change that a mutant makes.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// Changes requests before the engine handles them.
    Request(fn(&World, &mut Request)),
    /// Changes the value of a field in edits of the profile, given the value and a limit of the field.
    /// The function returns `None` to keep a value.
    Field(
        &'static ProfileField,
        usize,
        fn(&str, usize) -> Option<String>,
    ),
    /// Answers requests to this endpoint as usual, but does not change the world.
    Discard(Endpoint),
    /// Changes the data of successful replies of this endpoint.
    Reply(Endpoint, fn(&mut Value)),
    /// Handles requests in place of the engine.
    Process(fn(&mut World, Request, Timestamp) -> Processed),
    /// Changes the headers and the body of a delivery before it is sent.
    Delivery(fn(&mut HeaderMap, &mut Vec<u8>)),
    /// Turns the webhook off after this number of failures in a row.
    FailureLimit(u32),
}

/// The account of the generated keys.
const OWNER: &str = "demo";

fn is(request: &Request, endpoint: Endpoint) -> bool {
    route(request).is_ok_and(|(routed, _)| routed == endpoint)
}

/// Changes the JSON object in the body.
fn edit_fields(
    request: &mut Request,
    endpoint: Endpoint,
    change: impl FnOnce(&mut Map<String, Value>),
) {
    if is(request, endpoint)
        && let Ok(mut fields) = serde_json::from_slice(&request.body)
    {
        change(&mut fields);
        request.body = Value::Object(fields).to_string().into_bytes();
    }
}

/// Changes a field of an edit of the profile. `change` returns `None` to keep a value.
fn edit_profile_field(
    request: &mut Request,
    field: &ProfileField,
    change: impl FnOnce(&str) -> Option<String>,
) {
    edit_fields(request, Endpoint::EditProfile, |fields| {
        let text = fields.get(field.name()).and_then(Value::as_str);
        if let Some(new) = text.and_then(change) {
            fields.insert(field.name().to_owned(), new.into());
        }
    });
}

/// Accepts one character too many: the last one is dropped before the engine counts.
fn accept_one_more_character(text: &str, limit: usize) -> Option<String> {
    (text.chars().count() == limit + 1).then(|| text.chars().take(limit).collect())
}

/// Accepts one line too many: the first line break is replaced before the engine counts.
fn accept_one_more_line(text: &str, limit: usize) -> Option<String> {
    (text.matches('\n').count() == limit).then(|| text.replacen('\n', " ", 1))
}

/// Rejects a text of the maximum length.
fn reject_maximum(text: &str, limit: usize) -> Option<String> {
    (text.chars().count() == limit).then(|| format!("{text}+"))
}

/// Accepts colors without `#`.
fn add_hash(_: &World, request: &mut Request) {
    let fields = ProfileField::ALL.iter();
    for color in fields.filter(|field| field.limit() == FieldLimit::Color) {
        edit_profile_field(request, color, |text| {
            (!text.starts_with('#')).then(|| format!("#{text}"))
        });
    }
}

/// Removes the fields of an edit that the profile does not have.
fn drop_unknown_fields(_: &World, request: &mut Request) {
    edit_fields(request, Endpoint::EditProfile, |fields| {
        fields.retain(|name, _| ProfileField::NAMES.contains(&name.as_str()));
    });
}

/// Stores the valid part of an edit that is rejected.
fn store_rejected_edit(world: &mut World, mut request: Request, now: Timestamp) -> Processed {
    let processed = process(world, &request, now);
    if processed.rejection == Some(ProblemKind::UnknownField) {
        drop_unknown_fields(world, &mut request);
        process(world, &request, now);
    }
    processed
}

/// Replaces the ID in the path of a deletion with another ID of the account.
fn delete_another(
    endpoint: Endpoint,
    world: &World,
    request: &mut Request,
    ids: fn(&Account) -> Vec<&String>,
) {
    let Some(account) = world.account(OWNER).filter(|_| is(request, endpoint)) else {
        return;
    };
    let ids = ids(account).into_iter();
    let ids: Vec<_> = ids.map(|id| id_in_path(world.dialect(), id)).collect();
    if let Some((path, id)) = request.path.rsplit_once('/')
        && ids.iter().any(|known| *known == id)
        && let Some(other) = ids.iter().find(|known| **known != id)
    {
        request.path = format!("{path}/{other}");
    }
}

/// Accepts any known key for the operations that require `scope`.
fn ignore_scope(world: &World, request: &mut Request, scope: Scope) {
    let needs_scope = route(request).is_ok_and(|(endpoint, _)| endpoint.scope() == Some(scope));
    if needs_scope && request.key().is_some_and(|key| world.has_key(key)) {
        set_key(world, request);
    }
}

fn accept_missing_key(world: &World, request: &mut Request) {
    if request.authorization().is_none() {
        set_key(world, request);
    }
}

fn accept_unknown_key(world: &World, request: &mut Request) {
    if request.key().is_some_and(|key| !world.has_key(key)) {
        set_key(world, request);
    }
}

fn set_key(world: &World, request: &mut Request) {
    let is_other = |name: &str| !name.eq_ignore_ascii_case("authorization");
    request.headers.retain(|(name, _)| is_other(name));
    let value = format!("Bearer {}", world.keys().all);
    request.headers.push(("authorization".into(), value));
}

/// Changes the number in a query parameter of an endpoint, such as `days=`; `None` stands for a missing one.
fn edit_number(
    (endpoint, name): (Endpoint, &str),
    request: &mut Request,
    change: fn(Option<u16>) -> Option<u16>,
) {
    if is(request, endpoint) {
        let query = request.query.take().unwrap_or_default();
        let number = query.strip_prefix(name).and_then(|n| n.parse().ok());
        request.query = change(number).map(|number| format!("{name}{number}"));
    }
}

/// Accepts a number of days that is out of range. The reply is that for `accepted` days, with as many
/// days as requested.
fn accept_days(
    requested: u16,
    accepted: u16,
    world: &mut World,
    mut request: Request,
    now: Timestamp,
) -> Processed {
    let query = Some(format!("days={requested}"));
    let processed = process(world, &request, now);
    if processed.rejection != Some(ProblemKind::OutOfRange) || request.query != query {
        return processed;
    }
    request.query = Some(format!("days={accepted}"));
    let mut processed = process(world, &request, now);
    edit_data(&mut processed, |data| {
        data["period"]["days"] = requested.into();
        if let Some(daily) = data["daily"].as_array_mut() {
            let first = daily.first().cloned().unwrap_or_default();
            daily.resize(requested.into(), first);
        }
    });
    processed
}

/// Reads the statistics of another profile than the one in the path.
fn read_another_profile(_: &World, request: &mut Request) {
    if is(request, Endpoint::ReadViewStatistics) {
        let own = format!("/{OWNER}/");
        request.path = match request.path.contains(&own) {
            true => request.path.replace(&own, "/grace/"),
            false => format!("{BASE_PATH}/users/{OWNER}/stats"),
        };
    }
}

/// Returns data without an envelope.
fn remove_envelope(world: &mut World, request: Request, now: Timestamp) -> Processed {
    let mut processed = process(world, &request, now);
    edit_body(&mut processed, |body| *body = body["data"].take());
    processed
}

/// Changes the body of a successful reply.
fn edit_body(processed: &mut Processed, change: impl FnOnce(&mut Value)) {
    if let 200..=299 = processed.reply.status
        && let Ok(mut body) = serde_json::from_slice(&processed.reply.body)
    {
        change(&mut body);
        processed.reply.body = body.to_string().into_bytes();
    }
}

fn edit_data(processed: &mut Processed, change: impl FnOnce(&mut Value)) {
    edit_body(processed, |body| change(&mut body["data"]));
}

/// Removes a field of an object.
fn remove(object: &mut Value, field: &str) {
    if let Value::Object(fields) = object {
        fields.remove(field);
    }
}

/// Changes the objects of the array at a JSON pointer.
fn each(data: &mut Value, pointer: &str, change: impl FnMut(&mut Value)) {
    if let Some(Value::Array(items)) = data.pointer_mut(pointer) {
        items.iter_mut().for_each(change);
    }
}

/// Turns the numbers of the object at a JSON pointer into strings.
fn numbers_as_strings(data: &mut Value, pointer: &str) {
    if let Some(Value::Object(fields)) = data.pointer_mut(pointer) {
        for value in fields.values_mut() {
            *value = json!(value.to_string());
        }
    }
}

/// Writes the dates of the daily views as DD.MM.YYYY.
fn change_date_format(statistics: &mut Value) {
    each(statistics, "/daily", |day| {
        let date = day["date"].as_str().unwrap_or_default();
        let parts: Vec<_> = date.rsplit('-').collect();
        day["date"] = json!(parts.join("."));
    });
}

/// Adds the devices to statistics that leave them out.
fn add_devices(statistics: &mut Value) {
    if statistics["devices"].is_null() {
        let views = statistics["period"]["views"].clone();
        statistics["devices"] = json!({"desktop": views, "mobile": 0, "tablet": 0});
    }
}
