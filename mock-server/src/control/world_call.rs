//! Requests to the control API for one world.

use std::sync::Arc;

use super::api::Control;
use super::error::ControlError;
use crate::engine::Request;
use crate::service::Service;

/// A request for one world.
pub(super) struct WorldCall<'a> {
    pub(super) control: &'a Control,
    pub(super) name: &'a str,
    /// The last segment of the path if the route ends with `{id}`, or else empty.
    pub(super) parameter: &'a str,
    pub(super) service: Arc<Service>,
    pub(super) request: &'a Request,
}

impl<'a> WorldCall<'a> {
    pub(super) fn new(
        control: &'a Control,
        (name, parameter): (&'a str, &'a str),
        request: &'a Request,
    ) -> Result<Self, ControlError> {
        let service = control.worlds.find(name);
        Ok(Self {
            control,
            name,
            parameter,
            service: service.ok_or_else(|| ControlError::unknown_world(name))?,
            request,
        })
    }
}
