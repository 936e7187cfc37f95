//! Problems of a text as comments at its top.

/// The start of each line of a problem.
const MARK: &str = "#! ";

/// Prepends a problem to the text, replacing an earlier one.
pub(super) fn prepend(text: &str, problem: &str) -> String {
    format!("{}{}", as_comment(problem), remove(text))
}

/// Returns the problem as comment lines.
pub(super) fn as_comment(problem: &str) -> String {
    let lines = problem
        .lines()
        .chain(["Fix it and save again. These lines are not sent."]);
    lines.map(|line| format!("{MARK}{line}\n")).collect()
}

/// Returns the text without the problem at its top.
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
    fn a_problem_replaces_the_earlier_one() {
        let text = "# a\r\nbio = \"#! b\"\n\n";
        let first = prepend(text, "one\ntwo");
        assert!(first.starts_with("#! one\n#! two\n#! Fix"));
        let second = prepend(&first, "three");
        assert!(second.starts_with("#! three\n#! Fix"));
        assert_eq!(remove(&second), text);
    }
}
