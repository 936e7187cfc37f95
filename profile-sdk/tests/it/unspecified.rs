//! Items that the specification leaves open, with the tests of each.

use std::collections::BTreeSet;

use mock_server::Dialect;

use crate::{
    badges, compression, dialects, errors, limits, links, me, network, paths, posts, shapes,
    site_stats,
};
use crate::{user_stats, writes};

/// An item that the specification does not define.
struct Item {
    subject: &'static str,
    /// The dialect settings of the reference service for this item. The matrix covers all of them.
    settings: &'static [&'static str],
    coverage: Coverage,
}

enum Coverage {
    /// These tests cover it.
    Tests(&'static [fn()]),
    /// It does not affect the client, for this reason.
    NotApplicable(&'static str),
}

const MATRIX: fn() = dialects::every_call_with_every_dialect;
const ERRORS: fn() = dialects::every_error_with_every_dialect;

const fn item(
    subject: &'static str,
    settings: &'static [&'static str],
    tests: &'static [fn()],
) -> Item {
    let coverage = Coverage::Tests(tests);
    Item {
        subject,
        settings,
        coverage,
    }
}

const fn not_applicable(
    subject: &'static str,
    settings: &'static [&'static str],
    reason: &'static str,
) -> Item {
    let coverage = Coverage::NotApplicable(reason);
    Item {
        subject,
        settings,
        coverage,
    }
}

#[rustfmt::skip]
const ITEMS: [Item; 36] = [
    item("the type of api_visible", &["api_visible"],
        &[MATRIX, shapes::decodes_any_visibility]),
    item("other fields of the key object", &["key_object"],
        &[MATRIX, shapes::decodes_any_shape_of_the_key]),
    item("the shape of the key's scopes", &["key_scopes"],
        &[MATRIX, shapes::decodes_any_shape_of_the_key]),
    item("the shape and unit of the key's rate limit", &["key_rate_limit"],
        &[MATRIX, shapes::decodes_any_shape_of_the_key]),
    item("other fields of a profile", &["me_fields"],
        &[MATRIX, shapes::decodes_absent_and_null_fields_alike, shapes::keeps_unknown_fields]),
    item("the format of a handle", &[],
        &[paths::rejects_handles_that_cannot_be_a_segment,
          paths::encodes_any_parameter_as_one_segment,
          paths::no_parameter_reaches_another_endpoint]),
    item("the type of the ids of links and posts", &["ids"],
        &[MATRIX, shapes::displays_ids_as_received,
          shapes::ids_beyond_64_bits_keep_their_digits, shapes::accepts_unexpected_ids]),
    item("other fields of links and posts", &["resource_fields"],
        &[MATRIX, shapes::keeps_unknown_fields]),
    item("the response to a write", &["write_responses"],
        &[MATRIX, writes::a_response_without_the_resource_is_a_success,
          writes::returns_a_partial_resource]),
    item("required fields of links and posts", &[],
        &[links::rejects_an_empty_update_before_sending, shapes::sends_values_unchanged]),
    item("unknown fields in links and posts", &["unknown_fields"],
        &[MATRIX, shapes::sends_values_unchanged]),
    item("null in an edit of the profile", &[],
        &[shapes::sends_values_unchanged]),
    item("the definition of a character", &[],
        &[limits::text_limits_match, limits::text_limits_match_for_random_texts]),
    item("the definition of a line", &[],
        &[limits::line_limits_match, limits::text_limits_match_for_random_texts]),
    item("the case of colors", &[],
        &[limits::color_formats_match, shapes::sends_values_unchanged]),
    item("the maximum length of titles, URLs and posts", &[],
        &[posts::creates_and_deletes_a_post]),
    item("the definition of a URL", &[],
        &[links::creates_edits_and_deletes_a_link, shapes::sends_values_unchanged]),
    item("the shape of analytics", &["analytics"],
        &[MATRIX, shapes::decodes_any_shape_of_analytics]),
    item("other kinds of badges", &["badge_kinds"],
        &[MATRIX, shapes::keeps_unknown_badge_kinds_by_name]),
    item("omitted statistics of other profiles", &["other_statistics"],
        &[MATRIX, shapes::decodes_partial_and_unexpected_statistics]),
    item("the scope of the profile and the statistics", &[],
        &[me::requires_no_scope]),
    item("the key for badges and counters", &["reference_data"],
        &[MATRIX, badges::returns_badges_with_and_without_a_key,
          site_stats::returns_the_counters_with_and_without_a_key]),
    item("the response to days out of range", &["days_out_of_range"],
        &[MATRIX, limits::day_limits_match,
          user_stats::only_the_service_knows_whose_profile_it_is]),
    item("the response to an unknown handle, link or post", &[],
        &[ERRORS, user_stats::an_unknown_handle_is_not_found,
          links::an_unknown_link_is_not_found, posts::an_unknown_post_is_not_found]),
    item("the status codes of rejections", &["content_rejection", "scope_rejection"],
        &[MATRIX, ERRORS, errors::classifies_status_codes]),
    item("the body of an error", &["error_body"],
        &[ERRORS, shapes::reads_every_shape_of_error_body]),
    item("the response beyond the rate limit", &["rate_limit_rejection", "rate_limit_headers", "rate_limit_reset", "retry_after"],
        &[ERRORS]),
    not_applicable("the encoding of a delivery's digest", &["webhook_signature_encoding"],
        "it does not sign or verify deliveries"),
    not_applicable("the payload of an event", &["webhook_payload"],
        "it does not receive events"),
    not_applicable("the triggers of events", &[],
        "it does not receive events"),
    not_applicable("retries and failures of deliveries", &["webhook_timeout"],
        "it does not receive events"),
    not_applicable("the end of a run of failures", &[],
        "it does not receive events"),
    not_applicable("enabling a webhook again", &[],
        "there is no endpoint for it"),
    not_applicable("other kinds of events", &[],
        "it does not receive events"),
    not_applicable("provisioning of the webhook secret", &[],
        "it does not use the secret"),
    item("redirects, compression and the like", &["compression"],
        &[MATRIX, ERRORS, compression::decompresses_gzip, network::a_redirect_is_not_followed,
          shapes::ignores_the_content_type_and_a_byte_order_mark]),
];

