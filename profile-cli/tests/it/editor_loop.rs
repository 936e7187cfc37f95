//! The table of the editor loop, on a terminal: with a script, and with vim and nano where they are installed.

use std::time::Duration;
use std::{env, thread};

use mock_server::journal::RequestPattern;
use mock_server::{Fault, FaultRule};
use serde_json::{Value, json};

use crate::command::QUESTION;
use crate::edit::{edits, replace, sent, unsent};
use crate::program::Fixture;
use crate::pseudo_terminal::{END, Terminal};

/// An editor: how it is started, and the keys that quit, that save and quit, and that set the location.
struct Keys {
    start: fn() -> String,
    quit: &'static str,
    save: &'static str,
    set: fn(&str) -> String,
}

const SCRIPT: Keys = Keys {
    start: || {
        edits(|text, call| {
            match call.stdin.trim_end() {
                "" => {}
                typed => *text = replace(text, "location = ", &format!("location = {typed:?}")),
            }
            0
        })
    },
    quit: "\n",
    save: "\n",
    set: |location| format!("{location}\n"),
};

#[cfg(unix)]
const VIM: Keys = Keys {
    start: || "vim -u NONE -i NONE -N".to_owned(),
    quit: ":q!\r",
    save: ":wq\r",
    set: |location| format!(":%s/^location = .*/location = \"{location}\"/\r:wq\r"),
};

// Ctrl-X; Ctrl-O and Enter; a search with Ctrl-W, Ctrl-K and the new line.
#[cfg(unix)]
const NANO: Keys = Keys {
    start: || "nano -I".to_owned(),
    quit: "\u{18}",
    save: "\u{f}\r\u{18}",
    set: |location| format!("\u{17}location = \r\u{b}location = \"{location}\"\r\u{f}\r\u{18}"),
};

