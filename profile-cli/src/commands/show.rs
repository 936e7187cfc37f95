//! `profile show`: your profile, including private fields.

use profile_sdk::{ApiVisible, Profile, ProfileField, RateLimit};

use crate::drawing::{Contrast, Drawing, scope_names, text_and_background};
use crate::outcome::{Report, Result, View, cell, push_field};
use crate::session::Session;

pub(crate) const HELP: &str = "\
On a terminal, prints a card with color swatches and the contrast between text and background, which \
should be at least 4.5:1. In a pipe, each line is the name and the value of a field, separated by a \
tab; line breaks in values are escaped as \\n. The names of list items contain their ID, as in \
links.ID.title and links.ID.url. The second example writes a file for others, without e-mail address and scopes.

Examples:
  profile show
  profile show --jq 'del(.email, .key)' > public.json";

pub(crate) fn run(session: &Session<'_>) -> Result<Report> {
    let response = session.read(session.client()?.me())?;
    let card = Drawing::Card(Box::new(response.data().clone()));
    Ok(Report::read(&response, fields(response.data())).for_people(View::Drawing(card)))
}

fn fields(profile: &Profile) -> View {
    let mut fields = Vec::new();
    push_field(&mut fields, "handle", profile.handle.as_ref());
    for field in ProfileField::ALL {
        push_field(&mut fields, field.name(), profile.get(*field));
    }
    let contrast = text_and_background(|field| profile.get(field)).map(Contrast::of);
    push_field(&mut fields, "contrast", contrast);
    push_field(&mut fields, "email", profile.email.as_ref());
    let visible = profile.api_visible.as_ref().map(ApiVisible::raw);
    push_field(&mut fields, "api_visible", visible);
    if let Some(key) = &profile.key {
        let scopes = key.scopes.as_ref();
        let scopes = scopes.map(|scopes| scope_names(scopes).join(" "));
        push_field(&mut fields, "key.scopes", scopes);
        let rate_limit = key.rate_limit.as_ref().map(RateLimit::raw);
        push_field(&mut fields, "key.rate_limit", rate_limit);
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
