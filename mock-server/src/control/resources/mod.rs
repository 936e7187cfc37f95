//! The resources of the control API, one file each.

pub(super) mod clock;
pub(super) mod dialect;
pub(super) mod documents;
pub(super) mod faults;
pub(super) mod health;
pub(super) mod keys;
pub(super) mod page;
pub(super) mod requests;
pub(super) mod state;
pub(super) mod verdicts;
pub(super) mod webhook;
pub(super) mod worlds;
