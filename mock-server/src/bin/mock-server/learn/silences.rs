//! The table of the silences of the specification, in its order.

use super::finding::Found;
use super::findings::writes::compare;
use super::findings::{
    deliveries, error_bodies, extra_fields, me, rate_limits, rejections, statistics, writes,
};
use super::observations::Observations;
use super::observations::Step::{
    BioElevenLinesCr, BioTenLines, BioTenLinesCrLf, BioTrailingBreak, CreateLinkWithoutUrl,
    EditLink, EditLinkEmpty, EditLinkRelativeUrl, Location, Location40, LocationCombined,
    LocationNull, LocationNumber, LocationRepeated, LocationTwoBytes, LocationTwoUnits,
};

/// A silence of the specification.
pub(super) struct Silence {
    pub(super) question: &'static str,
    /// The setting of the dialect, if the mock has one.
    pub(super) setting: Option<&'static str>,
    pub(super) find: fn(&Observations) -> Found,
}

const fn setting(
    setting: &'static str,
    question: &'static str,
    find: fn(&Observations) -> Found,
) -> Silence {
    Silence {
        question,
        setting: Some(setting),
        find,
    }
}

const fn fixed(question: &'static str, find: fn(&Observations) -> Found) -> Silence {
    Silence {
        question,
        setting: None,
        find,
    }
}

fn never(_: &Observations) -> Found {
    Err("no request shows it".to_owned())
}

#[rustfmt::skip]
pub(super) const SILENCES: [Silence; 43] = [
    setting("api_visible", "type of api_visible", me::api_visible),
    setting("key_object", "fields of key", me::key_object),
    setting("key_scopes", "type of key.scopes", me::key_scopes),
    setting("key_rate_limit", "type of key.rate_limit", me::key_rate_limit),
    setting("me_fields", "fields of GET /me", me::me_fields),
    setting("ids", "type of ids", me::ids),
    setting("resource_fields", "other fields of links and posts", me::resource_fields),
    setting("write_responses", "response to a write", writes::write_responses),
    setting("write_statuses", "statuses of writes", writes::write_statuses),
    fixed("required fields of links and posts", |all| {
        compare(all, EditLink, &[(CreateLinkWithoutUrl, false), (EditLinkEmpty, false)])
    }),
    setting("unknown_fields", "unknown fields of links and posts", writes::unknown_fields),
    fixed("null in an edit of the profile", |all| compare(all, Location, &[(LocationNull, false)])),
    fixed("other types than strings", |all| compare(all, Location, &[(LocationNumber, false)])),
    fixed("repeated fields", |all| compare(all, Location, &[(LocationRepeated, false)])),
    fixed("characters that count against a limit", |all| {
        compare(all, Location40, &[(LocationTwoBytes, true), (LocationTwoUnits, true), (LocationCombined, false)])
    }),
    fixed("line breaks that count against a limit", |all| {
        compare(all, BioTenLines, &[(BioTenLinesCrLf, true), (BioElevenLinesCr, false), (BioTrailingBreak, false)])
    }),
    fixed("case of colors", writes::case_of_colors),
    fixed("limits of titles, URLs and posts", never),
    fixed("relative URLs", |all| compare(all, EditLink, &[(EditLinkRelativeUrl, false)])),
    setting("analytics", "fields of analytics", me::analytics),
    setting("badge_kinds", "kinds of badges", me::badge_kinds),
    setting("other_statistics", "devices and countries of others", statistics::other_statistics),
    fixed("scope of GET /me and view statistics", me::scope_of_reads),
    setting("reference_data", "key for GET /badges and GET /stats", rejections::reference_data),
    setting("days_out_of_range", "days out of range", statistics::days_out_of_range),
    setting("content_rejection", "status for invalid content", rejections::content_rejection),
    setting("scope_rejection", "status for a missing scope", rejections::scope_rejection),
    setting("rejections", "other statuses, and codes of rejections", rejections::overrides),
    setting("error_body", "body of a rejection", error_bodies::shape),
    setting("error_template", "other bodies of rejections", error_bodies::error_template),
    fixed("bodies of all rejections", error_bodies::uniformity),
    setting("rate_limit_rejection", "rate limit", rate_limits::rejection),
    setting("rate_limit_headers", "names of RateLimit headers", rate_limits::headers),
    setting("rate_limit_header_names", "other RateLimit headers", rate_limits::header_names),
    setting("rate_limit_reset", "end of a window of the rate limit", rate_limits::reset),
    setting("retry_after", "form of Retry-After", rate_limits::retry_after),
    setting("webhook_signature_encoding", "encoding of a signature", deliveries::signature_encoding),
    setting("webhook_payload", "payload of an event", deliveries::payload),
    setting("webhook_timeout", "timeout of a delivery", never),
    fixed("retries of deliveries", never),
    fixed("provisioning of webhooks", never),
    setting("extra_fields", "further fields", extra_fields::extra_fields),
    setting("compression", "compression of responses", rejections::compression),
];
