//! What is wrong with a text, as comments at its top.

/// How the lines begin that tell of it.
const MARK: &str = "#! ";

/// The text below what is wrong with it. Otherwise it stays as it was typed, but for what an
/// earlier problem left at its top.
pub(super) fn prepend(text: &str, problem: &str) -> String {
    format!("{}{}", as_comment(problem), remove(text))
}

/// The lines that tell of a problem.
pub(super) fn as_comment(problem: &str) -> String {
    let lines = problem
        .lines()
        .chain(["Fix it and save again. These lines are not sent."]);
    lines.map(|line| format!("{MARK}{line}\n")).collect()
}

/// The text without the problem at its top.
pub(super) fn remove(mut text: &str) -> &str {
    while text.starts_with(MARK) {
        text = text.split_once('\n').map_or("", |(_, rest)| rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{prepend, remove};

    #[test]
    fn the_last_problem_takes_the_place_of_the_one_before() {
        let text = "# a\r\nbio = \"#! b\"\n\n";
        let first = prepend(text, "one\ntwo");
        assert!(first.starts_with("#! one\n#! two\n#! Fix"));
        let second = prepend(&first, "three");
        assert!(second.starts_with("#! three\n#! Fix"));
        assert_eq!(remove(&second), text);
    }
}
