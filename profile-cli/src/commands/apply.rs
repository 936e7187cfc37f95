//! `profile apply`: makes the profile equal to a file.

use clap::Args;
use profile_sdk::{Call, ErrorKind, Profile, Request};

use crate::commands::diff::{self, FileArgument};
use crate::outcome::failed_call;
use crate::outcome::failure::Failure;
use crate::outcome::report::{Report, View};
use crate::profile_file::executor::{Job, Service, Unsuccessful};
use crate::profile_file::plan::{Plan, Step, edit_of};
use crate::session::Session;
use crate::session::dry_run::{self, DryRun};
use crate::terminal::progress::Progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Requires the scopes profile:write for fields and links:write for links. The file is TOML, as printed
by `profile export`. Fields that it does not contain are not changed, and \"\" clears a text. Without
`links`, no link is changed. --prune deletes the links that are not in the file. The order of the
links does not matter.

A link of the file that the profile already has is left alone. Any other is matched by ID if [source]
names this service and handle, otherwise by URL, otherwise by title, and the matched link is changed.
Without a match, a link is created.

All problems of the file are reported before anything is sent. The profile is read again before the
first change, and again after a lost response, so that no link is created twice. After an error or
Ctrl-C, run the command again: it continues where it stopped.

Examples:
  profile apply profile.toml --dry-run
  profile apply profile.toml --prune --yes
  profile export | profile --account work apply -")]
pub(crate) struct ApplyArguments {
    #[command(flatten)]
    file: FileArgument,

    /// Delete links that are not in the file; asks first unless --yes is given
    #[arg(long)]
    prune: bool,

    #[command(flatten)]
    dry_run: DryRun,
}

pub(crate) fn run(arguments: &ApplyArguments, session: &Session<'_>) -> Result<Report, Failure> {
    let file = arguments.file.read()?;
    let job = Job {
        file: &file,
        service: &session.service()?,
        prune: arguments.prune,
    };
    if session.settings.curl {
        let me = session.client()?.me();
        session
            .output
            .note("the changes depend on the profile; --dry-run shows them");
        return session.as_curl(&[me.request().map_err(Failure::unsent)?]);
    }
    let plan = job.plan(session.read(session.client()?.me())?.data())?;
    if arguments.dry_run.dry_run {
        let requests = plan
            .steps
            .iter()
            .map(|step| step.request(session.client()?));
        let requests = requests.collect::<Result<Vec<_>, Failure>>()?;
        let report = dry_run::preview(&requests.iter().collect::<Vec<&Request>>(), &plan.changes());
        return diff::with_links(&plan, report);
    }
    if plan.steps.is_empty() {
        return diff::with_links(&plan, diff::report(&plan, &[], "applied"));
    }
    let preview = diff::text(&plan, &plan.changes());
    session.output.preview(&format!("{preview}\n"));
    if let Some(question) = question(&plan) {
        session.confirm(&question)?;
    }
    carry_out(&job, &plan, session)
}

fn carry_out(job: &Job<'_>, plan: &Plan, session: &Session<'_>) -> Result<Report, Failure> {
    let mut progress = Progress::begin("applying", plan.steps.len(), session.output.is_quiet());
    let mut changes = Vec::new();
    let result = job.carry_out(&plan.steps, &mut Remote(session), |step| {
        changes.extend(step.changes());
        progress.advance();
    });
    drop(progress);
    let report = diff::report(plan, &changes, "applied").of_change();
    let report = Report {
        // People have seen the changes in the plan.
        view: View::split(View::Sentence(applied(plan, changes.len())), report.view),
        ..report
    };
    match result {
        Ok(()) => diff::with_links(plan, report),
        Err(failure) => {
            let hint = match &failure.hint {
                Some(hint) => format!("{hint}; the next run continues where this one stopped"),
                None => "run the command again: it continues where it stopped".to_owned(),
            };
            let done = (!changes.is_empty()).then(|| Box::new(report));
            Err(Failure { done, ..failure }.hint(hint))
        }
    }
}

fn applied(plan: &Plan, count: usize) -> String {
    match (count, plan.changes().len()) {
        (1, 1) => "Applied 1 change.".to_owned(),
        (count, planned) if count == planned => format!("Applied {count} changes."),
        (count, planned) => format!("Applied {count} of {planned} changes."),
    }
}

/// Returns the question about deletions, if there are any.
fn question(plan: &Plan) -> Option<String> {
    let deleted = plan.steps.iter().filter_map(|step| match step {
        Step::DeleteLink { link, .. } => Some(format!("  {:?} {}\n", link.title, link.url)),
        _ => None,
    });
    let deleted: Vec<_> = deleted.collect();
    let links = deleted.concat();
    match deleted.len() {
        0 => None,
        1 => Some(format!(
            "{links}Delete this link, which is not in the file?"
        )),
        count => Some(format!(
            "{links}Delete these {count} links, which are not in the file?"
        )),
    }
}

/// The service of the session.
struct Remote<'a>(&'a Session<'a>);

impl Service for Remote<'_> {
    fn read(&mut self) -> Result<Profile, Failure> {
        Ok(self.0.read(self.0.client()?.me())?.into_data())
    }

    fn send(&mut self, step: &Step) -> Result<(), Unsuccessful> {
        let client = self.0.client()?;
        match step {
            Step::SetFields { update, .. } => self.change("profile", client.update_profile(update)),
            Step::UpdateLink { id, to, .. } => {
                self.change(&format!("link {id}"), client.update_link(id, &edit_of(to)))
            }
            Step::CreateLink(link) => self.change("list of links", client.create_link(link)),
            Step::DeleteLink { id, .. } => {
                self.change(&format!("link {id}"), client.delete_link(id))
            }
        }
    }
}

impl Remote<'_> {
    /// Sends a write of `what`.
    fn change<T>(&self, what: &str, call: Call<T>) -> Result<(), Unsuccessful> {
        let sent = self.0.send(call)?;
        sent.map(drop).map_err(|error| Unsuccessful {
            is_unclear: error.may_have_been_applied() || error.kind() == ErrorKind::NotFound,
            failure: Box::new(failed_call::about(what, error)),
        })
    }
}
