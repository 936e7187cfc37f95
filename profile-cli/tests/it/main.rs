//! Runs the program as a process against the reference service on a real socket.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails at the first unexpected value"
)]

#[allow(dead_code, reason = "other packages use more of it")]
#[macro_use]
#[path = "../../../mock-server/tests/shared/child.rs"]
mod child;
mod api;
mod arguments;
mod auth;
mod auth_prompt;
mod auth_status;
mod chaos;
#[allow(dead_code, reason = "other packages use more of it")]
#[path = "../../../mock-server/tests/shared/command.rs"]
mod command;
mod completion;
#[cfg(unix)]
mod completion_in_shells;
mod config;
#[cfg(unix)]
mod config_owner;
mod edit;
mod editor_loop;
mod failures;
#[cfg(feature = "jq")]
mod jq;
mod learned_dialect;
mod log;
mod man;
mod odd_texts;
mod post;
mod profile_file;
#[cfg_attr(
    not(all(feature = "sandbox", feature = "webhook")),
    allow(dead_code, reason = "not every build has commands that go on")
)]
mod program;
mod proxy;
mod pseudo_terminal;
mod requests;
#[cfg(feature = "sandbox")]
mod sandbox;
mod secrets;
mod set;
mod settings;
mod show;
#[cfg(unix)]
mod signals;
mod stats;
#[cfg(unix)]
mod streams;
mod terminal;
#[cfg(all(feature = "sandbox", feature = "webhook"))]
mod text_files;
#[cfg(unix)]
mod tls_service;
#[cfg(feature = "jq")]
mod transcripts;
mod walk;
#[cfg(feature = "webhook")]
mod webhook;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod written_files;
