//! `profile diff`: the changes that `profile apply` would make.

use clap::{Args, ValueHint};
use serde_json::{Value, json};

use crate::input::Input;
use crate::outcome::failure::{Failure, FailureKind};
use crate::outcome::report::{Report, View};
use crate::profile_file::ProfileFile;
use crate::profile_file::executor::Job;
use crate::profile_file::plan::Plan;
use crate::session::Session;
use crate::session::dry_run::Change;

/// The exit code of --exit-code if there are differences.
const DIFFERS: u8 = 9;

#[derive(Debug, Args)]
#[command(after_help = "\
Links that are not in the file are only counted; `profile apply --prune` shows and deletes them.

Examples:
  profile diff profile.toml
  profile diff profile.toml --exit-code --json")]
pub(crate) struct DiffArguments {
    #[command(flatten)]
    file: FileArgument,

    /// Exit with 9 if there are differences; links that are not in the file do not count
    #[arg(long)]
    exit_code: bool,
}

// Not a doc comment, which clap would print as the description of each command.
// The file to compare with the profile.
#[derive(Debug, Args)]
pub(crate) struct FileArgument {
    /// File as written by `profile export`; - reads from standard input
    #[arg(value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    file: Input,
}

impl FileArgument {
    pub(super) fn read(&self) -> Result<ProfileFile, Failure> {
        let name = self.file.to_string();
        let text = String::from_utf8(self.file.read()?);
        let text = text.map_err(|_| Failure::usage(format!("{name} is not valid UTF-8")))?;
        // Editors and Git on Windows change line breaks; `export` escapes those of the profile.
        ProfileFile::parse(&name, &text.replace("\r\n", "\n"))
    }
}

pub(crate) fn run(arguments: &DiffArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let file = arguments.file.read()?;
    session.read_or_curl(session.client()?.me(), |response| {
        let job = Job {
            file: &file,
            service: &session.service()?,
            prune: false,
        };
        let plan = job.plan(response.data())?;
        let mut report = report(&plan, &plan.changes(), "different");
        if arguments.exit_code && !plan.steps.is_empty() {
            report.exit_code = DIFFERS;
        }
        with_links(&plan, report)
    })
}

/// Returns the report on these changes of a plan.
pub(super) fn report(plan: &Plan, changes: &[Change], result: &str) -> Report {
    let result = match changes.is_empty() {
        true => "unchanged",
        false => result,
    };
    let json = json!({
        "result": result,
        "changes": changes.iter().map(Change::as_json).collect::<Value>(),
        "unchanged_links": plan.unchanged_links,
        "other_links": plan.other_links,
    });
    Report::new(json, View::Text(text(plan, changes)))
}

/// Returns the changes in lines, and a last line with their number.
pub(super) fn text(plan: &Plan, changes: &[Change]) -> String {
    let mut text: String = changes.iter().map(Change::as_text).collect();
    text += &match changes.len() {
        0 => "Nothing to change".to_owned(),
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    };
    if plan.unchanged_links > 0 {
        text += &format!("; links without changes: {}", plan.unchanged_links);
    }
    if plan.other_links > 0 {
        text += &format!("; links that are not in the file: {}", plan.other_links);
    }
    text
}

/// Returns the report, or a failure if the links could not be compared.
pub(super) fn with_links(plan: &Plan, report: Report) -> Result<Report, Failure> {
    if !plan.lacks_links {
        return Ok(report);
    }
    let message = "the service does not list your links, so those of the file were left out";
    Err(Failure {
        done: Some(Box::new(report)),
        ..Failure::new(FailureKind::Other, message)
            .hint("use `profile link add` and `profile link edit`")
    })
}
