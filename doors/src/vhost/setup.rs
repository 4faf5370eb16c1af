//! Initial state of a queue: its setup by the front end, and its surroundings.

use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;

use block::Ring;

use super::door::VhostUserDoor;
use super::inflight::Record;
use super::memory::Memory;
use super::request::ExecutionTerms;
use super::rings::Addresses;

/// Setup of a queue by its front end. Fit for other threads.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) size: u16,
    pub(crate) addresses: Option<Addresses>,
    /// The index in the available ring of the next request.
    pub(crate) base: u16,
    pub(crate) kick: Option<Arc<OwnedFd>>,
    pub(crate) call: Option<Arc<OwnedFd>>,
    pub(crate) error: Option<Arc<OwnedFd>>,
    pub(crate) enabled: bool,
    /// The guest's ring was invalid; nothing is taken until the front end starts the queue again.
    pub(crate) broken: bool,
}

/// Everything else that a queue needs to begin.
pub(crate) struct Surroundings<D> {
    pub(crate) door: Rc<VhostUserDoor<D>>,
    pub(crate) ring: Ring,
    pub(crate) memory: Rc<Memory>,
    pub(crate) record: Option<Record>,
    pub(crate) terms: ExecutionTerms,
    pub(crate) event_index: bool,
    pub(crate) number: usize,
}
