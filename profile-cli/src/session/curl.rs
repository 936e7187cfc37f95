//! Renders requests as curl commands.

use profile_sdk::Request;

/// Returns the command. The key is a shell variable, so the command contains no secret.
pub(crate) fn command(base_url: &str, request: &Request, with_key: bool) -> String {
    let mut url = base_url.trim_end_matches('/').to_owned();
    url.push_str(request.path());
    if let Some(query) = request.query() {
        url.push('?');
        url.push_str(query);
    }
    let mut command = String::from("curl");
    // Keep curl from resolving dots and expanding brackets in the path, which is already encoded.
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

/// Quotes text for POSIX shells.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
