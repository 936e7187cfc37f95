//! The table of mutants, in the order of the specification.

use std::borrow::Cow;
use std::sync::LazyLock;

use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::changes::Change::{self, Delivery, FailureLimit, Field, Process, Reply, Request};
use super::changes::{
    accept_days, accept_missing_key, accept_one_more_character, accept_one_more_line,
    accept_unknown_key, add_devices, add_hash, change_date_format, data_of, delete_another,
    discard, drop_unknown_fields, each, edit_days, edit_fields, ignore_scope, numbers_as_strings,
    read_another_profile, reject_maximum, remove, store_rejected_edit,
};
use crate::engine::{self, Endpoint, FieldLimit, ProfileField, Scope};

const ENVELOPE: &str = "Responses that carry data wrap it in an object with a single top-level \
    field `data`.";
const KEY: &str = "A caller uses an API key that belongs to one account (the key owner).";
const BEARER: &str = "The caller sends the header `Authorization: Bearer <API_KEY>`.";
const READ_AND_EDIT: &str = "read and edit the key owner's profile;";
const LINKS: &str = "create, edit and delete the owner's links;";
const POSTS: &str = "create and delete the owner's posts;";
const OPTIONAL: &str = "Request body: JSON object; every field optional";
const UNKNOWN_FIELDS: &str = "PATCH /me/profile with a field that is not in the list of editable \
    fields is rejected as a whole (unknown fields are never ignored).";
const ME: &str = "Response: `data` holds the full profile plus email, api_visible and key (scopes and \
    rate limit).";
const KEY_OBJECT: &str = "key: object describing the calling key: its scopes and its rate limit";
const LINK_BODY: &str = "Request body: JSON object with title (string) and url (string).";
const POST_BODY: &str = "Request body: JSON object with body (string).";
const SOCIAL_SCOPE: &str =
    "Required scope: social:write (stated for the post operations as a group).";
const REMOVES_LINK: &str = "Removes the link.";
const REMOVES_POST: &str = "Removes one of the key owner's posts.";
const ANALYTICS: &str = "Returns views, likes and social counts for the key owner's profile.";
const DAYS: &str = "days: integer: 1 to 30 for other profiles; 1 to 365 for the caller's own profile; \
    default 30";
const PERIOD: &str = "period: object: fields: days (integer, the window used), views (integer, views \
    within the window)";
const DAILY: &str =
    "daily: array of objects: each has date (string, YYYY-MM-DD) and views (integer)";
const DEVICES: &str = "devices: object: integer counts keyed desktop, mobile, tablet";
const COUNTRIES: &str = "countries: array of objects: each has code (string, country code) and views \
    (integer)";
const OWN_STATISTICS: &str = "Devices and countries are for the caller's own profile; the own-profile \
    response contains total_views, period, daily, devices, countries.";
const BADGES: &str = "Response: `data` is an array of badge objects.";
const EVENT: &str = "X-Service-Event: the event kind";
const SIGNATURE: &str = "X-Service-Signature: `sha256=` plus the HMAC of the body with the webhook \
    secret";
const TURNED_OFF: &str = "A webhook is turned off after 10 failed deliveries in a row.";

const ALL: &[Endpoint] = Endpoint::ALL;
const READ_ME: &[Endpoint] = &[Endpoint::ReadMe];
const STATISTICS: &[Endpoint] = &[Endpoint::ReadViewStatistics];
const ANALYTICS_ONLY: &[Endpoint] = &[Endpoint::ReadAnalytics];
const LIST_BADGES: &[Endpoint] = &[Endpoint::ListBadges];
const SITE: &[Endpoint] = &[Endpoint::ReadSiteStatistics];

/// A row of the table.
pub(super) struct Row {
    pub(super) name: Cow<'static, str>,
    pub(super) sentence: Cow<'static, str>,
    pub(super) change: Change,
}

const fn mutant(name: &'static str, sentence: &'static str, change: Change) -> Row {
    Row {
        name: Cow::Borrowed(name),
        sentence: Cow::Borrowed(sentence),
        change,
    }
}

/// All mutants.
pub(super) static MUTANTS: LazyLock<Vec<&Row>> =
    LazyLock::new(|| ROWS.iter().chain(LIMITS_OF_FIELDS.iter()).collect());

static LIMITS_OF_FIELDS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let fields = ProfileField::ALL;
    let too_low = fields.first().and_then(maximum_rejected);
    let limits = fields.iter().flat_map(maximum_exceeded);
    limits.chain(too_low).collect()
});

/// Returns the mutants that accept one character or one line more than the limit of a field.
fn maximum_exceeded(field: &'static ProfileField) -> Vec<Row> {
    let FieldLimit::Text {
        max_characters,
        max_lines,
    } = field.limit()
    else {
        return Vec::new();
    };
    let name = field.name();
    let characters = limit_of_field(
        format!("{name}_of_{}_characters", max_characters + 1),
        field,
        accept_one_more_character,
    );
    let lines = max_lines.map(|max| {
        let name = format!("{name}_of_{}_lines", max + 1);
        limit_of_field(name, field, accept_one_more_line)
    });
    [characters].into_iter().chain(lines).collect()
}

