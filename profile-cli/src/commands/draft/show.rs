//! `profile draft show`: the text of a draft.

use clap::Args;
use serde_json::json;

use super::find;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  profile draft show
  profile draft show profile-ada@profiles.example")]
pub(crate) struct ShowArguments {
    /// Name of the draft, as in `profile draft list` [default: the only draft]
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(crate) fn run(arguments: &ShowArguments) -> Result<Report, Failure> {
    let draft = find(arguments.name.as_deref())?;
    let text = draft.text()?;
    let json = json!({
        "name": draft.name(),
        "path": draft.path().display().to_string(),
        "text": text,
    });
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Report {
        is_raw: true,
        ..Report::new(json, View::Text(text.to_owned()))
    })
}
