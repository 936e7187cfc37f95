//! `profile set`: changes fields of the profile.

use clap::Args;
use profile_sdk::{Bio, Color, DisplayName, Location, ProfileUpdate};

use crate::commands::show;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::report::Report;

/// Change fields of your profile and show it; what is not given stays as it is
#[derive(Debug, Args)]
#[command(after_help = "\
Needs the scope profile:write. An empty text clears a name, a bio or a location.

Examples:
  profile set --display-name Ada --accent-color '#ff8800'
  profile set --location ''")]
#[group(required = true, multiple = true)]
pub(crate) struct SetArguments {
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

pub(crate) async fn run(
    arguments: SetArguments,
    connection: &Connection,
) -> Result<Report, Failure> {
    let update = arguments.into_update();
    let response = connection
        .client
        .update_profile(&update)
        .send()
        .await
        .map_err(|error| Failure::of_write("profile", "profile show", error))?;
    let sentence = "The service accepted the change without showing it; `profile show` does.";
    Ok(Report::written(
        &response,
        show::fields,
        "updated",
        sentence,
    ))
}

impl SetArguments {
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
