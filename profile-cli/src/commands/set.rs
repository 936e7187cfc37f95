//! `profile set`: changes fields of the profile.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use profile_sdk::{FieldKind, Profile, ProfileField, ProfileUpdate, Response, RetryPolicy};

use crate::drawing::{Change, Contrast, text_and_background};
use crate::input::{ProfileChanges, TextArgument};
use crate::outcome::{Failure, NextCommand, Report, Result, View, push_field};
use crate::session::{DryRun, Session, preview};

pub(crate) const RESOURCE: &str = "profile";
pub(crate) const CHECK_COMMAND: &str = "profile show";

/// The maximum time for reading the old values.
const MAX_READ: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
// The usage of clap would list all fields, in a line of 180 columns.
#[command(override_usage = "profile set [OPTIONS] <--FIELD <VALUE>>...")]
#[command(after_help = "\
Requires the scope profile:write. An empty string clears the display name, bio or location.

--bio @./PATH reads the bio from a file, as do @../PATH and @/PATH, and --bio - from stdin; one line \
break at the end is removed, and \\r\\n is sent as \\n. Any other text that starts with @ is the bio itself, but \
@ followed by the name of an existing file is an error.

The service accepts colors as #rrggbb; #rgb and CSS names are converted, and a note shows the \
result. The contrast between text and background should be at least 4.5:1. The changed fields are \
printed, on a terminal beside their old values; with --json, the profile.

Examples:
  profile set --display-name Ada --accent-color '#ff8800'
  profile set --bio @./bio.txt --text-color black --background-color ivory
  profile set --location ''")]
pub(crate) struct SetArguments {
    #[command(flatten)]
    fields: FieldArguments,

    #[command(flatten)]
    dry_run: DryRun,
}

/// The fields in the order of the specification, as entered.
#[derive(Debug)]
struct FieldArguments(Vec<(ProfileField, TextArgument)>);

impl Args for FieldArguments {
    fn augment_args(command: Command) -> Command {
        let fields = ProfileField::ALL.iter().copied();
        let names = fields.clone().map(ProfileField::name);
        let group = ArgGroup::new("fields").required(true).multiple(true);
        command.args(fields.map(argument)).group(group.args(names))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FieldArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let entered = |field: &ProfileField| {
            let text = matches.get_one::<TextArgument>(field.name())?;
            Some((*field, text.clone()))
        };
        Ok(Self(ProfileField::ALL.iter().filter_map(entered).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Describes the values of a field.
pub(crate) fn limits(field: ProfileField) -> String {
    match field.kind() {
        FieldKind::Color => "#rrggbb, #rgb or a CSS name".to_owned(),
        kind => kind.to_string(),
    }
}

/// Returns the option of a field. Only a text of several lines can be read from a file.
fn argument(field: ProfileField) -> Arg {
    let is_multiline = field.kind().max_lines() > Some(1);
    let value = match field.kind() {
        FieldKind::Color => "COLOR",
        _ if is_multiline => "TEXT|@./PATH|-",
        _ => "TEXT",
    };
    let parse = move |entered: &str| match is_multiline {
        true => entered.parse(),
        false => Ok(TextArgument::Text(entered.to_owned())),
    };
    Arg::new(field.name())
        .long(field.kebab_name())
        .value_name(value)
        .help(format!("New {}: {}", field.description(), limits(field)))
        .allow_hyphen_values(is_multiline)
        .value_parser(parse)
}

/// Fails if an option follows that of a field, whose value it would be. Other texts that begin with a
/// hyphen may be the first item of a list.
fn check_option(option: &str, entered: &TextArgument, words: &[OsString]) -> Result<()> {
    let TextArgument::Text(value) = entered else {
        return Ok(());
    };
    let is_separate = |pair: &[OsString]| pair[0] == *option && pair[1] == **value;
    let short = value.strip_prefix('-').filter(|name| name.len() == 1);
    let is_option = value.strip_prefix("--").or(short).is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(char::is_whitespace)
    });
    match is_option && words.windows(2).any(is_separate) {
        true => Err(Failure::usage(format!(
            "{option}: found the option {value}; for this text, use {option}={value}"
        ))),
        false => Ok(()),
    }
}

pub(crate) fn run(arguments: SetArguments, session: &Session<'_>) -> Result<Report> {
    let mut changes = ProfileChanges::default();
    for (field, entered) in arguments.fields.0 {
        let option = format!("--{}", field.kebab_name());
        check_option(&option, &entered, session.words)?;
        let text = entered.read(&option, session.output)?;
        let added = changes.add(field, &text);
        // The option names the field.
        let prefix = format!("{field}: ");
        let reason = |error: &str| error.strip_prefix(&prefix).unwrap_or(error).to_owned();
        added.map_err(|error| Failure::usage(format!("{option}: {}", reason(&error))))?;
    }
    session.output.note_all(&changes.notes);
    let update = changes.update;
    if arguments.dry_run.dry_run {
        let profile = session.read(session.client()?.me())?;
        return preview(&update, profile.data(), session);
    }
    let before = old_values(session)?;
    let call = session.client()?.update_profile(&update);
    let response = session.write(call, RESOURCE, CHECK_COMMAND)?;
    Ok(report(&update, &response, before.as_ref()))
}

/// Reads the profile if its old values are printed. If that fails, the change is sent without them.
fn old_values(session: &Session<'_>) -> Result<Option<Profile>> {
    if !session.output.is_watched() {
        return Ok(None);
    }
    let once = RetryPolicy::new().max_retries(0);
    let call = session.client()?.me().retry(once);
    let read = session.send(call.total_timeout(MAX_READ), None)?;
    let read = read.map(Response::into_data).map_err(|error| {
        let reason = Failure::from(&error).message;
        let note = format!("the old values could not be read: {reason}");
        session.output.note(&note);
    });
    Ok(read.ok())
}

/// Reports the changed fields, for people beside the values before, if they are known.
pub(crate) fn report(
    update: &ProfileUpdate,
    response: &Response<Option<Profile>>,
    before: Option<&Profile>,
) -> Report {
    let profile = response.data().clone().unwrap_or_default();
    let show = NextCommand(CHECK_COMMAND);
    let sentence = format!("The service accepted the change; {show} prints the profile.");
    let mut changed = Vec::new();
    let mut changes = Vec::new();
    for &field in ProfileField::ALL {
        if let Some(sent) = update.get(field) {
            let new = profile.get(field);
            push_field(&mut changed, field.name(), new);
            let old = before.and_then(|before| before.get(field));
            changes.push(Change::new(field.name(), old, new.unwrap_or(sent)));
        }
    }
    let report = Report::written(response, View::Fields(changed), "updated", &sentence)
        .warnings(contrast_after(update, &profile));
    match before {
        Some(_) => report.showing(changes),
        None => report,
    }
}

/// Returns the preview of an update.
pub(crate) fn preview(
    update: &ProfileUpdate,
    profile: &Profile,
    session: &Session<'_>,
) -> Result<Report> {
    let call = session.client()?.update_profile(update);
    let changes = preview::field_changes(update, |field| profile.get(field));
    let report = preview::dry_run(&[call.request()?], &changes);
    Ok(report.warnings(contrast_after(update, profile)))
}

/// Returns a warning if an update changes a color and the contrast is too low after it.
fn contrast_after(update: &ProfileUpdate, profile: &Profile) -> Option<String> {
    if update.text_color.is_none() && update.background_color.is_none() {
        return None;
    }
    let after = |field| update.get(field).or_else(|| profile.get(field));
    Contrast::of(text_and_background(after)?).warning()
}
