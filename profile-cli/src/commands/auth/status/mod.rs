//! `profile auth status`: the account, its permissions, and problems of settings and connection.

mod checks;
mod facts;

use profile_sdk::{Call, RetryPolicy};

use crate::outcome;
use crate::outcome::failure::{Failure, FailureKind, LOG_IN_HINT, sandbox_hint};
use crate::outcome::report::Report;
use crate::session::Session;
use crate::settings::{Key, Setting, SettingName, without_credentials};

use facts::Facts;

pub(crate) const HELP: &str = "\
Sends GET /me, once, and checks config.toml, the permissions of files with secrets, the key, the base
URL, the proxy, the connection and the clock. Problems and advice are printed to stderr. At most the
last four characters of the key are shown, and only if it has at least sixteen.

The exit code is that of the worst problem: 4 without a key, 8 without a response.

Examples:
  profile auth status
  profile auth status --account work --json";

/// The problems that were found so far.
#[derive(Default)]
struct Findings {
    failures: Vec<Failure>,
    warnings: Vec<String>,
}

pub(crate) fn run(session: &Session<'_>) -> Result<Report, Failure> {
    if session.settings.curl {
        let preview = session.curl_preview(&[session.client()?.me()])?;
        return Ok(preview.expect("--curl is given"));
    }
    let mut findings = Findings::default();
    let mut facts = match session.settings.sandbox {
        true => Facts::of_sandbox(),
        false => local(session, &mut findings),
    };
    if facts.can_connect {
        ask_service(&mut facts, &mut findings, session)?;
    }
    let report = facts.report(findings.warnings);
    outcome::of_batch(Some(report), findings.failures)
}

/// Checks this machine: the settings, files with secrets, the key and the base URL.
fn local(session: &Session<'_>, findings: &mut Findings) -> Facts {
    let settings = &session.settings;
    checks::settings(settings, findings);
    checks::files(settings, findings);
    let mut facts = Facts::default();
    let mut is_missing = false;
    match Key::find(settings) {
        Ok(Some(key)) => facts.set_key(&key),
        Ok(None) => is_missing = true,
        Err(failure) => findings.push(failure),
    }
    let has_accounts = !settings.config.accounts().is_empty();
    match settings.base_url() {
        Ok(base_url) => {
            if is_missing {
                findings.push(no_key());
            }
            facts.base_url = Some(without_credentials(&base_url.value));
            facts.can_connect = check_connection(&base_url, &mut facts, findings, session);
        }
        Err(_) if is_missing && !has_accounts => findings.push(no_key()),
        Err(failure) => findings.push(failure),
    }
    facts
}

fn no_key() -> Failure {
    let failure = Failure::new(FailureKind::Unauthorized, "no API key is set");
    failure.hint(format!("{LOG_IN_HINT}{}", sandbox_hint()))
}

/// Returns `true` if the base URL and the proxy are valid.
fn check_connection(
    base_url: &Setting<String>,
    facts: &mut Facts,
    findings: &mut Findings,
    session: &Session<'_>,
) -> bool {
    if let Err(reason) = SettingName::BaseUrl.check(&base_url.value) {
        let failure = Failure::usage(format!("the base URL {reason}"));
        let advice = format!("check the base URL from {}", base_url.source);
        findings.push(failure.hint(advice));
        return false;
    }
    match session.settings.proxy(&base_url.value) {
        Ok(proxy) => facts.proxy = proxy.map(|proxy| shown(&proxy)),
        Err(failure) => {
            findings.push(failure);
            return false;
        }
    }
    match session.client() {
        Ok(_) => true,
        Err(failure) => {
            findings.push(failure);
            false
        }
    }
}

fn shown(setting: &Setting<String>) -> String {
    let Setting { value, source } = setting;
    format!("{} ({source})", without_credentials(value))
}

/// Reads the profile; without a key, the counters of the site, which require none.
fn ask_service(
    facts: &mut Facts,
    findings: &mut Findings,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let client = session.client()?;
    if facts.key.is_some() {
        facts.profile = answer(client.me(), facts, findings, session)?;
    } else {
        answer(client.site_stats(), facts, findings, session)?;
    }
    Ok(())
}

/// Sends a call once, and returns the data of the response.
fn answer<T>(
    call: Call<T>,
    facts: &mut Facts,
    findings: &mut Findings,
    session: &Session<'_>,
) -> Result<Option<T>, Failure> {
    // Reports the first error, instead of waiting for minutes.
    let answer = session.send(call.retry(RetryPolicy::new().max_retries(0)))?;
    let date = match &answer {
        Ok(response) => response.header("date"),
        Err(error) => error.header("date"),
    };
    findings.warnings.extend(date.and_then(checks::clock));
    match answer {
        Ok(response) => {
            let milliseconds = response.elapsed().as_millis();
            let status = response.status();
            facts.service = Some(format!("status {status} after {milliseconds} ms"));
            Ok(Some(response.into_data()))
        }
        Err(error) => {
            findings.push(Failure::from(error));
            Ok(None)
        }
    }
}

impl Findings {
    /// Adds a failure, unless another check has found it too.
    fn push(&mut self, failure: Failure) {
        let is_known = |known: &Failure| known.message.contains(&failure.message);
        if !self.failures.iter().any(is_known) {
            self.failures.push(failure);
        }
    }
}
