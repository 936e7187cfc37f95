//! `profile set`: changes fields of the profile.

use clap::Args;
use profile_sdk::{Bio, Color, DisplayName, Location, Profile, ProfileUpdate, Response};

use crate::commands::show;
use crate::drawing::contrast::Contrast;
use crate::input::typed_color::TypedColor;
use crate::input::typed_text::TypedText;
use crate::outcome::failure::Failure;
use crate::outcome::report::Report;
use crate::profile_file::fields::differences;
use crate::session::Session;
use crate::session::dry_run::{self, DryRun};

const RESOURCE: &str = "profile";
const CHECK_COMMAND: &str = "profile show";

#[derive(Debug, Args)]
// The usage of clap would list all fields, in a line of 180 columns.
#[command(override_usage = "profile set [OPTIONS]")]
#[command(after_help = "\
Requires the scope profile:write. An empty string clears the display name, bio or location.

--bio @./PATH reads the bio from a file, as do @../PATH and @/PATH, and --bio - from stdin; one line
break at the end is removed. Any other text that starts with @ is the bio itself.

The service accepts colors as #rrggbb; #rgb and CSS names are converted, and a note shows the
result. The contrast between text and background should be at least 4.5:1. The profile is printed as
by `profile show`.

Examples:
  profile set --display-name Ada --accent-color '#ff8800'
  profile set --bio @./bio.txt --text-color black --background-color ivory
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
    #[arg(long, value_name = "NAME")]
    #[arg(help = format!("Display name, up to {} characters", DisplayName::MAX_CHARACTERS))]
    display_name: Option<DisplayName>,

    #[arg(long, value_name = "TEXT|@./PATH|-", allow_hyphen_values = true, help = bio_help())]
    bio: Option<TypedText<Bio>>,

    #[arg(long, value_name = "TEXT")]
    #[arg(help = format!("Location, up to {} characters", Location::MAX_CHARACTERS))]
    location: Option<Location>,

    /// Accent color: #rrggbb, #rgb or a CSS name
    #[arg(long, value_name = "COLOR")]
    accent_color: Option<TypedColor>,

    /// Text color
    #[arg(long, value_name = "COLOR")]
    text_color: Option<TypedColor>,

    /// Background color
    #[arg(long, value_name = "COLOR")]
    background_color: Option<TypedColor>,
}

fn bio_help() -> String {
    let (characters, lines) = (Bio::MAX_CHARACTERS, Bio::MAX_LINES);
    format!("Bio, up to {characters} characters and {lines} lines")
}

pub(crate) fn run(arguments: SetArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let SetArguments { fields, dry_run } = arguments;
    let contrast = fields.contrast();
    let update = fields.into_update(session)?;
    if dry_run.dry_run {
        return session.read_or_curl(session.client()?.me(), |profile| {
            preview(&update, profile.data(), session)
        });
    }
    let call = session.client()?.update_profile(&update);
    session.write_or_curl(call, RESOURCE, CHECK_COMMAND, |response| {
        // If the response contains no profile, check the contrast of the colors that were sent.
        let warning = match response.data() {
            Some(profile) => show::contrast_warning(profile, session),
            None => contrast.and_then(Contrast::warning),
        };
        let sentence = "The service accepted the change; `profile show` prints the profile.";
        let report = Report::written(&response, show::view, "updated", sentence);
        Ok(report.warning(warning))
    })
}

/// Sends an update of the profile.
pub(crate) fn send(
    update: &ProfileUpdate,
    session: &Session<'_>,
) -> Result<Response<Option<Profile>>, Failure> {
    session.write(
        session.client()?.update_profile(update),
        RESOURCE,
        CHECK_COMMAND,
    )
}

/// Returns the preview of an update.
pub(crate) fn preview(
    update: &ProfileUpdate,
    profile: &Profile,
    session: &Session<'_>,
) -> Result<Report, Failure> {
    let call = session.client()?.update_profile(update);
    let request = call.request().map_err(Failure::unsent)?;
    let report = dry_run::preview(&[request], &differences(update, profile));
    Ok(report.warning(contrast_after(update, profile)))
}

/// Returns a warning if the contrast is too low after an update.
fn contrast_after(update: &ProfileUpdate, profile: &Profile) -> Option<String> {
    let after = |new: Option<&Color>, old: &Option<String>| match new {
        Some(color) => Some(color.clone()),
        None => Color::new(old.as_deref()?).ok(),
    };
    let text = after(update.text_color.as_ref(), &profile.text_color)?;
    let background = after(update.background_color.as_ref(), &profile.background_color)?;
    Contrast::of(&text, &background).warning()
}

impl ProfileFields {
    /// Returns the contrast if both colors are given.
    fn contrast(&self) -> Option<Contrast> {
        let text = self.text_color.as_ref()?;
        let background = self.background_color.as_ref()?;
        Some(Contrast::of(&text.color, &background.color))
    }

    fn into_update(self, session: &Session<'_>) -> Result<ProfileUpdate, Failure> {
        let sent = |field, color: Option<TypedColor>| -> Option<Color> {
            let color = color?;
            if let Some(note) = color.note(field) {
                session.output.note(&note);
            }
            Some(color.color)
        };
        let mut update = ProfileUpdate::new();
        update.display_name = self.display_name;
        if let Some(bio) = self.bio {
            update.bio = Some(bio.read("--bio", session.output)?);
        }
        update.location = self.location;
        update.accent_color = sent("accent_color", self.accent_color);
        update.text_color = sent("text_color", self.text_color);
        update.background_color = sent("background_color", self.background_color);
        Ok(update)
    }
}
