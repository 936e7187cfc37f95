//! Collects the problems of one request.

use super::rejection::Rejection;

/// The problems of one request, in the order in which they were found. The first one that rejects
/// the request determines the response; all of them can be reported as violations.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    all: Vec<Rejection>,
    /// The index of the first one that rejects the request.
    decisive: Option<usize>,
}

/// Proof that the request was rejected. Only [`Problems`] can create it.
#[derive(Debug)]
pub(crate) struct Rejected(());

impl Problems {
    /// Adds a problem for which the request is rejected.
    pub(crate) fn reject(&mut self, rejection: Rejection) -> Rejected {
        self.decisive.get_or_insert(self.all.len());
        self.all.push(rejection);
        Rejected(())
    }

    /// Adds a problem that the service tolerates.
    pub(crate) fn tolerate(&mut self, rejection: Rejection) {
        self.all.push(rejection);
    }

    /// Returns an error if the request was rejected.
    pub(crate) fn check(&self) -> Result<(), Rejected> {
        match self.decisive {
            Some(_) => Err(Rejected(())),
            None => Ok(()),
        }
    }

    /// Returns the rejection that determines the response.
    pub(crate) fn decisive(&self) -> Option<&Rejection> {
        self.decisive.map(|index| &self.all[index])
    }

    /// Returns all problems.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rejection> {
        self.all.iter()
    }
}
