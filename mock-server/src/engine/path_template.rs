//! Path templates such as `/api/v1/me/links/{id}`.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Matches a percent-encoded path against a template, in which a segment in braces matches any
/// segment that is not empty. Returns the decoded segment, or an empty string for a template without
/// braces.
pub(crate) fn match_path<'a>(template: &str, path: &'a str) -> Option<Cow<'a, str>> {
    let mut parameter = Cow::Borrowed("");
    let mut given = path.split('/');
    for expected in template.split('/') {
        let given = given.next()?;
        if expected.starts_with('{') && expected.ends_with('}') && !given.is_empty() {
            parameter = decode(given)?;
        } else if given != expected && decode(given)? != decode(expected)? {
            return None;
        }
    }
    given.next().is_none().then_some(parameter)
}

/// Decodes after the path was split: an encoded slash stays inside its segment.
fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_one_decoded_segment() {
        for (segment, expected) in [
            ("grace", "grace"),
            ("a%2Fb", "a/b"),
            ("%C3%A9", "é"),
            ("%2e%2e", ".."),
            ("100%", "100%"),
            ("a+b", "a+b"),
            ("{handle}", "{handle}"),
        ] {
            let path = format!("/users/{segment}/stats");
            let found = match_path("/users/{handle}/stats", &path);
            assert_eq!(found.as_deref(), Some(expected), "{segment}");
        }
    }

    #[test]
    fn other_segments_are_compared_decoded() {
        for (template, path, expected) in [
            ("/me", "/me", true),
            ("/me", "/m%65", true),
            ("/m%65", "/me", true),
            ("/users/é", "/users/%C3%A9", true),
            ("/me", "/me/", false),
            ("/me", "/me/links", false),
            ("/me/links", "/me", false),
            ("/me", "/ME", false),
            ("/me", "//me", false),
            ("/me/links/{id}", "/me/links/", false),
            ("/me/links/{id}", "/me/links/a/b", false),
            ("/users/{handle}/stats", "/users/%ff/stats", false),
            ("/users/a/b", "/users/a%2Fb", false),
        ] {
            let found = match_path(template, path);
            assert_eq!(found.is_some(), expected, "{template} {path}");
        }
    }
}
