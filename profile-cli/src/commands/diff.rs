//! `profile diff`: the changes that `profile apply` would make.

use clap::{Args, ValueHint};
use profile_sdk::plan::{DesiredProfile, Plan, PlanOptions, Step, Warning};
use profile_sdk::{Handle, Profile};
use serde_json::{Value, json};

use crate::commands::link::check_urls;
use crate::drawing::{Change, Drawing};
use crate::input::Input;
use crate::outcome::{Failure, NextCommand, Report, Result, View};
use crate::profile_file;
use crate::session::{Session, field_changes};
use crate::terminal::SafeUrl;

/// The exit code of --exit-code if there are differences.
const DIFFERS: u8 = 9;

#[derive(Debug, Args)]
#[command(after_help = "\
With --json, prints the plan: each step with the old and the new value, the number of unchanged links, \
and the number of links that are not in the file and are kept.

Examples:
  profile diff profile.toml
  profile diff profile.toml --prune --exit-code --json")]
pub(crate) struct DiffArguments {
    #[command(flatten)]
    file: FileArgument,

    /// Also show links that are not in the file, which `apply --prune` would delete
    #[arg(long)]
    prune: bool,

    /// Exit with 9 if there are differences
    #[arg(long)]
    exit_code: bool,
}

// Not a doc comment, which clap would print as the description of each command.
// The file to compare with the profile.
#[derive(Debug, Args)]
pub(crate) struct FileArgument {
    /// File as written by `profile export`; - reads from standard input
    #[arg(value_name = "PATH|-", value_hint = ValueHint::FilePath)]
    pub(super) input: Input,
}

/// Reads a profile file. For a text of `profile edit`, also returns the profile that the editor showed.
pub(super) fn read(input: &Input) -> Result<(DesiredProfile, Option<Profile>)> {
    let name = input.to_string();
    profile_file::parse(&name, &input.read_text()?.text)
}

pub(crate) fn run(arguments: &DiffArguments, session: &Session<'_>) -> Result<Report> {
    if session.output.option_is_json() == Some(false) && !session.output.is_for_people() {
        let message = "differences have no columns; use --output table or --json";
        return Err(Failure::usage(message));
    }
    let (desired, shown) = read(&arguments.file.input)?;
    let profile = session.read(session.client()?.me())?.into_data();
    let plan = plan(&profile, &desired, arguments.prune, session)?;
    let mut json = json!(plan);
    // For `Client::apply`.
    for name in ["service", "handle", "seen_links"] {
        json.as_object_mut().and_then(|plan| plan.remove(name));
    }
    let of_urls = check_urls(&plan)?;
    let is_of_other = note(&profile, &desired, &session.service()?).is_some();
    let conflicts = conflicts(&profile, &desired, shown.as_ref(), is_of_other);
    let warnings = warnings(plan.warnings()).chain(of_urls).chain(conflicts);
    let mut report = Report::new(json, View::Drawing(drawing(&plan))).warnings(warnings);
    if arguments.exit_code && !plan.is_empty() {
        report.exit_code = DIFFERS;
    }
    match plan.lacks_links() {
        true => Err(lacks_links().done(report)),
        false => Ok(report),
    }
}

/// Compares a file with the profile. If there are changes, prints a note if the file is of another
/// account.
pub(super) fn plan(
    profile: &Profile,
    desired: &DesiredProfile,
    prune: bool,
    session: &Session<'_>,
) -> Result<Plan> {
    let service = session.service()?;
    let mut options = PlanOptions::new().prune(prune);
    if service != "sandbox" {
        options = options.service(&service);
    }
    let plan = Plan::new(profile, desired, options);
    let note = note(profile, desired, &service).filter(|_| !plan.is_empty());
    session.output.note_all(note);
    Ok(plan)
}

/// Describes the fields that have changed since an editor showed them. Those of another account have not.
pub(super) fn conflicts(
    profile: &Profile,
    desired: &DesiredProfile,
    shown: Option<&Profile>,
    is_of_other: bool,
) -> Vec<String> {
    let shown = shown.filter(|_| !is_of_other);
    shown.map_or_else(Vec::new, |shown| {
        profile_file::conflicts(shown, profile, &desired.profile)
    })
}

/// Returns a note if the file is of another account.
pub(super) fn note(profile: &Profile, desired: &DesiredProfile, service: &str) -> Option<String> {
    let source = desired.source.as_ref()?;
    let service = SafeUrl::new(service);
    let of_file = source.service.as_ref().map(SafeUrl::new);
    let is_other = |of_file: &SafeUrl| !of_file.is_same_service(&service);
    let file = name_of(Some(&source.handle), of_file.as_ref());
    let current = name_of(profile.handle.as_ref(), Some(&service));
    let note = format!("the file of {file} changes the profile of {current}");
    let is_other_handle = profile.handle.as_ref() != Some(&source.handle);
    (is_other_handle || of_file.as_ref().is_some_and(is_other)).then_some(note)
}

/// Names an account of a service.
fn name_of(handle: Option<&Handle>, service: Option<&SafeUrl>) -> String {
    let handle = handle.map_or("an unknown handle", Handle::as_str);
    match service {
        Some(service) => format!("{handle} at {service}"),
        None => handle.to_owned(),
    }
}

/// Returns the failure for a service that does not list the links, so that they cannot be compared.
pub(super) fn lacks_links() -> Failure {
    let message = "the service does not list your links, so those of the file cannot be compared";
    let add = NextCommand("profile link add");
    let edit = NextCommand("profile link edit");
    let hint = format!("remove the links from the file, and use {add} and {edit}");
    Failure::other(message).hint(hint)
}

/// Returns the texts of warnings.
pub(super) fn warnings(warnings: &[Warning]) -> impl Iterator<Item = String> {
    warnings.iter().map(ToString::to_string)
}

/// Returns the changes of a plan, and a last line with their number.
pub(super) fn drawing(plan: &Plan) -> Drawing {
    let changes = changes(plan.steps());
    let mut below = match changes.len() {
        0 => "Nothing to change".to_owned(),
        1 => "1 change".to_owned(),
        count => format!("{count} changes"),
    };
    if plan.unchanged_links() > 0 {
        below += &format!("; links without changes: {}", plan.unchanged_links());
    }
    if plan.other_links() > 0 {
        below += &format!("; links that are not in the file: {}", plan.other_links());
    }
    if plan.lacks_links() {
        below += "; not compared: links";
    }
    Drawing::Changes { changes, below }
}

/// Returns the changes of these steps.
pub(super) fn changes(steps: &[Step]) -> Vec<Change> {
    let changes = steps.iter().flat_map(|step| changes_of(step, &json!(step)));
    changes.collect()
}

/// Returns a line about a step, such as `edit link link_1 "Blog"`.
pub(super) fn line(step: &Step) -> String {
    let json = json!(step);
    let verb = json["step"].as_str().unwrap_or_default();
    let verb = verb.split('_').next().unwrap_or_default();
    let names: Vec<_> = changes_of(step, &json).iter().map(Change::name).collect();
    format!("{verb} {}", names.join(", "))
}

/// Returns the changes of a step, given with its JSON.
fn changes_of(step: &Step, json: &Value) -> Vec<Change> {
    if let Step::EditProfile { from, to, .. } = step {
        return field_changes(to, |field| from.get(field.name()).map(String::as_str));
    }
    let (from, to) = (&json["from"], &json["to"]);
    let what = if from.is_null() { "new link" } else { "link" };
    let change = Change::new(what, from.clone(), to.clone());
    vec![match &json["id"] {
        Value::Null => change,
        Value::String(id) => change.id(id),
        id => change.id(id),
    }]
}