/// Returns the mutant that rejects a text of the maximum length.
fn maximum_rejected(field: &'static ProfileField) -> Option<Row> {
    match field.limit() {
        FieldLimit::Text { max_characters, .. } => Some(limit_of_field(
            format!("{}_below_{max_characters}_characters", field.name()),
            field,
            reject_maximum,
        )),
        FieldLimit::Color => None,
    }
}

fn limit_of_field(
    name: String,
    field: &'static ProfileField,
    change: fn(&mut engine::Request, &ProfileField),
) -> Row {
    Row {
        name: name.into(),
        sentence: format!("{}: {}", field.name(), field.limit()).into(),
        change: Field(field, change),
    }
}

/// The mutants except those of the limits of profile fields.
#[rustfmt::skip]
static ROWS: &[Row] = &[
    mutant("no_data_envelope", ENVELOPE,
        Reply(ALL, |body| *body = body["data"].take())),
    mutant("unknown_key_accepted", KEY, Request(accept_unknown_key)),
    mutant("profile_edit_not_stored", READ_AND_EDIT,
        Process(|world, request, now| discard(Endpoint::EditProfile, world, request, now))),
    mutant("link_not_created", LINKS,
        Process(|world, request, now| discard(Endpoint::CreateLink, world, request, now))),
    mutant("link_edit_not_stored", LINKS,
        Process(|world, request, now| discard(Endpoint::EditLink, world, request, now))),
    mutant("post_not_created", POSTS,
        Process(|world, request, now| discard(Endpoint::CreatePost, world, request, now))),
    mutant("statistics_of_another_profile", "read view statistics for a profile;",
        Request(|_, request| read_another_profile(request))),

    mutant("key_with_foreign_scopes", KEY_OBJECT,
        Reply(READ_ME, |body| data_of(body)["key"]["scopes"] = json!(Scope::ALL))),
    mutant("badge_without_kind", "kind: string: allowed value known: auto",
        Reply(LIST_BADGES, |body| remove_from_each(body, "kind"))),
    mutant("badge_without_description", "description: string: text",
        Reply(LIST_BADGES, |body| remove_from_each(body, "description"))),
    mutant("badge_color_without_hash", "color: string: #rrggbb",
        Reply(LIST_BADGES, |body| each(body, "", |badge| {
            badge["color"] = badge["color"].as_str().map(|color| &color[1..]).into();
        }))),
    mutant("total_views_missing", "total_views: integer: all-time views",
        Reply(STATISTICS, |body| remove(body, "", "total_views"))),
    mutant("period_counts_all_views", PERIOD,
        Reply(STATISTICS, |body| {
            let data = data_of(body);
            data["period"]["views"] = data["total_views"].clone();
        })),
    mutant("date_format", DAILY, Reply(STATISTICS, change_date_format)),
    mutant("device_counts_as_strings", DEVICES,
        Reply(STATISTICS, |body| numbers_as_strings(body, "/devices"))),
    mutant("country_without_code", COUNTRIES,
        Reply(STATISTICS, |body| each(body, "/countries", |country| country["code"] = Value::Null))),
    mutant("site_counters_as_strings", "users: integer",
        Reply(SITE, |body| numbers_as_strings(body, ""))),
    mutant("site_without_links", "links: integer",
        Reply(SITE, |body| remove(body, "", "links"))),

    mutant("me_without_display_name", ME,
        Reply(READ_ME, |body| remove(body, "", "display_name"))),
    mutant("me_without_email", ME, Reply(READ_ME, |body| remove(body, "", "email"))),
    mutant("me_without_api_visible", ME,
        Reply(READ_ME, |body| remove(body, "", "api_visible"))),
    mutant("key_without_scopes", ME,
        Reply(READ_ME, |body| remove(body, "/key", "scopes"))),
    mutant("key_without_rate_limit", ME,
        Reply(READ_ME, |body| remove(body, "/key", "rate_limit"))),
    mutant("edit_clears_other_fields", OPTIONAL,
        Request(|_, request| edit_fields(request, Endpoint::EditProfile, |fields| {
            fields.entry("location").or_insert_with(|| json!(""));
        }))),
    mutant("edit_changes_another_field", OPTIONAL,
        Request(|_, request| edit_fields(request, Endpoint::EditProfile, |fields| {
            if let Some(color) = fields.remove("text_color") {
                fields.insert("accent_color".to_owned(), color);
            }
        }))),
    mutant("profile_write_not_enforced", "Required scope: profile:write.",
        Request(|world, request| ignore_scope(world, request, Scope::ProfileWrite))),
    mutant("analytics_without_likes", ANALYTICS,
        Reply(ANALYTICS_ONLY, |body| remove(body, "", "likes"))),
    mutant("analytics_read_not_enforced", "Required scope: analytics:read.",
        Request(|world, request| ignore_scope(world, request, Scope::AnalyticsRead))),
    mutant("link_title_not_stored", LINK_BODY,
        Request(|_, request| edit_fields(request, Endpoint::CreateLink, |fields| {
            fields.insert("title".to_owned(), json!(""));
        }))),
    mutant("links_write_not_enforced", "Required scope: links:write.",
        Request(|world, request| ignore_scope(world, request, Scope::LinksWrite))),
    mutant("link_not_deleted", REMOVES_LINK,
        Process(|world, request, now| discard(Endpoint::DeleteLink, world, request, now))),
    mutant("wrong_link_deleted", REMOVES_LINK,
        Request(|world, request| delete_another(Endpoint::DeleteLink, world, request, |account| {
            account.links.iter().map(|link| &link.id).collect()
        }))),
    mutant("post_body_not_stored", POST_BODY,
        Request(|_, request| edit_fields(request, Endpoint::CreatePost, |fields| {
            fields.insert("body".to_owned(), json!(""));
        }))),
    mutant("social_write_not_enforced", SOCIAL_SCOPE,
        Request(|world, request| ignore_scope(world, request, Scope::SocialWrite))),
    mutant("post_not_deleted", REMOVES_POST,
        Process(|world, request, now| discard(Endpoint::DeletePost, world, request, now))),
    mutant("wrong_post_deleted", REMOVES_POST,
        Request(|world, request| delete_another(Endpoint::DeletePost, world, request, |account| {
            account.posts.iter().map(|post| &post.id).collect()
        }))),
    mutant("days_ignored", DAYS, Request(|_, request| edit_days(request, |_| None))),
    mutant("days_off_by_one", DAYS,
        Request(|_, request| edit_days(request, |days| match days {
            Some(days @ 2..=365) => Some(days - 1),
            other => other,
        }))),
    mutant("owner_without_devices", OWN_STATISTICS,
        Reply(STATISTICS, |body| remove(body, "", "devices"))),
    mutant("owner_without_countries", OWN_STATISTICS,
        Reply(STATISTICS, |body| remove(body, "", "countries"))),
    mutant("devices_of_other_profiles", OWN_STATISTICS, Reply(STATISTICS, add_devices)),
    mutant("badges_as_object", BADGES,
        Reply(LIST_BADGES, |body| {
            let badges = body["data"].take();
            body["data"] = json!({"badges": badges});
        })),

    mutant("missing_key_accepted", BEARER, Request(accept_missing_key)),

    mutant("no_event_header", EVENT,
        Delivery(|headers, _| drop(headers.remove("x-service-event")))),
    mutant("wrong_event_header", EVENT,
        Delivery(|headers, _| set(headers, "x-service-event", "profile.viewed"))),
    mutant("no_signature", SIGNATURE,
        Delivery(|headers, _| drop(headers.remove("x-service-signature")))),
    mutant("signature_without_prefix", SIGNATURE, Delivery(|headers, _| {
        let signature = headers.get("x-service-signature").and_then(|value| value.to_str().ok());
        let digest = signature.unwrap_or_default().replacen("sha256=", "", 1);
        set(headers, "x-service-signature", &digest);
    })),
    mutant("signature_of_another_body", SIGNATURE, Delivery(|_, body| body.push(b' '))),
    mutant("webhook_off_after_9_failures", TURNED_OFF, FailureLimit(9)),
    mutant("webhook_off_after_11_failures", TURNED_OFF, FailureLimit(11)),
    mutant("webhook_never_off", TURNED_OFF, FailureLimit(u32::MAX)),

    mutant("unknown_field_ignored", UNKNOWN_FIELDS,
        Request(|_, request| drop_unknown_fields(request))),
    mutant("rejected_edit_stored", UNKNOWN_FIELDS, Process(store_rejected_edit)),

    mutant("color_without_hash", "colours: format #rrggbb",
        Request(|_, request| ProfileField::ALL.iter().for_each(|field| add_hash(request, field)))),
    mutant("31_days_of_other_profiles", "days on other profiles: 1 to 30",
        Process(|world, request, now| accept_days(31, 30, world, request, now))),
    mutant("366_days_of_own_profile", "days on own profile: 1 to 365",
        Process(|world, request, now| accept_days(366, 365, world, request, now))),
    mutant("0_days", "days on own profile: 1 to 365",
        Process(|world, request, now| accept_days(0, 1, world, request, now))),
    mutant("default_of_7_days", "days default: 30",
        Request(|_, request| edit_days(request, |days| days.or(Some(7))))),
];

fn remove_from_each(body: &mut Value, field: &str) {
    each(body, "", |item| {
        if let Value::Object(fields) = item {
            fields.remove(field);
        }
    });
}

fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
