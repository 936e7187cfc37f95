//! The curl command that sends the same request.

use profile_sdk::Request;

/// The command, with the key as a variable of the shell: nothing secret is in it.
pub(crate) fn command(base_url: &str, request: &Request, with_key: bool) -> String {
    let mut url = base_url.trim_end_matches('/').to_owned();
    url.push_str(request.path());
    if let Some(query) = request.query() {
        url.push('?');
        url.push_str(query);
    }
    let mut command = String::from("curl");
    // The path is percent-encoded as it has to be; curl would resolve dots and expand brackets.
    command.push_str(" --path-as-is --globoff");
    if request.method().as_str() != "GET" {
        command += &format!(" -X {}", request.method().as_str());
    }
    command += &format!(" {}", quoted(&url));
    if with_key {
        command.push_str(" \\\n  -H \"Authorization: Bearer $PROFILE_API_KEY\"");
    }
    if let Some(body) = request.body() {
        let body = quoted(&String::from_utf8_lossy(body));
        command.push_str(" \\\n  -H 'Content-Type: application/json'");
        command += &format!(" \\\n  --data-raw {body}");
    }
    command
}

/// The text in single quotes, as every shell of the POSIX kind reads it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
