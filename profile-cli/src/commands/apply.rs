//! `profile apply`: makes the profile equal to a file.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use profile_sdk::plan::{ApplyError, ApplyErrorReason, ApplyReport, Plan, Step, StepState};
use profile_sdk::{ErrorKind, Profile, Request, Scope, internal::quoted};
use serde_json::json;

use crate::commands::{auth, diff, link};
use crate::editor;
use crate::outcome::{Failure, FailureKind, Report, Result, View, WriteOutcome};
use crate::session::{DryRun, Session, preview};

/// The hint after an error.
const RUN_AGAIN: &str = "run the command again: it continues where it stopped";

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scopes profile:write for fields and links:write for links. The file is TOML or JSON, \
as printed by `profile export`. Fields that it does not contain are not changed, and \"\" clears a \
text. Without `links`, no link is changed. --prune deletes the links that are not in the file, except those \
without a valid URL, which a file cannot hold. The order of the links does not matter.

On a terminal, the program shows the changes and asks once, unless --yes, --no-input, --json or --quiet is given. \
Some questions need an answer or --yes everywhere: to delete links, to replace a value that has changed since \
`profile edit` kept the file, and to apply the file of another account, unless an option or a variable selects an \
account, a key or a base URL.

Links that are equal in the file and the profile are not changed. Any other link of the file is matched \
with one of the profile: by ID (only if [source] is this account), by URL, or by a unique title (only if \
[source] is this account or missing). The matching link is changed; without a match, a link is created. \
https://a.example and https://a.example/ are the same URL.

Some services change texts when they store them. A warning shows each text that the service returned in \
another form. Links also match if they differ only in such a form: in spaces at the ends, final slashes, \
Unicode normalization or the case of the host. Each run then edits the link again. If several links \
match, a warning names them, and none is changed.

The file and the scopes of the key are checked before anything is sent. If the response to a new \
link is lost and the profile does not show the link, the program stops. The link may appear later, so check \
`profile link list` before you run the command again. Do the same after Ctrl-C while a link was created. \
After any other error, run the command again: it continues where it stopped. Two runs at once may \
create a link twice. --json reports each step as done, not done, or unknown (its response was lost).

Examples:
  profile apply profile.toml --dry-run
  profile apply profile.toml --prune --yes
  profile export | profile --account work apply -")]
pub(crate) struct ApplyArguments {
    #[command(flatten)]
    file: diff::FileArgument,

    /// Delete links that are not in the file; asks first unless --yes is given
    #[arg(long)]
    prune: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: &ApplyArguments, session: &Session<'_>) -> Result<Report> {
    let (desired, shown) = diff::read(&arguments.file.input)?;
    let profile = session.read(session.client()?.me())?.into_data();
    let plan = diff::plan(&profile, &desired, arguments.prune, session)?;
    if plan.lacks_links() {
        return Err(diff::lacks_links());
    }
    let mut warnings = link::check_urls(&plan)?;
    warnings.extend(check_scopes(&plan, &profile)?);
    let note = diff::note(&profile, &desired, &session.service()?);
    let conflicts = diff::conflicts(&profile, &desired, shown.as_ref(), note.is_some());
    let report = if arguments.dry_run.dry_run {
        let requests: Vec<Request> = plan.steps().iter().map(Step::request).collect();
        let requests: Vec<&Request> = requests.iter().collect();
        let mut report = preview::dry_run(&requests, &diff::changes(plan.steps()));
        if plan.is_empty() {
            report.view = View::Drawing(diff::drawing(&plan));
        }
        report.warnings(diff::warnings(plan.warnings()).chain(conflicts))
    } else if plan.is_empty() {
        let mut unchanged = ApplyReport::default();
        unchanged.warnings = plan.warnings().to_vec();
        Report::new(json!(unchanged), View::Drawing(diff::drawing(&plan)))
            .warnings(diff::warnings(plan.warnings()))
    } else {
        if !conflicts.is_empty() && !session.settings.yes && !session.can_ask() {
            let failure = Failure::new(FailureKind::Conflict, conflicts.join("\n"));
            return Err(failure.hint("add --yes to replace it"));
        }
        session.output.preview(&diff::drawing(&plan));
        let is_of_other = note.is_some() && !session.settings.sources.is_account_chosen()?;
        let is_watched = session.can_ask() && session.output.is_watched() && !session.output.quiet;
        let is_plain = is_watched && io::stdin().is_terminal();
        let plain = is_plain.then(|| "Apply the changes?".to_owned());
        if let Some(question) = question(&plan, is_of_other, conflicts).or(plain) {
            session.confirm(&question)?;
        }
        carry_out(&plan, session)?
    };
    let report = report.warnings(warnings);
    if arguments.dry_run.dry_run {
        return Ok(report);
    }
    editor::delete_sent(&arguments.file.input, session, || {
        if note.is_some() {
            return Ok(false);
        }
        // A success response may not have come from the service.
        let profile = session.read(session.client()?.me())?.into_data();
        Ok(diff::plan(&profile, &desired, arguments.prune, session)?.is_empty())
    });
    Ok(report)
}

