//! The commands of the program, one file each.

pub(crate) mod health;
pub(crate) mod matrix;
pub(crate) mod mutants;
pub(crate) mod run;
pub(crate) mod serve;
mod standard_faults;
