//! `profile auth login` on a terminal: the key is typed unseen, and the echo always comes back.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::{Child, Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use crate::program::Place;

/// A terminal with a person before it, and the program that runs in it.
struct Terminal {
    person: File,
    screen: File,
    shown: String,
    child: Child,
}

impl Terminal {
    fn run(place: &Place, arguments: &[&str]) -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let screen = File::options()
            .read(true)
            .write(true)
            .open(OsStr::from_bytes(name.to_bytes()))
            .unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_profile"))
            .args(arguments)
            .env_clear()
            .env("HOME", place.home.path())
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .stdin(screen.try_clone().unwrap())
            .stderr(screen.try_clone().unwrap())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            person: person.into(),
            screen,
            shown: String::new(),
            child,
        }
    }

    /// Waits for a question and types what follows.
    fn answer(&mut self, question: &str, typed: &str) {
        while !self.shown.contains(question) {
            let mut buffer = [0; 1024];
            let length = self.person.read(&mut buffer).unwrap();
            self.shown += &String::from_utf8_lossy(&buffer[..length]);
        }
        self.person.write_all(typed.as_bytes()).unwrap();
    }

    /// How the program ended, once the terminal is as it was.
    #[track_caller]
    fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        let modes = tcgetattr(&self.screen).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ECHO | LocalModes::ISIG));
        // Written last, so that there is an end to wait for.
        self.screen.write_all(b"END").unwrap();
        self.answer("END", "");
        (status.code(), self.shown)
    }
}

#[tokio::test]
async fn a_key_is_typed_unseen() {
    let place = Place::new().await;
    let mut terminal = Terminal::run(&place, &["auth", "login"]);
    terminal.answer("profiles.example: ", &format!("{}\n", place.service.uri()));
    terminal.answer("(not shown): ", &format!("{}\n", place.service.key()));
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(place.service.uri()), "{shown}");
    assert!(!shown.contains(place.service.key()), "{shown}");
    let stored = place.home.path().join(".config/profile/keys/127.0.0.1");
    assert!(stored.exists());
}

#[tokio::test]
async fn an_interrupted_question_gives_the_echo_back() {
    let place = Place::new().await;
    let login = ["auth", "login", "--base-url", place.service.uri()];
    let mut terminal = Terminal::run(&place, &login);
    terminal.answer("(not shown): ", "half a key\u{3}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    assert!(shown.contains("interrupted; nothing was stored"), "{shown}");
    assert!(!shown.contains("half"), "{shown}");
    assert!(!place.home.path().join(".config").exists());
}

#[tokio::test]
async fn a_terminal_is_no_source_of_a_token() {
    let place = Place::new().await;
    let login = [
        "auth",
        "login",
        "--with-token",
        "--base-url",
        place.service.uri(),
    ];
    let (code, shown) = Terminal::run(&place, &login).end();
    assert_eq!(code, Some(2));
    assert!(
        shown.contains("--with-token does not read a key from a terminal"),
        "{shown}"
    );
}
