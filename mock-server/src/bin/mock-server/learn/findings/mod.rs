//! Functions from observations to values and findings.

pub(super) mod deliveries;
pub(super) mod error_bodies;
pub(super) mod extra_fields;
pub(super) mod rate_limits;
pub(super) mod reads;
pub(super) mod rejections;
pub(super) mod writes;
