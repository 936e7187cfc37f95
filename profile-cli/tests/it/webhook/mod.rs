//! `profile webhook`.

mod listen;
pub(crate) mod listener;
pub(crate) mod probe;
mod rejections;
mod replay;
mod secret;
mod send;
mod verify;

use std::path::{Path, PathBuf};

use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, MockServer as LocalReceiver, Respond};

use crate::program::Program;
pub(crate) use crate::program::home;

/// The example in GitHub's documentation. Its signatures have the same format.
pub(crate) const SECRET: &str = "It's a Secret to Everybody";
pub(crate) const BODY: &str = "Hello, World!";
pub(crate) const SIGNATURE: &str =
    "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

/// Returns `profile webhook` with the secret in its environment.
fn webhook(home: &Path, arguments: &[&str]) -> Program {
    Program::new(home, &[&["webhook"], arguments].concat()).env("PROFILE_WEBHOOK_SECRET", SECRET)
}

/// Returns the signature of a body.
#[track_caller]
fn sign(home: &Path, body: &[u8]) -> String {
    let sign = webhook(home, &["sign", "--body", "-"]);
    sign.stdin(body).run().stdout().trim_end().to_owned()
}

/// Starts a receiver that responds like this to every request.
async fn receiver(response: impl Respond + 'static) -> LocalReceiver {
    // Not of the pool, whose servers stay open until the process ends.
    let receiver = LocalReceiver::builder().start().await;
    let response = Mock::given(any()).respond_with(response);
    response.mount(&receiver).await;
    receiver
}

/// Writes a file that only its owner can access, and returns its path and the argument that names it.
fn file(home: &Path, name: &str, bytes: impl AsRef<[u8]>) -> (PathBuf, String) {
    let path = home.join(name);
    std::fs::write(&path, bytes).unwrap();
    #[cfg(unix)]
    rustix::fs::chmod(&path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let argument = path.to_str().unwrap().to_owned();
    (path, argument)
}
