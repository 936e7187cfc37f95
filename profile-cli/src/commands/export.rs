//! `profile export`: the profile as a file.

use std::fs::Metadata;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::Args;
use profile_sdk::plan::{DesiredLink, DesiredProfile};
use profile_sdk::{Profile, ProfileField, ProfileUpdate};
use serde_json::json;

use crate::commands::diff;
use crate::input::Input;
use crate::outcome::{Failure, Report, Result, View};
use crate::session::Session;
use crate::terminal::escaped;
use crate::{output, profile_file};

#[derive(Debug, Args)]
#[command(after_help = "\
`profile diff` compares the file with a profile, and `profile apply` applies it. The file has the \
fields in [profile], a [[links]] table for each link, and in [source] the service and the handle that \
the IDs of the links belong to. With --json, or if the name of the file ends with .json, it is \
JSON, which both commands read too. An existing profile file is replaced, and its comments are lost. A \
file of another account, or any other file that is not empty, is only replaced with --yes.

Examples:
  profile export profile.toml
  profile export | profile --account work apply -")]
pub(crate) struct ExportArguments {
    /// File to write [default: standard output]
    #[arg(value_name = "PATH")]
    file: Option<PathBuf>,
}

pub(crate) fn run(arguments: ExportArguments, session: &Session<'_>) -> Result<Report> {
    let option_is_json = session.output.option_is_json();
    if option_is_json == Some(false) {
        let failure = Failure::usage("a profile is written as TOML or JSON");
        return Err(failure.hint("use --json, or omit --output"));
    }
    let response = session.read(session.client()?.me())?;
    let read = response.data();
    profile_file::check_without_key(read, links(read))?;
    let (profile, mut warnings) = exported(read, session.service()?);
    if profile.links.is_none() {
        warnings.push("the service does not list your links, so the file has none".to_owned());
    }
    let toml = profile_file::to_toml(&profile);
    let report = match arguments.file.filter(|path| path.as_os_str() != "-") {
        None => {
            let shown = match io::stdout().is_terminal() {
                true => profile_file::for_terminal(&toml),
                false => toml,
            };
            Report {
                is_raw: true,
                ..Report::new(json!(profile), View::Text(shown.trim_end().to_owned()))
            }
        }
        Some(path) => {
            check_replaceable(&path, read, session)?;
            let extension = path.extension().unwrap_or_default();
            let is_json = option_is_json.is_some() || extension.eq_ignore_ascii_case("json");
            let text = match is_json {
                true => format!("{:#}\n", json!(profile)),
                false => toml,
            };
            output::write_file(&path, text.as_bytes())?;
            let path = path.display().to_string();
            let sentence = format!("Wrote the profile to {}.", escaped(&path));
            Report::changed(json!({"result": "written", "path": path}), sentence)
        }
    };
    Ok(Report { warnings, ..report })
}

/// Returns the profile as it can be applied, with a warning for each value that the specification
/// does not allow and that is therefore left out.
fn exported(profile: &Profile, service: String) -> (DesiredProfile, Vec<String>) {
    let mut desired = DesiredProfile::from(profile);
    if let Some(source) = &mut desired.source {
        source.service = Some(service);
    }
    let mut warnings = Vec::new();
    for field in ProfileField::ALL {
        let text = profile.get(*field).filter(|text| !text.is_empty());
        if let Some(Err(problem)) = text.map(|text| ProfileUpdate::new().set(*field, text)) {
            warnings.push(format!("left out {field}: {problem}"));
        }
    }
    for link in profile.links.iter().flatten() {
        if let Err(problem) = DesiredLink::try_from(link) {
            let id = link.id.as_ref().map_or("without ID", |id| id.as_str());
            warnings.push(format!("left out link {id}: {problem}"));
        }
    }
    let exported = profile_file::fields(profile).chain(links(profile));
    warnings.extend(profile_file::replaced_characters(exported));
    (desired, warnings)
}

/// Returns the texts of the links.
fn links(profile: &Profile) -> impl Iterator<Item = (String, &str)> {
    profile.links.iter().flatten().flat_map(|link| {
        let id = link.id.as_ref().map_or("", |id| id.as_str());
        let texts = [
            ("id", Some(id)),
            ("title", link.title.as_deref()),
            ("url", link.url.as_deref()),
        ];
        texts.map(|(name, text)| (format!("links.{id}.{name}"), text.unwrap_or_default()))
    })
}

/// Fails if the file has something else than a profile of this account, unless `--yes` is given.
fn check_replaceable(path: &Path, profile: &Profile, session: &Session<'_>) -> Result<()> {
    let has_content = |file: Metadata| file.is_file() && file.len() > 0;
    if session.settings.yes || !path.metadata().is_ok_and(has_content) {
        return Ok(());
    }
    let failure = |what: &str| {
        let message = format!("{} exists and is {what}", escaped(path));
        Failure::usage(message).hint("add --yes to replace it, or name another file")
    };
    let input = Input::File(path.to_owned());
    input.read()?;
    let (old, _) = diff::read(&input).map_err(|_| failure("not a profile file"))?;
    match diff::note(profile, &old, &session.service()?) {
        Some(_) => Err(failure("the file of another account")),
        None => Ok(()),
    }
}
