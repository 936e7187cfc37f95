//! `profile man`: manual pages.

use std::fs;

use crate::program::{home, run};

#[test]
fn prints_the_page_of_the_program() {
    let home = home();
    let page = run(home.path(), &[], &["man"]);
    assert!(page.stdout().contains(".TH profile 1"), "{page}");
    assert!(page.stdout().contains("PROFILE_API_KEY_FILE"), "{page}");
    let codes = ".SH \"EXIT CODES\"\nWith";
    assert!(page.stdout().contains(codes), "{page}");
}

#[test]
fn every_command_has_a_page() {
    let home = home();
    let directory = home.path().join("new/man1");
    let arguments = ["man", "--dir", directory.to_str().unwrap(), "--json"];
    let written = run(home.path(), &[], &arguments).json();
    let pages = written["pages"].as_array().unwrap();
    assert_eq!(fs::read_dir(&directory).unwrap().count(), pages.len());
    for page in pages {
        let page = fs::read_to_string(directory.join(page.as_str().unwrap())).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
        let footer = concat!("\"profile ", env!("CARGO_PKG_VERSION"), "\"");
        let title = page.lines().find(|line| line.starts_with(".TH"));
        assert!(title.unwrap().contains(footer), "{page}");
        // The date, which mandoc expects.
        let date = title.unwrap().split(' ').nth(3).unwrap();
        assert_eq!(
            date.split('-').map(str::len).collect::<Vec<_>>(),
            [4, 2, 2],
            "{page}"
        );
    }
    assert!(directory.join("profile-show.1").exists());
    let text = fs::read_to_string(directory.join("profile-link-add.1")).unwrap();
    let note = "\nRequires the scope links:write. If the response is lost, the request is not retried; \
                `profile link list` shows whether the link was created.\n";
    assert!(text.contains(note), "{text}");
    // The global options are only on the page of the program, to which the others refer.
    assert!(!text.contains("base\\-url"), "{text}");
    assert!(text.contains("profile help options"), "{text}");
    let text = fs::read_to_string(directory.join("profile.1")).unwrap();
    assert!(text.contains("\\-\\-base\\-url"), "{text}");
}

#[test]
fn reports_a_directory_that_cannot_be_created() {
    let home = home();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let arguments = ["man", "--dir", file.to_str().unwrap(), "--json"];
    let error = run(home.path(), &[], &arguments).error();
    assert_eq!(error["exit_code"], 1);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("file cannot be written to")
    );
}
