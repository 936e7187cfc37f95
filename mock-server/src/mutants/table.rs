//! The table of mutants, in the order of the specification.

use std::sync::LazyLock;

use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::Change::{Delivery, Discard, FailureLimit, Field, Process, Reply, Request};
use super::{
    Mutant, accept_days, accept_missing_key, accept_one_more_character, accept_one_more_line,
    accept_unknown_key, add_devices, add_hash, change_date_format, delete_another,
    drop_unknown_fields, each, edit_fields, edit_number, ignore_scope, numbers_as_strings,
    read_another_profile, reject_maximum, remove, remove_envelope, store_rejected_edit,
};
use crate::engine::{Endpoint, FieldLimit, ProfileField, Scope};

const ENVELOPE: &str =
    "A response with data is an object with one field, `data`, that contains the data.";
const KEY: &str = "A key belongs to one account, the key owner.";
const BEARER: &str = "The caller sends the header `Authorization: Bearer <API_KEY>`.";
const EDIT_PROFILE: &str = "Changes fields of the profile. Requires `profile:write`.";
const ANY_FIELDS: &str =
    "The body is an object with any of the editable fields. Omitted fields keep their value.";
const UNKNOWN_FIELDS: &str = "A body with any other field is rejected as a whole.";
const ME: &str = "`GET /me` returns the public profile and three more fields";
const KEY_OBJECT: &str = "`key`: the scopes and the rate limit of the key";
const CREATE_LINK: &str =
    "Creates a link from a body with `title` and `url`. Requires `links:write`.";
const EDIT_LINK: &str =
    "Changes a link. The body has the same fields as the one of `POST /me/links`.";
const DELETE_LINK: &str = "Deletes a link. Requires `links:write`.";
const CREATE_POST: &str =
    "Creates a post from a body with the field `body`. Requires `social:write`.";
const DELETE_POST: &str = "Deletes a post of the key owner.";
const ANALYTICS: &str = "Returns the views, likes and social counts of the profile. Requires \
    `analytics:read`.";
const VIEW_STATISTICS: &str = "Returns the view statistics of a profile.";
const DAYS: &str = "The query parameter `days` sets the number of days: an integer, 1 to 365 for the \
    caller's own profile, and 1 to 30 for any other one; the default is 30.";
const TOTAL_VIEWS: &str = "`total_views`: integer: all views";
const PERIOD: &str = "`period`: object: `days` (the number of days) and `views` (the views in these \
    days), both integers";
const DAILY: &str = "`daily`: array of objects: `date` (`YYYY-MM-DD`) and `views` (integer)";
const DEVICES: &str = "`devices`: object: `desktop`, `mobile` and `tablet`, all integers";
const COUNTRIES: &str =
    "`countries`: array of objects: `code` (a country code) and `views` (integer)";
const OWN_STATISTICS: &str = "The key owner's own profile also has these:";
const BADGE: &str = "A badge has an `id`, a `name`, a `description`, a `color` (`#rrggbb`) and a \
    `kind`, all strings.";
const BADGES: &str = "Returns all badges as an array.";
const SITE_STATISTICS: &str = "`users`, `views` and `links`, all integers.";
const EVENT: &str = "`X-Service-Event` is the kind of the event.";
const SIGNATURE: &str = "`X-Service-Signature` is `sha256=` followed by the HMAC-SHA-256 of the body with \
    the secret of the webhook.";
const TURNED_OFF: &str = "A webhook is turned off after 10 consecutive failed deliveries.";
const COLORS: &str = "Colors have the format `#rrggbb`.";

const DAYS_OF_STATISTICS: (Endpoint, &str) = (Endpoint::ReadViewStatistics, "days=");

/// All mutants.
pub(super) static MUTANTS: LazyLock<Vec<Mutant>> =
    LazyLock::new(|| [OTHERS, &limits_of_fields()].concat());

/// Returns the mutants of the limits of profile fields.
fn limits_of_fields() -> Vec<Mutant> {
    let (mut rows, mut too_low) = (Vec::new(), None);
    for field in ProfileField::ALL {
        let FieldLimit::Text {
            max_characters: max,
            max_lines,
        } = field.limit()
        else {
            continue;
        };
        let row = |name: String, limit, change| {
            let name = format!("{}_{name}", field.name());
            let sentence = format!("`{}`: {}", field.name(), field.limit());
            Mutant(name.leak(), sentence.leak(), Field(field, limit, change))
        };
        let name = format!("of_{}_characters", max + 1);
        rows.push(row(name, max, accept_one_more_character));
        if let Some(max) = max_lines {
            let name = format!("of_{}_lines", max + 1);
            rows.push(row(name, max, accept_one_more_line));
        }
        // For one field.
        let name = format!("below_{max}_characters");
        too_low.get_or_insert_with(|| row(name, max, reject_maximum));
    }
    rows.extend(too_low);
    rows
}