/// Fails if the key lacks a scope. Returns a warning if its scopes are not all known.
fn check_scopes(plan: &Plan, profile: &Profile) -> Result<Option<String>> {
    for step in plan.steps() {
        auth::permissions::check(profile, step.request().operation())?;
    }
    let scopes = profile.key.as_ref().and_then(|key| key.scopes.as_ref());
    let lacks = |scope: &Scope| scopes.is_none_or(|scopes| !scopes.contains(scope));
    let unclear = plan.required_scopes().into_iter().find(lacks);
    let warning = |scope| format!("the service does not show that the key has the scope {scope}");
    Ok(unclear.map(warning))
}

fn carry_out(plan: &Plan, session: &Session<'_>) -> Result<Report> {
    let done = AtomicUsize::new(0);
    session.begin_write();
    let applying = session.client()?.apply(plan).on_step(|step, state| {
        if state == StepState::Done {
            tracing::info!("done: {}", diff::line(step));
            done.fetch_add(1, Ordering::Relaxed);
        }
    });
    let count = || done.load(Ordering::Relaxed);
    let progress = || format!("applying: {} of {}, ", count(), plan.steps().len());
    match session.until_interrupted(applying, progress)? {
        Ok(report) => Ok(report_on(&report, plan)),
        Err(error) => Err(failure(error, plan, session)),
    }
}

fn failure(error: ApplyError, plan: &Plan, session: &Session<'_>) -> Failure {
    let ApplyError { reason, report, .. } = error;
    match reason {
        ApplyErrorReason::LinksNotListed => diff::lacks_links(),
        ApplyErrorReason::Call(error) if error.kind() == ErrorKind::Canceled => {
            let message = match &report.unknown {
                Some(_) => "interrupted while a change was being sent",
                None => "interrupted before the next change was sent",
            };
            let failure = Failure::new(FailureKind::Interrupted, message);
            with_report(failure, &report, plan)
        }
        ApplyErrorReason::Call(error) => {
            let failure = session.failure(&error, |error| error.into());
            with_report(failure, &report, plan)
        }
        ApplyErrorReason::Outdated => {
            let message = "the profile has changed since it was read; nothing was sent";
            Failure::new(FailureKind::Conflict, message).hint("run the command again")
        }
        reason => Failure::new(FailureKind::Conflict, reason.to_string()),
    }
}

/// Adds the report and the outcome of the step that failed.
fn with_report(mut failure: Failure, report: &ApplyReport, plan: &Plan) -> Failure {
    failure.hints.push(match &report.unknown {
        Some(step) => format!("the result of this step is unknown: {}", diff::line(step)),
        None if failure.retryable => RUN_AGAIN.to_owned(),
        None => format!("once this is resolved, {RUN_AGAIN}"),
    });
    let outcome = match report.unknown {
        Some(_) => WriteOutcome::Unknown("profile show".to_owned()),
        None => WriteOutcome::NotDone,
    };
    failure.outcome(outcome).done(report_on(report, plan))
}

/// Returns the report of a run. People have seen the changes in the plan.
fn report_on(report: &ApplyReport, plan: &Plan) -> Report {
    let (done, planned) = (diff::changes(&report.done), diff::changes(plan.steps()));
    let sentence = match (done.len(), planned.len()) {
        (1, 1) => "Applied 1 change.".to_owned(),
        (count, planned) if count == planned => format!("Applied {count} changes."),
        (count, planned) => format!("Applied {count} of {planned} changes."),
    };
    let steps = [
        ("done", &report.done[..]),
        ("unknown", report.unknown.as_slice()),
        ("not done", &report.not_done),
    ];
    let lines = steps.into_iter().flat_map(|(state, steps)| {
        let lines = steps.iter().map(diff::line);
        lines.map(move |line| format!("{state}: {line}"))
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    Report::new(json!(report), View::Text(lines))
        .for_people(View::Sentence(sentence))
        .of_change()
        .warnings(diff::warnings(&report.warnings))
}

/// Returns the question about deletions, another account and changed values, if there are any.
fn question(plan: &Plan, is_of_other: bool, mut shown: Vec<String>) -> Option<String> {
    let mut actions = Vec::new();
    if is_of_other {
        actions.push("apply the file of another account".to_owned());
    }
    if !shown.is_empty() {
        actions.push("replace what has changed".to_owned());
    }
    let links = plan.steps().iter().filter_map(|step| {
        let Step::DeleteLink { from, .. } = step else {
            return None;
        };
        let text = |text: &Option<String>| quoted(text.as_deref().unwrap_or_default());
        Some(format!("  {} {}", text(&from.title), text(&from.url)))
    });
    let links: Vec<_> = links.collect();
    match links.len() {
        0 => {}
        1 => actions.push("delete this link, which is not in the file".to_owned()),
        count => actions.push(format!(
            "delete these {count} links, which are not in the file"
        )),
    }
    shown.extend(links);
    let mut action = actions.join(", and ");
    action.get_mut(..1)?.make_ascii_uppercase();
    shown.push(action + "?");
    Some(shown.join("\n"))
}
