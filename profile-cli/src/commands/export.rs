//! `profile export`: the profile as a file.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::session::Session;
use crate::{output, profile_file};

#[derive(Debug, Args)]
#[command(after_help = "\
`profile diff` compares the file with a profile, and `profile apply` applies it. The file has the
fields in [profile], a [[links]] table for each link, and in [source] the service and the handle, for
which the IDs of the links are valid. --json prints the same as JSON, which both commands read too.

Examples:
  profile export profile.toml
  profile export | profile --account work apply -")]
pub(crate) struct ExportArguments {
    /// File to write, replacing an existing one [default: standard output]
    #[arg(value_name = "PATH")]
    file: Option<PathBuf>,
}

pub(crate) fn run(arguments: ExportArguments, session: &Session<'_>) -> Result<Report, Failure> {
    session.read_or_curl(session.client()?.me(), |response| {
        let handle = response.data().handle.as_ref();
        let handle = handle.map(|handle| ("handle".to_owned(), handle.as_str()));
        let texts =
            profile_file::fields(response.data()).chain(profile_file::links(response.data()));
        let texts = texts.chain(handle);
        profile_file::check_without_key(texts)?;
        let (profile, mut warnings) = profile_file::exported(response.data(), session.service()?);
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
                output::write_file(&path, toml.as_bytes())?;
                let path = path.display().to_string();
                let sentence = format!("Wrote the profile to {path}.");
                Report::new(
                    json!({"result": "written", "path": path}),
                    View::Sentence(sentence),
                )
                .of_change()
            }
        };
        Ok(Report { warnings, ..report })
    })
}
