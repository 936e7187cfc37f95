//! `profile set`: changes fields of the profile.

use clap::Args;
use profile_sdk::{Bio, Color, DisplayName, Location, Profile, ProfileUpdate, Request};
use serde_json::{Map, Value};

use crate::commands::show;
use crate::dry_run::{self, Change, DryRun};
use crate::failure::Failure;
use crate::report::Report;
use crate::session::Session;
use crate::stop::Stop;

/// Change fields of your profile and show it; what is not given stays as it is
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope profile:write. An empty text clears a name, a bio or a location.

Examples:
  profile set --display-name Ada --accent-color '#ff8800'
  profile set --location ''")]
pub(crate) struct SetArguments {
    #[command(flatten)]
    fields: ProfileFields,

    #[command(flatten)]
    dry_run: DryRun,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct ProfileFields {
    /// The name shown, up to 32 characters
    #[arg(long, value_name = "NAME")]
    display_name: Option<DisplayName>,

    /// The bio, up to 300 characters and 10 lines
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    bio: Option<Bio>,

    /// The location, up to 40 characters
    #[arg(long, value_name = "TEXT")]
    location: Option<Location>,

    /// The accent colour, #rrggbb
    #[arg(long, value_name = "COLOR")]
    accent_color: Option<Color>,

    /// The colour of text, #rrggbb
    #[arg(long, value_name = "COLOR")]
    text_color: Option<Color>,

    /// The colour behind the text, #rrggbb
    #[arg(long, value_name = "COLOR")]
    background_color: Option<Color>,
}

pub(crate) fn run(arguments: SetArguments, session: &Session<'_>) -> Result<Report, Stop> {
    let update = arguments.fields.into_update();
    let call = session.client()?.update_profile(&update);
    if arguments.dry_run.dry_run {
        let request = call.request().map_err(Failure::of_unsent)?;
        let profile = session.read(session.client()?.me())?.into_data();
        return Err(dry_run::stop(&[request], &differences(request, &profile)));
    }
    let response = session.write(call, "profile", "profile show")?;
    let sentence = "The service accepted the change without showing it; `profile show` does.";
    Ok(Report::written(
        &response,
        show::fields,
        "updated",
        sentence,
    ))
}

impl ProfileFields {
    fn into_update(self) -> ProfileUpdate {
        let mut update = ProfileUpdate::new();
        if let Some(display_name) = self.display_name {
            update = update.display_name(display_name);
        }
        if let Some(bio) = self.bio {
            update = update.bio(bio);
        }
        if let Some(location) = self.location {
            update = update.location(location);
        }
        if let Some(color) = self.accent_color {
            update = update.accent_color(color);
        }
        if let Some(color) = self.text_color {
            update = update.text_color(color);
        }
        if let Some(color) = self.background_color {
            update = update.background_color(color);
        }
        update
    }
}

/// What a request to edit the profile would change in it.
pub(crate) fn differences(request: &Request, profile: &Profile) -> Vec<Change> {
    let body = request.body().unwrap_or_default();
    let fields: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let now = |field: &str| match field {
        "display_name" => profile.display_name.clone(),
        "bio" => profile.bio.clone(),
        "location" => profile.location.clone(),
        "accent_color" => profile.accent_color.clone(),
        "text_color" => profile.text_color.clone(),
        "background_color" => profile.background_color.clone(),
        _ => None,
    };
    let change = |(field, value): (String, Value)| {
        let from = now(&field);
        Change::new(field, from, value.as_str().map(str::to_owned))
    };
    fields.into_iter().map(change).collect()
}
