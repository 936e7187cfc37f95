//! Commands that the scopes of a key allow.

use profile_sdk::{Operation, Scopes};

/// The commands that send a request, each with its main operation.
const COMMANDS: [(&str, Operation); 14] = [
    ("show", Operation::ME),
    ("set", Operation::UPDATE_PROFILE),
    ("edit", Operation::UPDATE_PROFILE),
    ("link list", Operation::ME),
    ("link add", Operation::CREATE_LINK),
    ("link edit", Operation::UPDATE_LINK),
    ("link delete", Operation::DELETE_LINK),
    ("post list", Operation::ME),
    ("post create", Operation::CREATE_POST),
    ("post delete", Operation::DELETE_POST),
    ("stats", Operation::USER_STATS),
    ("analytics", Operation::ANALYTICS),
    ("badge list", Operation::BADGES),
    ("site", Operation::SITE_STATS),
];

/// A command, and the scope that the key lacks for it.
pub(super) struct Permission {
    pub(super) command: &'static str,
    pub(super) lacks: Option<String>,
}

/// Returns the permissions of a key with these scopes.
pub(super) fn of(scopes: &Scopes) -> Vec<Permission> {
    COMMANDS
        .iter()
        .map(|(command, operation)| Permission {
            command,
            lacks: operation
                .scope()
                .filter(|scope| !scopes.contains(scope))
                .map(ToString::to_string),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use profile_sdk::Operation;

    use super::COMMANDS;

    #[test]
    fn every_operation_has_a_command() {
        let names = |operations: &[Operation]| -> BTreeSet<_> {
            operations.iter().map(ToString::to_string).collect()
        };
        let used: Vec<_> = COMMANDS
            .iter()
            .map(|(_, operation)| operation.clone())
            .collect();
        assert_eq!(names(&used), names(&Operation::ALL));
    }
}