/// A step of a person, of the service, or of the program.
enum Step {
    /// The editor is open.
    Opens,
    Quits,
    Saves,
    Sets(&'static str),
    /// Another program changes the location.
    Theirs(&'static str),
    /// The next change is answered with this status.
    Answers(u16),
    Sees(&'static str),
    Types(&'static str),
}

use Step::{Answers, Opens, Quits, Saves, Sees, Sets, Theirs, Types};

/// The locations that were sent, the number of texts that were kept, and the exit code.
type Row = (&'static [Step], &'static [&'static str], usize, i32);

const STAYS: &str = " open, add an option such as `--wait` to its command";
const AGAIN: &str = "Edit again (y), or stop and keep the text (n)? [y] ";
const OR_SEND: &str = "Edit again (y), send mine (s), or stop and keep the text (n)? [y] ";
const UNCHANGED: &str = "Nothing was changed.";
const TOO_LONG: &str = "0123456789012345678901234567890123456789x";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Unchanged, at once.
    (&[Quits, Sees(STAYS), Sees("Nothing changed.")], &[], 1, 0),
    (&[Saves, Sees(STAYS), Sees("Nothing changed.")], &[], 1, 0),
    // Accepted.
    (&[Sets("mine")], &["mine"], 0, 0),
    // Invalid.
    (&[Sets(TOO_LONG), Sees(AGAIN), Types("s\r"), Sees(AGAIN), Types("\r"), Sets("short")], &["short"], 0, 0),
    #[cfg(unix)]
    (&[Sets(TOO_LONG), Sees("your text is saved in "), Sees(AGAIN), Types("\u{3}")], &[], 1, -2),
    (&[Sets(TOO_LONG), Sees(AGAIN), Types(END), Sees("your text is saved in ")], &[], 1, 130),
    (&[Sets(TOO_LONG), Sees(AGAIN), Types("y\r"), Quits, Sees(UNCHANGED), Sees(AGAIN), Types("n\r")], &[], 1, 2),
    // A conflict.
    (&[Opens, Theirs("a"), Sets("mine"), Sees("it is now \"a\", and yours is \"mine\""), Sees(OR_SEND),
       Types("\r"), Saves, Sees(UNCHANGED), Sees(OR_SEND), Types("s\r")], &["a", "mine"], 0, 0),
    (&[Opens, Theirs("a"), Sets("mine"), Sees(OR_SEND), Theirs("b"), Types("s\r"), Sees("it is now \"b\""),
       Sees(OR_SEND), Types("s\r")], &["a", "b", "mine"], 0, 0),
    (&[Opens, Theirs("a"), Sets("mine"), Sees(OR_SEND), Types("y\r"), Sets("other")], &["a", "other"], 0, 0),
    (&[Opens, Theirs("a"), Sets("mine"), Sees(OR_SEND), Types("n\r")], &["a"], 1, 1),
    // A rejection.
    (&[Answers(422), Sets("mine"), Sees(OR_SEND), Types("s\r")], &["mine", "mine"], 0, 0),
    (&[Answers(422), Sets("mine"), Sees(OR_SEND), Types("\r"), Quits, Sees(OR_SEND), Types("n\r")], &["mine"], 1, 6),
    // The same after an attempt with an unknown outcome, and another failure.
    (&[Answers(503), Answers(422), Sets("mine"), Sees(AGAIN), Types("n\r")], &["mine", "mine"], 1, 6),
    (&[Answers(403), Sets("mine")], &["mine"], 1, 5),
];

/// Runs the rows with an editor, if it is installed.
async fn check(name: &str, keys: &Keys) {
    let path = env::var_os("PATH").unwrap();
    if name != "script" && !env::split_paths(&path).any(|folder| folder.join(name).exists()) {
        return;
    }
    for (row, (steps, locations, kept, code)) in ROWS.iter().enumerate() {
        let fixture = Fixture::new().await;
        let program = fixture.program(&["edit"]).env("PATH", &path);
        let program = program.env("PROFILE_EDITOR", (keys.start)());
        let program = program.env(QUESTION, "[profile]\n");
        let mut terminal = Terminal::of_size(50, 240, program).without_escape_sequences();
        for step in *steps {
            take(step, &mut terminal, &fixture, keys);
        }
        let (ended, seen) = terminal.ends();
        let context = format!("{name}, row {row}: {seen}");
        assert_eq!(ended, Some(*code), "{context}");
        let locations = locations
            .iter()
            .map(|location| json!({ "location": location }));
        assert_eq!(sent(&fixture), locations.collect::<Vec<_>>(), "{context}");
        let texts = unsent(&fixture);
        assert_eq!(texts.len(), *kept, "{context}");
    }
}

fn take(step: &Step, terminal: &mut Terminal, fixture: &Fixture, keys: &Keys) {
    let mut types = |text: &str| {
        terminal.sees("[profile]");
        terminal.forget();
        terminal.types(text);
    };
    match step {
        Opens => terminal.sees("[profile]"),
        Quits => types(keys.quit),
        Saves => types(keys.save),
        Sets(location) => types(&(keys.set)(location)),
        Theirs(location) => drop(fixture.run(&["set", "--location", location]).stdout()),
        Answers(status) => {
            let rule = FaultRule::new(Fault::status(*status)).times(1);
            let edits = RequestPattern::any().method("PATCH");
            fixture.service.add_fault(rule.matching(edits)).unwrap();
        }
        Sees(text) => terminal.sees(text),
        Types(text) => {
            terminal.forget();
            terminal.types(text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_the_loop_holds_with_a_script() {
    check("script", &SCRIPT).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_the_loop_holds_with_vim() {
    check("vim", &VIM).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_table_of_the_loop_holds_with_nano() {
    check("nano", &NANO).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_text_stays_only_if_the_editor_exits_at_once_on_a_terminal() {
    // As long as somebody who reads.
    let (reads, returns) = (Duration::from_millis(2100), Duration::ZERO);
    for (time, options, is_terminal, stays) in [
        (reads, &[][..], true, false),
        (returns, &["--no-input"], true, true),
        (returns, &[], false, false),
    ] {
        let fixture = Fixture::new().await;
        let program = fixture.program(&[&["edit"], options].concat());
        let editor = edits(move |_, _| {
            thread::sleep(time);
            0
        });
        let program = program.env("PROFILE_EDITOR", editor);
        let seen = match is_terminal {
            true => Terminal::start(program).ends().1,
            false => program.run().to_string(),
        };
        assert!(seen.contains("Nothing changed."), "{seen}");
        assert_eq!(seen.contains("--wait"), stays, "{seen}");
        assert_eq!(unsent(&fixture).len(), usize::from(stays), "{seen}");
        assert_eq!(sent(&fixture), [] as [Value; 0], "{seen}");
    }
}
