//! Checks of the connection to the service, and of its response.

use std::collections::BTreeSet;
use std::net::TcpStream;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use profile_sdk::{Call, Error, Profile, Response, RetryPolicy};
use url::Url;

use super::check::Check;
use crate::commands::auth::permissions;
use crate::outcome::failed_call::SCOPE_HINT;
use crate::outcome::failure::Failure;
use crate::session::Session;
use crate::settings::{Key, SettingName, without_credentials};

/// Maximum time for a connection to one address.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum difference between the clocks of the service and of this machine, in seconds.
const MAX_SKEW: i64 = 60;

pub(super) fn checks(session: &Session<'_>) -> Result<Vec<Check>, Failure> {
    let settings = &session.settings;
    let base_url = match settings.base_url() {
        Ok(base_url) => base_url,
        Err(failure) => return Ok(vec![Check::failed("base_url", failure)]),
    };
    let shown = format!(
        "{} ({})",
        without_credentials(&base_url.value),
        base_url.source
    );
    if let Err(reason) = SettingName::BaseUrl.check(&base_url.value) {
        let finding = format!("{shown}: {reason}");
        let advice = "set it to a URL such as https://profiles.example";
        return Ok(vec![Check::problem("base_url", finding, advice)]);
    }
    let mut checks = vec![Check::ok("base_url", shown)];
    let proxy = match settings.proxy(&base_url.value) {
        Ok(proxy) => proxy,
        Err(failure) => {
            checks.push(Check::failed("proxy", failure));
            return Ok(checks);
        }
    };
    let shown = proxy.as_ref().map_or("none".to_owned(), |proxy| {
        format!("{} ({})", without_credentials(&proxy.value), proxy.source)
    });
    checks.push(Check::ok("proxy", shown));
    let next = proxy.map_or(base_url.value.clone(), |proxy| proxy.value);
    // Settings that are not URLs are reported by the client.
    if let Ok(url) = Url::parse(&next)
        && !push_connection(&mut checks, &url)
    {
        return Ok(checks);
    }
    let client = match session.client() {
        Ok(client) => client,
        Err(failure) => {
            checks.push(Check::failed("service", failure));
            return Ok(checks);
        }
    };
    let is_https = base_url.value.starts_with("https:");
    if let Ok(Some(_)) = Key::find(settings) {
        let profile = push_response(&mut checks, client.me(), is_https, session)?;
        checks.extend(profile.map(|profile| scopes(&profile)));
    } else {
        push_response(&mut checks, client.site_stats(), is_https, session)?;
    }
    Ok(checks)
}

/// Looks up the host and connects to it. Returns `false` if that fails.
fn push_connection(checks: &mut Vec<Check>, url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().to_owned();
    let addresses = match url.socket_addrs(|| None) {
        Ok(addresses) => addresses,
        Err(error) => {
            let finding = format!("{host}: {error}");
            let advice = "check the spelling of the host, and the network";
            checks.push(Check::problem("dns", finding, advice));
            return false;
        }
    };
    let listed: BTreeSet<_> = addresses
        .iter()
        .map(|address| address.ip().to_string())
        .collect();
    let listed: Vec<_> = listed.into_iter().collect();
    checks.push(Check::ok("dns", format!("{host}: {}", listed.join(", "))));
    let mut reason = "no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, TIMEOUT) {
            Ok(_) => {
                checks.push(Check::ok("connection", address.to_string()));
                return true;
            }
            Err(error) => reason = format!("{address}: {error}"),
        }
    }
    let advice = "check the port, the network, and the firewall";
    checks.push(Check::problem("connection", reason, advice));
    false
}

/// Sends a request, and checks TLS, the response and its date. Returns the data of the response.
fn push_response<T>(
    checks: &mut Vec<Check>,
    call: Call<T>,
    is_https: bool,
    session: &Session<'_>,
) -> Result<Option<T>, Failure> {
    // Reports the first error, instead of waiting for minutes.
    let call = call.retry(RetryPolicy::new().max_retries(0));
    let answer = session.send(call)?;
    let has_response = !matches!(&answer, Err(error) if error.status().is_none());
    if is_https && has_response {
        checks.push(Check::ok("tls", "the certificate is trusted"));
    }
    let date = match &answer {
        Ok(response) => response.header("date"),
        Err(error) => error.header("date"),
    };
    let clock = date.and_then(clock);
    let data = match answer {
        Ok(response) => {
            checks.push(Check::ok("service", status(&response)));
            Some(response.into_data())
        }
        Err(error) => {
            let name = if is_https && !has_response {
                "tls"
            } else {
                "service"
            };
            checks.push(of_error(name, error));
            None
        }
    };
    checks.extend(clock);
    Ok(data)
}

fn status<T>(response: &Response<T>) -> String {
    let milliseconds = response.elapsed().as_millis();
    format!("status {} after {milliseconds} ms", response.status())
}

fn of_error(name: &'static str, error: Error) -> Check {
    let mut failure = Failure::from(error);
    let advice = match name {
        "tls" => "check the certificate, and that the service uses TLS on this port",
        _ if failure.retryable => "try again later; -vv logs the response",
        _ => "check the base URL; -vv logs the response",
    };
    failure.hint.get_or_insert_with(|| advice.to_owned());
    Check::failed(name, failure)
}

/// Compares the clock of this machine with the date of a response.
fn clock(date: &str) -> Option<Check> {
    let service = rfc2822::parse(date).ok()?.timestamp();
    let ahead = Timestamp::now().as_second() - service.as_second();
    if ahead.abs() <= MAX_SKEW {
        return Some(Check::ok("clock", "agrees with the service"));
    }
    let direction = if ahead > 0 { "ahead of" } else { "behind" };
    let seconds = ahead.abs();
    let finding = format!("{seconds} seconds {direction} the clock of the service");
    let advice = "synchronize the clock; certificates and delays depend on it".to_owned();
    Some(Check::warning("clock", finding, advice))
}

fn scopes(profile: &Profile) -> Check {
    let key = profile.key.as_ref();
    let Some(scopes) = permissions::known(key.and_then(|key| key.scopes.as_ref())) else {
        return Check::ok("scopes", "the service does not list them");
    };
    let denied = permissions::of(scopes).denied.into_iter();
    let missing: BTreeSet<_> = denied.map(|(_, scope)| scope).collect();
    let missing: Vec<_> = missing.into_iter().collect();
    if missing.is_empty() {
        return Check::ok("scopes", "all that the commands require");
    }
    let finding = format!("the key lacks {}", missing.join(", "));
    Check::warning("scopes", finding, SCOPE_HINT.to_owned())
}
