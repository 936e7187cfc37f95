//! A call of an endpoint.

use std::borrow::Cow;

use url::form_urlencoded;

use crate::engine::problems::{Problem, Problems, Rejected};
use crate::engine::request::Request;

/// A request to an endpoint.
///
/// A handler first reads the whole request and collects its problems, even if the request was
/// already rejected. Then it calls [`caller`](Self::caller), which returns an error if the request
/// was rejected.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) request: &'a Request,
    /// The decoded path parameter; empty if the path has none.
    pub(crate) parameter: Cow<'a, str>,
    /// The key, if the world has it and its account.
    pub(crate) key: Option<&'a str>,
    pub(crate) problems: Problems,
}

impl<'a> Call<'a> {
    /// Returns the key of the caller, which has the scope of the endpoint.
    pub(super) fn caller(&mut self) -> Result<&'a str, Rejected> {
        self.problems.check()?;
        let missing = || self.problems.reject(Problem::KeyMissing);
        self.key.ok_or_else(missing)
    }

    /// Adds a problem if the request has a query parameter.
    pub(super) fn expect_no_parameters(&mut self) {
        let query = self.request.query.as_deref().unwrap_or_default();
        if let Some((name, _)) = form_urlencoded::parse(query.as_bytes()).next() {
            let name = name.into_owned();
            self.problems
                .tolerate(Problem::UnexpectedParameter { name });
        }
    }

    /// Returns the value of a required field, or rejects the request.
    pub(super) fn require(
        &mut self,
        field: &'static str,
        value: Option<String>,
    ) -> Result<String, Rejected> {
        let missing = || self.problems.reject(Problem::MissingField { field });
        value.ok_or_else(missing)
    }
}
