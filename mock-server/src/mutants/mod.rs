//! Mutants: services that break one sentence of the specification each, to test the test suite of a
//! client. A mutant changes requests, replies or deliveries; the engine does not depend on it.

mod change;
mod mutant;
mod replies;
mod requests;
mod table;

pub use mutant::Mutant;
