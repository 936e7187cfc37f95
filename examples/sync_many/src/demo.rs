//! The demo: a service with some accounts, and two runs over a list of them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use mock_server::{MockServer, Scope};
use serde_json::json;
use sync_many::{Summary, Sync};

use crate::record_path;

const ACCOUNTS: usize = 12;

pub(crate) async fn run() -> Result<Summary, Box<dyn Error>> {
    let service = MockServer::start().await;
    let folder = tempfile::tempdir()?;
    let list = write_list(&service, folder.path())?;
    let sync = Sync::new(service.uri(), 4)?;
    crate::run(&sync, &list, &record_path(&list)).await?;
    // In the second run, everything is done, so nothing is sent.
    let second = crate::run(&sync, &list, &record_path(&list)).await?;
    service
        .expect("PATCH", "/me/profile")
        .times(ACCOUNTS as u64);
    Ok(second)
}

fn write_list(service: &MockServer, folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let mut list = String::new();
    for number in 1..=ACCOUNTS {
        let name = format!("shop{number}");
        let key_file = folder.join(&name);
        fs::write(
            &key_file,
            service.create_key(&name, &[Scope::ProfileWrite])?,
        )?;
        make_private(&key_file)?;
        let set = json!({"bio": "Open on Sundays, too.", "accent_color": "#ff8800"});
        let line = json!({"name": name, "key_file": name, "set": set});
        list += &format!("{line}\n");
    }
    let path = folder.join("accounts.jsonl");
    fs::write(&path, list)?;
    Ok(path)
}

#[cfg(unix)]
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> std::io::Result<()> {
    Ok(())
}
