//! Windows: editors that are `.cmd` files, paths with a drive, and directories that others may change.

use std::fs;
use std::path::Path;

use crate::program::{Fixture, Program};

/// Returns `profile edit` in a directory with its own `code.cmd`. Another one is in PATH, beside `code`.
fn edit(fixture: &Fixture, editor: &str) -> Program {
    let home = fixture.home.path();
    let tools = home.join("to ols");
    fs::create_dir_all(&tools).unwrap();
    fs::write(tools.join("code"), "#!/bin/sh\nexit 1\n").unwrap();
    for (directory, bio) in [(home, "current"), (&tools, "tools")] {
        let script = "@if not \"%1\" == \"--wait\" exit /b 1\r\n@copy \"%~dp0new\" %2 >nul\r\n";
        fs::write(directory.join("code.cmd"), script).unwrap();
        let edited = format!("[profile]\nbio = \"{bio}\"\n");
        fs::write(directory.join("new"), edited).unwrap();
    }
    let mut edit = fixture.program(&["edit"]);
    edit.command.current_dir(home);
    let path = std::env::join_paths([Path::new("."), &tools]).unwrap();
    edit.env("PATH", path)
        .env("PATHEXT", ".COM;.EXE;.BAT;.CMD")
        .env("PROFILE_EDITOR", editor)
}

#[tokio::test]
async fn an_editor_is_found_in_path_with_its_ending() {
    let fixture = Fixture::new().await;
    let tools = fixture.home.path().join("to ols");
    let tools = tools.to_str().unwrap();
    for (editor, bio) in [
        ("code --wait".to_owned(), "tools"),
        (r".\code --wait".to_owned(), "current"),
        (format!("'{tools}\\code' --wait"), "tools"),
        (r"./code.cmd --wait".to_owned(), "current"),
        (format!("\"{tools}\\code.cmd\" --wait"), "tools"),
    ] {
        edit(&fixture, &editor).run().stdout();
        let shown = fixture.run(&["show", "--jq", ".bio"]);
        assert_eq!(shown.stdout().trim_end(), bio, "{editor}");
    }
    let failed = edit(&fixture, "code --wait").env("PATH", ".").run();
    let expected = "error: the editor code --wait (from PROFILE_EDITOR) could not be started: \
                    not found in PATH\n";
    assert_eq!(failed.stderr(), expected);
}

#[tokio::test]
async fn texts_and_files_have_a_drive_and_backslashes() {
    let fixture = Fixture::new().await;
    let home = fixture.home.path();
    let path = home.join("bio.txt");
    fs::write(&path, "from a file\r\n").unwrap();
    let path = path.to_str().unwrap();
    for argument in [
        r"@.\bio.txt".to_owned(),
        format!("@{path}"),
        format!("@{}", path.replace('\\', "/")),
    ] {
        let mut set = fixture.program(&["set", "--bio", &argument]);
        set.command.current_dir(home);
        assert_eq!(set.run().stdout(), "bio\tfrom a file\n", "{argument}");
    }
    let missing = fixture.run(&["set", "--bio", r"@.\missing.txt"]);
    let expected = r"error: --bio: .\missing.txt cannot be read: ";
    assert!(missing.usage_error().starts_with(expected), "{missing}");
    let exported = home.join("me.toml");
    let exported = exported.to_str().unwrap();
    fixture.run(&["export", exported]).stdout();
    let text = fs::read_to_string(exported).unwrap();
    fs::write(exported, text.replace("from a file", "from a drive")).unwrap();
    fixture.run(&["apply", exported, "--yes"]).stdout();
    let shown = fixture.run(&["show", "--jq", ".bio"]);
    assert_eq!(shown.stdout().trim_end(), "from a drive");
}

#[tokio::test]
async fn a_directory_outside_of_those_of_the_user_is_a_warning() {
    let fixture = Fixture::new().await;
    let outside = tempfile::tempdir().unwrap();
    let warning = "is outside of your user directory; others may be able to read or change it";
    let home = fixture.home.path().join("Settings");
    let upper = home.to_str().unwrap().to_ascii_uppercase();
    for (directory, warns) in [
        (home.as_path(), false),
        (Path::new(&upper), false),
        (outside.path(), true),
    ] {
        let login = fixture.login(fixture.service.uri(), fixture.service.key(), &["--yes"]);
        let login = login.env("PROFILE_CONFIG_DIR", directory).run();
        assert_eq!(login.stderr().contains(warning), warns, "{login}");
        login.stdout();
    }
}