#[test]
fn every_item_has_a_test_or_a_reason() {
    for item in &ITEMS {
        let is_covered = match item.coverage {
            Coverage::Tests(tests) => !tests.is_empty(),
            Coverage::NotApplicable(reason) => !reason.is_empty(),
        };
        assert!(is_covered, "no test covers {}", item.subject);
    }
    let subjects: BTreeSet<_> = ITEMS.iter().map(|item| item.subject).collect();
    assert_eq!(subjects.len(), ITEMS.len(), "an item is listed twice");
}

#[test]
fn every_dialect_setting_belongs_to_an_item() {
    let known: Vec<_> = ITEMS
        .iter()
        .flat_map(|item| item.settings)
        .copied()
        .collect();
    let settings: BTreeSet<_> = Dialect::alternatives()
        .map(|(setting, ..)| setting)
        .collect();
    assert_eq!(BTreeSet::from_iter(known.iter().copied()), settings);
    assert_eq!(known.len(), settings.len(), "a setting is listed twice");
}

#[test]
fn the_matrix_covers_items_with_settings() {
    for item in ITEMS.iter().filter(|item| !item.settings.is_empty()) {
        if let Coverage::Tests(tests) = item.coverage {
            let first = tests.first().copied();
            let in_matrix = [MATRIX, ERRORS]
                .into_iter()
                .any(|test| first.is_some_and(|first| std::ptr::fn_addr_eq(first, test)));
            assert!(in_matrix, "the matrix does not cover {}", item.subject);
        }
    }
}
