#![doc = include_str!("../../README.md")]

/// Compiles and runs the examples in the documentation of the mock server.
#[cfg(doctest)]
mod mock_server_docs {
    #![doc = include_str!("../../mock-server/docs/control-api.md")]
    #![doc = include_str!("../../mock-server/docs/dialects.md")]
    #![doc = include_str!("../../mock-server/docs/faults.md")]
    #![doc = include_str!("../../mock-server/docs/journal.md")]
    #![doc = include_str!("../../mock-server/docs/library.md")]
    #![doc = include_str!("../../mock-server/docs/program.md")]
    #![doc = include_str!("../../mock-server/docs/state-files.md")]
    #![doc = include_str!("../../mock-server/docs/violations.md")]
    #![doc = include_str!("../../mock-server/docs/webhooks.md")]
    #![doc = include_str!("../../mock-server/docs/worlds.md")]
}
