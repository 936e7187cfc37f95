//! `profile webhook replay`: sends recorded deliveries unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use mock_server::wiremock::{Request, ResponseTemplate};

use super::listener::Listener;
use super::{BODY, SIGNATURE, home, receiver, sign, webhook};

const BINARY: &[u8] = b"\r\n\r\n\xff\x00 POST / HTTP/1.1\r\n";

/// Records two deliveries, and returns their files in order of arrival.
fn record(home: &Path) -> Vec<PathBuf> {
    let directory = home.join("deliveries");
    let record = directory.to_str().unwrap();
    let listener = Listener::start(home, &["--max", "2", "--record", record]);
    listener.delivers(204);
    listener.deliver("../odd/kind", &sign(home, BINARY), BINARY);
    listener.end().stdout();
    let files = fs::read_dir(directory).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[track_caller]
fn check(request: &Request, kind: &str, signature: &str, body: &[u8]) {
    assert_eq!(request.headers["x-service-event"], kind);
    assert_eq!(request.headers["x-service-signature"], signature);
    assert_eq!(request.body, body);
}

#[test]
fn a_delivery_is_recorded_before_the_response() {
    let home = home();
    let directory = home.path().join("deliveries");
    let record = directory.to_str().unwrap();
    let listener = Listener::start(home.path(), &["--max", "20", "--record", record]);
    for number in 1..=20 {
        listener.delivers(204);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), number);
    }
    listener.end().stdout();
}

#[test]
fn two_listeners_can_record_to_one_directory() {
    let home = home();
    let directory = home.path().join("deliveries");
    let record = ["--record", directory.to_str().unwrap()];
    let listeners = [0; 2].map(|_| Listener::start(home.path(), &record));
    for listener in listeners {
        listener.delivers(204);
        listener.stop();
    }
    // Without the time, which is different here.
    let names = fs::read_dir(directory).unwrap().map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        name.split_once('-').unwrap().1.to_owned()
    });
    assert_eq!(names.collect::<std::collections::BTreeSet<_>>().len(), 2);
}

#[tokio::test]
async fn sends_the_recordings_of_a_directory_unchanged() {
    let home = home();
    let files = record(home.path());
    let to = receiver(ResponseTemplate::new(204)).await;
    let directory = files[0].parent().unwrap();
    fs::write(directory.join("notes.txt"), "not a recording").unwrap();
    let arguments = ["replay", directory.to_str().unwrap(), "--to", &to.uri()];
    let program = webhook(home.path(), &arguments).without("PROFILE_WEBHOOK_SECRET");
    let replayed = program.run();
    for (line, file) in replayed.stdout().lines().zip(&files) {
        let columns: Vec<_> = line.split('\t').collect();
        let [_, _, milliseconds, named, error] = columns[..] else {
            panic!("{line}");
        };
        assert!(milliseconds.parse::<u64>().is_ok(), "{line}");
        let file = file.to_str().unwrap().replace('\\', r"\\");
        assert_eq!((named, error), (&*file, ""));
    }
    let requests = to.received_requests().await.unwrap();
    assert_eq!(requests.len(), 2);
    check(&requests[0], "post.liked", SIGNATURE, BODY.as_bytes());
    check(
        &requests[1],
        "../odd/kind",
        &sign(home.path(), BINARY),
        BINARY,
    );
    // The headers of the connection are not repeated.
    for name in ["host", "content-length", "user-agent"] {
        let headers = requests[0].headers.get_all(name);
        assert!(headers.iter().count() <= 1, "{name}");
    }
    files.iter().for_each(|file| fs::remove_file(file).unwrap());
    let run = webhook(home.path(), &arguments).run();
    run.fails(2, "contains no .http files");
}

#[test]
fn recordings_are_private_files() {
    #[cfg(unix)]
    use crate::config_owner::mode;

    let home = home();
    let files = record(home.path());
    #[cfg(unix)]
    assert_eq!(mode(home.path().join("deliveries")), 0o700);
    for file in &files {
        #[cfg(unix)]
        assert_eq!(mode(file), 0o600);
        let recorded = fs::read(file).unwrap();
        let text = String::from_utf8_lossy(&recorded);
        assert!(text.starts_with("POST /hooks HTTP/1.1\r\n"), "{text}");
        assert!(!text.contains(super::SECRET), "{text}");
    }
}

#[tokio::test]
async fn sends_nothing_unless_all_files_are_valid() {
    let home = home();
    let files = record(home.path());
    let to = receiver(ResponseTemplate::new(204)).await;
    let damaged = home.path().join("damaged");
    fs::write(&damaged, "{}\n").unwrap();
    let first = files[0].to_str().unwrap();
    let mut invalid = vec![damaged.to_str().unwrap(), "none"];
    let pipe = home.path().join("pipe.http");
    if cfg!(unix) {
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        invalid.extend([pipe.to_str().unwrap(), home.path().to_str().unwrap()]);
    }
    for second in invalid {
        let run = webhook(home.path(), &["replay", first, second, "--to", &to.uri()]).run();
        run.fails(2, second);
    }
    assert!(to.received_requests().await.unwrap().is_empty());
}
