//! `profile show`: your profile, including private fields.

use clap::Args;
use profile_sdk::Profile;

use crate::drawing::Drawing;
use crate::drawing::contrast::Contrast;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View, cell, push_field};
use crate::session::Session;

#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal, prints a card with color swatches and the contrast between text and background, which
should be at least 4.5:1. In a pipe, each line is the name and the value of a field, separated by a
tab; line breaks in values are escaped as \\n. The names of list items contain their ID, as in
links.ID.title and links.ID.url.

Examples:
  profile show
  profile show --json")]
pub(crate) struct ShowArguments {}

pub(crate) fn run(_: ShowArguments, session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.me(), |response| {
        let warning = contrast_warning(response.data(), session);
        Ok(Report::read(&response, view(response.data())).warning(warning))
    })
}

/// Returns a card for the terminal and fields for pipes.
pub(crate) fn view(profile: &Profile) -> View {
    View::drawing(Drawing::Card(Box::new(profile.clone())), fields(profile))
}

/// Returns a warning if the contrast of the profile is too low, unless the card says so.
pub(crate) fn contrast_warning(profile: &Profile, session: &Session<'_>) -> Option<String> {
    match session.output.is_for_people() {
        true => None,
        false => Contrast::of_profile(profile)?.warning(),
    }
}

fn fields(profile: &Profile) -> View {
    let mut fields = Vec::new();
    let mut push = |name, value: &Option<String>| push_field(&mut fields, name, value.as_ref());
    push("handle", &profile.handle.as_ref().map(ToString::to_string));
    push("display_name", &profile.display_name);
    push("bio", &profile.bio);
    push("location", &profile.location);
    push("accent_color", &profile.accent_color);
    push("text_color", &profile.text_color);
    push("background_color", &profile.background_color);
    let contrast = Contrast::of_profile(profile).map(|contrast| contrast.to_string());
    push("contrast", &contrast);
    push("email", &profile.email);
    let visible = profile.api_visible.as_ref();
    push_field(
        &mut fields,
        "api_visible",
        visible.map(|visible| visible.raw()),
    );
    if let Some(key) = &profile.key {
        let scopes = key.scopes.as_ref().map(|scopes| {
            let names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
            names.join(" ")
        });
        push_field(&mut fields, "key.scopes", scopes);
        let rate_limit = key.rate_limit.as_ref();
        push_field(
            &mut fields,
            "key.rate_limit",
            rate_limit.map(|limit| limit.raw()),
        );
    }
    for link in profile.links.iter().flatten() {
        let name = format!("links.{}", cell(link.id.as_ref()));
        push_field(&mut fields, format!("{name}.title"), link.title.as_ref());
        push_field(&mut fields, format!("{name}.url"), link.url.as_ref());
    }
    for post in profile.posts.iter().flatten() {
        let name = format!("posts.{}.body", cell(post.id.as_ref()));
        push_field(&mut fields, name, post.body.as_ref());
    }
    for badge in profile.badges.iter().flatten() {
        let name = format!("badges.{}.name", badge.id);
        push_field(&mut fields, name, Some(&badge.name));
    }
    View::Fields(fields)
}
