//! Commands that the scopes of a key allow.

use profile_sdk::{Operation, Profile, Scope, Scopes};

use crate::outcome::{Failure, FailureKind, Result, scope_hint};

/// For the fields and for the links of a file.
const APPLY: &[Operation] = &[Operation::UPDATE_PROFILE, Operation::CREATE_LINK];

/// The commands that send a request, each with the operations that it may use; one of them is enough to be of use.
const COMMANDS: &[(&str, &[Operation])] = &[
    ("show", &[Operation::ME]),
    ("set", &[Operation::UPDATE_PROFILE]),
    ("edit", &[Operation::UPDATE_PROFILE]),
    ("export", &[Operation::ME]),
    ("diff", &[Operation::ME]),
    ("apply", APPLY),
    ("link list", &[Operation::ME]),
    ("link add", &[Operation::CREATE_LINK]),
    ("link edit", &[Operation::UPDATE_LINK]),
    ("link delete", &[Operation::DELETE_LINK]),
    ("post list", &[Operation::ME]),
    ("post create", &[Operation::CREATE_POST]),
    ("post delete", &[Operation::DELETE_POST]),
    ("stats", &[Operation::USER_STATS]),
    ("analytics", &[Operation::ANALYTICS]),
    ("badges", &[Operation::BADGES]),
    ("site", &[Operation::SITE_STATS]),
];

/// The commands that a key allows, and the others with the scopes that it lacks.
#[derive(Debug, Default)]
pub(crate) struct Permissions {
    pub(crate) allowed: Vec<&'static str>,
    pub(crate) denied: Vec<(&'static str, String)>,
}

/// Checks that the key of the profile has the scope of an operation, as far as its scopes are known.
pub(crate) fn check(profile: &Profile, operation: &Operation) -> Result<()> {
    let key = profile.key.as_ref();
    let scopes = key.and_then(|key| key.scopes.as_ref());
    let lacks = |scope: &&Scope| scopes.is_some_and(|scopes| scopes.lacks(scope));
    let Some(scope) = operation.scope().filter(lacks) else {
        return Ok(());
    };
    let message = format!("the key lacks the scope {scope}");
    Err(Failure {
        missing_scope: Some(scope.clone().into()),
        ..Failure::new(FailureKind::Forbidden, message).hint(scope_hint())
    })
}

/// Returns the scopes if they are readable; scopes of another type are unknown, not empty.
pub(crate) fn known(scopes: Option<&Scopes>) -> Option<&Scopes> {
    scopes.filter(|scopes| scopes.raw().is_array() || scopes.raw().is_string())
}

/// Returns the permissions of a key with these scopes.
pub(crate) fn of(scopes: &Scopes) -> Permissions {
    let mut permissions = Permissions::default();
    for (command, operations) in COMMANDS {
        let needed: Vec<_> = operations.iter().filter_map(Operation::scope).collect();
        match needed.is_empty() || needed.iter().any(|scope| scopes.contains(scope)) {
            true => permissions.allowed.push(command),
            false => {
                let needed: Vec<_> = needed.into_iter().map(Scope::as_str).collect();
                permissions.denied.push((command, needed.join(" ")));
            }
        }
    }
    permissions
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use profile_sdk::Operation;

    use super::COMMANDS;
    use crate::commands;

    #[test]
    fn helps_name_the_scopes_of_the_commands() {
        let mut program = commands::program();
        program.build();
        for (name, operations) in COMMANDS {
            let mut command = &mut program;
            for word in name.split(' ') {
                command = command.find_subcommand_mut(word).unwrap();
            }
            let help = command.render_long_help().to_string();
            let help = help.replace('\n', " ");
            let scopes = operations.iter().filter_map(Operation::scope);
            let stated = help.split("Requires the scope").nth(1).unwrap_or_default();
            let stated = stated.split(['.', ',']).next().unwrap_or_default();
            assert_eq!(
                stated.matches(':').count(),
                scopes.clone().count(),
                "{name}: {stated}"
            );
            for scope in scopes {
                assert!(stated.contains(scope.as_str()), "{name}: {stated}");
            }
            let is_open = !operations.iter().any(Operation::requires_key);
            assert_eq!(help.contains("requires no key"), is_open, "{name}");
        }
    }

    #[test]
    fn every_operation_has_a_command() {
        let names = |operations: &[Operation]| -> BTreeSet<_> {
            operations.iter().map(ToString::to_string).collect()
        };
        let used: Vec<_> = COMMANDS.iter().map(|(_, operations)| *operations).collect();
        assert_eq!(names(&used.concat()), names(Operation::ALL));
    }
}
