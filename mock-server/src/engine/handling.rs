//! From a request to its outcome: what is looked at, and in which order.

use std::borrow::Cow;

use jiff::Timestamp;

use super::authorization::{authorize, token};
use super::dialect::{DaysOutOfRange, ReferenceData};
use super::endpoint::Endpoint;
use super::inspection;
use super::json_body;
use super::rate_limit::{Quota, RateLimit};
use super::refusal::Refusal;
use super::reply::{Outcome, Reply};
use super::request::Request;
use super::routing::{self, Action, Call};
use super::world::World;

/// What is known of a request by the time it is answered or refused.
#[derive(Default)]
struct Progress {
    endpoint: Option<Endpoint>,
    quota: Option<Quota>,
    written: bool,
}

impl World {
    /// Answers one request by the specification and the world's dialect, and carries out what it
    /// asks for.
    ///
    /// A request that is refused changes nothing, and neither does a read; but both count against
    /// the rate limit of their key.
    ///
    /// ```
    /// use mock_server::{Request, World};
    ///
    /// let mut world = World::new(0);
    /// let request = Request::new("DELETE", "/api/v1/me/links/link_1")
    ///     .header("Authorization", format!("Bearer {}", world.keys().links));
    /// assert_eq!(world.handle(&request).reply.status, 204);
    /// assert_eq!(world.handle(&request).reply.status, 404);
    /// ```
    pub fn handle(&mut self, request: &Request) -> Outcome {
        let now = self.clock().timestamp();
        self.handle_at(request, now)
    }

    /// The same for a caller who has looked at the world's clock already.
    pub(crate) fn handle_at(&mut self, request: &Request, now: Timestamp) -> Outcome {
        let mut progress = Progress::default();
        let answer = self.answer(request, now, &mut progress);
        let refusal = answer.as_ref().err().map(Refusal::code);
        let mut reply = answer.unwrap_or_else(|refusal| refusal.into_reply(self.dialect()));
        if let Some(quota) = progress.quota
            && self.dialect().tells_rate_limit()
        {
            quota.tell(&mut reply);
        }
        // Most requests are clean, and a clean one is not looked at twice.
        let violations = match progress.endpoint {
            _ if refusal.is_some() => inspection::violations(self, request),
            Some(endpoint) if self.is_lenient(endpoint, request) => {
                inspection::violations(self, request)
            }
            _ => Vec::new(),
        };
        Outcome {
            reply,
            changed: progress.written || (refusal != Some("rate_limited") && progress.is_kept()),
            endpoint: progress.endpoint,
            refusal,
            violations,
        }
    }

    fn answer(
        &mut self,
        request: &Request,
        now: Timestamp,
        progress: &mut Progress,
    ) -> Result<Reply, Refusal> {
        let routed = routing::route(request);
        progress.endpoint = routed.as_ref().ok().map(|(endpoint, _)| *endpoint);
        json_body::check_size(request)?;
        let (endpoint, parameter) = routed?;
        let token = token(request)?;
        if let Some(token) = token {
            self.count(token, now, progress)?;
        }
        let caller = token.and_then(|token| self.keys.get(token));
        match endpoint.action() {
            Action::Open(answer) => {
                if self.dialect().reference_data == ReferenceData::KeyNeeded {
                    authorize(caller, None)?;
                }
                Ok(answer(self))
            }
            Action::Read(answer) => {
                let caller = Cow::Borrowed(authorize(caller, endpoint.scope())?);
                let call = Call {
                    request,
                    parameter,
                    caller,
                };
                answer(self, &call)
            }
            Action::Write(answer) => {
                let caller = Cow::Owned(authorize(caller, endpoint.scope())?.clone());
                let call = Call {
                    request,
                    parameter,
                    caller,
                };
                let reply = answer(self, &call)?;
                progress.written = true;
                Ok(reply)
            }
        }
    }

    /// Counts a request against the limit of its key, which has to be a known one.
    fn count(
        &mut self,
        token: &str,
        now: Timestamp,
        progress: &mut Progress,
    ) -> Result<(), Refusal> {
        let key = self.keys.get_mut(token).ok_or(Refusal::UnknownKey)?;
        let counted = key.window.count(key.rate_limit, now.as_second());
        let (Ok(quota) | Err(quota)) = counted;
        progress.quota = Some(quota);
        counted
            .map(|_| ())
            .map_err(|quota| Refusal::RateLimited { quota })
    }

    /// Whether the request may have been carried out although it breaks a rule.
    fn is_lenient(&self, endpoint: Endpoint, request: &Request) -> bool {
        match endpoint {
            Endpoint::ReadMe => !request.body.is_empty(),
            Endpoint::ReadViewStatistics => {
                self.dialect().days_out_of_range == DaysOutOfRange::Clamped
            }
            _ => false,
        }
    }
}

impl Progress {
    /// Whether what was counted has to outlast the process.
    fn is_kept(&self) -> bool {
        self.quota
            .is_some_and(|quota| quota.limit != RateLimit::default())
    }
}