/// The mutants except those of the limits of profile fields.
#[rustfmt::skip]
static OTHERS: &[Mutant] = &[
    Mutant("no_data_envelope", ENVELOPE, Process(remove_envelope)),
    Mutant("unknown_key_accepted", KEY, Request(accept_unknown_key)),
    Mutant("profile_edit_not_stored", EDIT_PROFILE, Discard(Endpoint::EditProfile)),
    Mutant("link_not_created", CREATE_LINK, Discard(Endpoint::CreateLink)),
    Mutant("link_edit_not_stored", EDIT_LINK, Discard(Endpoint::EditLink)),
    Mutant("post_not_created", CREATE_POST, Discard(Endpoint::CreatePost)),
    Mutant("statistics_of_another_profile", VIEW_STATISTICS, Request(read_another_profile)),

    Mutant("key_with_foreign_scopes", KEY_OBJECT,
        Reply(Endpoint::ReadMe, |me| me["key"]["scopes"] = json!(Scope::ALL))),
    Mutant("badge_without_kind", BADGE,
        Reply(Endpoint::ListBadges, |all| each(all, "", |badge| remove(badge, "kind")))),
    Mutant("badge_without_description", BADGE,
        Reply(Endpoint::ListBadges, |all| each(all, "", |badge| remove(badge, "description")))),
    Mutant("badge_color_without_hash", BADGE,
        Reply(Endpoint::ListBadges, |badges| each(badges, "", |badge| {
            badge["color"] = badge["color"].as_str().map(|color| &color[1..]).into();
        }))),
    Mutant("total_views_missing", TOTAL_VIEWS,
        Reply(Endpoint::ReadViewStatistics, |statistics| remove(statistics, "total_views"))),
    Mutant("period_counts_all_views", PERIOD,
        Reply(Endpoint::ReadViewStatistics, |data| {
            data["period"]["views"] = data["total_views"].clone();
        })),
    Mutant("date_format", DAILY, Reply(Endpoint::ReadViewStatistics, change_date_format)),
    Mutant("device_counts_as_strings", DEVICES,
        Reply(Endpoint::ReadViewStatistics, |data| numbers_as_strings(data, "/devices"))),
    Mutant("country_without_code", COUNTRIES,
        Reply(Endpoint::ReadViewStatistics, |data| each(data, "/countries", |country| {
            country["code"] = Value::Null;
        }))),
    Mutant("site_counters_as_strings", SITE_STATISTICS,
        Reply(Endpoint::ReadSiteStatistics, |site| numbers_as_strings(site, ""))),
    Mutant("site_without_links", SITE_STATISTICS,
        Reply(Endpoint::ReadSiteStatistics, |site| remove(site, "links"))),

    Mutant("me_without_display_name", ME, Reply(Endpoint::ReadMe, |me| remove(me, "display_name"))),
    Mutant("me_without_email", ME, Reply(Endpoint::ReadMe, |me| remove(me, "email"))),
    Mutant("me_without_api_visible", ME, Reply(Endpoint::ReadMe, |me| remove(me, "api_visible"))),
    Mutant("key_without_scopes", ME,
        Reply(Endpoint::ReadMe, |me| remove(&mut me["key"], "scopes"))),
    Mutant("key_without_rate_limit", ME,
        Reply(Endpoint::ReadMe, |me| remove(&mut me["key"], "rate_limit"))),
    Mutant("edit_clears_other_fields", ANY_FIELDS,
        Request(|_, request| edit_fields(request, Endpoint::EditProfile, |fields| {
            fields.entry("location").or_insert_with(|| json!(""));
        }))),
    Mutant("edit_changes_another_field", ANY_FIELDS,
        Request(|_, request| edit_fields(request, Endpoint::EditProfile, |fields| {
            if let Some(color) = fields.remove("text_color") {
                fields.insert("accent_color".to_owned(), color);
            }
        }))),
    Mutant("profile_write_not_enforced", EDIT_PROFILE,
        Request(|world, request| ignore_scope(world, request, Scope::ProfileWrite))),
    Mutant("analytics_without_likes", ANALYTICS,
        Reply(Endpoint::ReadAnalytics, |analytics| remove(analytics, "likes"))),
    Mutant("analytics_read_not_enforced", ANALYTICS,
        Request(|world, request| ignore_scope(world, request, Scope::AnalyticsRead))),
    Mutant("link_title_not_stored", CREATE_LINK,
        Request(|_, request| edit_fields(request, Endpoint::CreateLink, |fields| {
            fields.insert("title".to_owned(), json!(""));
        }))),
    Mutant("links_write_not_enforced", CREATE_LINK,
        Request(|world, request| ignore_scope(world, request, Scope::LinksWrite))),
    Mutant("link_not_deleted", DELETE_LINK, Discard(Endpoint::DeleteLink)),
    Mutant("wrong_link_deleted", DELETE_LINK,
        Request(|world, request| delete_another(Endpoint::DeleteLink, world, request, |account| {
            account.links.iter().map(|link| &link.id).collect()
        }))),
    Mutant("post_body_not_stored", CREATE_POST,
        Request(|_, request| edit_fields(request, Endpoint::CreatePost, |fields| {
            fields.insert("body".to_owned(), json!(""));
        }))),
    Mutant("social_write_not_enforced", CREATE_POST,
        Request(|world, request| ignore_scope(world, request, Scope::SocialWrite))),
    Mutant("post_not_deleted", DELETE_POST, Discard(Endpoint::DeletePost)),
    Mutant("wrong_post_deleted", DELETE_POST,
        Request(|world, request| delete_another(Endpoint::DeletePost, world, request, |account| {
            account.posts.iter().map(|post| &post.id).collect()
        }))),
    Mutant("days_ignored", DAYS, Request(|_, request| edit_number(DAYS_OF_STATISTICS, request, |_| None))),
    Mutant("days_off_by_one", DAYS,
        Request(|_, request| edit_number(DAYS_OF_STATISTICS, request, |days| match days {
            Some(days @ 2..=365) => Some(days - 1),
            other => other,
        }))),
    Mutant("owner_without_devices", OWN_STATISTICS,
        Reply(Endpoint::ReadViewStatistics, |statistics| remove(statistics, "devices"))),
    Mutant("owner_without_countries", OWN_STATISTICS,
        Reply(Endpoint::ReadViewStatistics, |statistics| remove(statistics, "countries"))),
    Mutant("devices_of_other_profiles", OWN_STATISTICS,
        Reply(Endpoint::ReadViewStatistics, add_devices)),
    Mutant("badges_as_object", BADGES,
        Reply(Endpoint::ListBadges, |badges| *badges = json!({"badges": badges.take()}))),

    Mutant("missing_key_accepted", BEARER, Request(accept_missing_key)),

    Mutant("no_event_header", EVENT,
        Delivery(|headers, _| drop(headers.remove("x-service-event")))),
    Mutant("wrong_event_header", EVENT,
        Delivery(|headers, _| set(headers, "x-service-event", "profile.viewed"))),
    Mutant("no_signature", SIGNATURE,
        Delivery(|headers, _| drop(headers.remove("x-service-signature")))),
    Mutant("signature_without_prefix", SIGNATURE, Delivery(|headers, _| {
        let signature = headers.get("x-service-signature").and_then(|value| value.to_str().ok());
        let digest = signature.unwrap_or_default().replacen("sha256=", "", 1);
        set(headers, "x-service-signature", &digest);
    })),
    Mutant("signature_of_another_body", SIGNATURE, Delivery(|_, body| body.push(b' '))),
    Mutant("webhook_off_after_9_failures", TURNED_OFF, FailureLimit(9)),
    Mutant("webhook_off_after_11_failures", TURNED_OFF, FailureLimit(11)),
    Mutant("webhook_never_off", TURNED_OFF, FailureLimit(u32::MAX)),

    Mutant("unknown_field_ignored", UNKNOWN_FIELDS, Request(drop_unknown_fields)),
    Mutant("rejected_edit_stored", UNKNOWN_FIELDS, Process(store_rejected_edit)),

    Mutant("color_without_hash", COLORS, Request(add_hash)),
    Mutant("31_days_of_other_profiles", DAYS,
        Process(|world, request, now| accept_days(31, 30, world, request, now))),
    Mutant("366_days_of_own_profile", DAYS,
        Process(|world, request, now| accept_days(366, 365, world, request, now))),
    Mutant("0_days", DAYS,
        Process(|world, request, now| accept_days(0, 1, world, request, now))),
    Mutant("default_of_7_days", DAYS,
        Request(|_, request| edit_number(DAYS_OF_STATISTICS, request, |days| days.or(Some(7))))),
];

fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
