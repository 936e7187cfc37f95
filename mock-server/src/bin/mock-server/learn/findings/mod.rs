//! Functions from observations to findings, one for each silence.

pub(super) mod deliveries;
pub(super) mod error_bodies;
pub(super) mod extra_fields;
pub(super) mod me;
pub(super) mod rate_limits;
pub(super) mod rejections;
pub(super) mod statistics;
pub(super) mod writes;
