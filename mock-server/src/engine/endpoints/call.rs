//! A request on its way through the handler of its endpoint.

use std::borrow::Cow;

use crate::engine::access::Key;
use crate::engine::rejections::{Problems, Rejected, Rejection};
use crate::engine::request::Request;

/// A request to an endpoint.
///
/// A handler reads all of the request first, and collects what is wrong with it, also when the
/// request was rejected already. Then it asks for the [`caller`](Self::caller), which it only gets
/// when nothing rejects the request.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) request: &'a Request,
    /// The path parameter, decoded; empty where the path has none.
    pub(crate) parameter: Cow<'a, str>,
    /// The key, if it is known and its account exists.
    pub(crate) key: Option<Key>,
    pub(crate) problems: Problems,
}

impl Call<'_> {
    /// Returns the key of the caller, which has the scope of the endpoint.
    pub(super) fn caller(&mut self) -> Result<Key, Rejected> {
        self.problems.check()?;
        let key = self.key.take();
        key.ok_or_else(|| self.problems.reject(Rejection::KeyMissing))
    }

    /// Rejects a body without this field.
    pub(super) fn require(
        &mut self,
        field: &'static str,
        text: Option<String>,
    ) -> Result<String, Rejected> {
        let missing = || self.problems.reject(Rejection::MissingField { field });
        text.ok_or_else(missing)
    }
}
