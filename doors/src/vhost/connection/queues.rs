//! Messages about queues: setup, start, stop, and pause.

use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;

use block::{BlockDevice, Host};
use vhost::vhost_user::message::{FrontendReq, VhostUserVringAddr, VhostUserVringState};

use super::{Connection, Outcome};
use crate::vhost::files::Kind;
use crate::vhost::limits::{QUEUE_SIZE_MAX, QUEUES_MAX};
use crate::vhost::message::{Message, reply};
use crate::vhost::offered::features;
use crate::vhost::request::ExecutionTerms;
use crate::vhost::rings::Addresses;
use crate::vhost::setup::Surroundings;
use crate::vhost::vring::Vring;

impl<D: BlockDevice, H: Host> Connection<D, H> {
    pub(super) async fn set_of_queue(&mut self, message: &Message) -> Result<(), String> {
        let said = message.body::<VhostUserVringState>()?;
        let (index, value) = (known(said.index.into())?, said.num);
        let works = self.vrings[index].as_ref();
        let queue = &mut self.state.queues[index];
        match message.request {
            FrontendReq::SET_VRING_ENABLE => {
                queue.enabled = value != 0;
                match works {
                    Some(vring) if queue.enabled => vring.enable(),
                    // A front end that pauses a guest for a copy of its memory may send no more than this.
                    Some(vring) => vring.disable().await,
                    None => {}
                }
            }
            _ if works.is_some() => {
                return Err(format!("{:?} of queue {index}, which is at work", message.request));
            }
            FrontendReq::SET_VRING_NUM => {
                let size = u16::try_from(value)
                    .ok()
                    .filter(|size| size.is_power_of_two() && *size <= QUEUE_SIZE_MAX);
                queue.size = size.ok_or_else(|| format!("queue {index} of {value} entries"))?;
            }
            _ => queue.base = value as u16,
        }
        Ok(())
    }

    pub(super) fn set_addresses(&mut self, message: &Message) -> Result<(), String> {
        let said = message.body::<VhostUserVringAddr>()?;
        let index = known(said.index.into())?;
        let addresses = Addresses {
            descriptors: said.descriptor,
            available: said.available,
            used: said.used,
            log: (said.flags & 1 != 0).then_some(said.log),
        };
        if let Some(vring) = &self.vrings[index] {
            // A migration begins or ends: only the log changes. Refused addresses are not kept for the next start either.
            vring.set_log(addresses)?;
        }
        self.state.queues[index].addresses = Some(addresses);
        Ok(())
    }

    /// Takes over the event by which the guest kicks, which begins the queue.
    pub(super) async fn set_kick(&mut self, message: &mut Message) -> Result<(), String> {
        let (index, file) = event_of(message)?;
        let file = file.ok_or_else(|| format!("queue {index} without an event that starts it"))?;
        self.stop(index).await;
        self.state.queues[index].kick = Some(file);
        self.start(index).await
    }

    pub(super) fn set_event(&mut self, message: &mut Message) -> Result<(), String> {
        let (index, file) = event_of(message)?;
        let (queue, vring) = (&mut self.state.queues[index], &self.vrings[index]);
        if message.request == FrontendReq::SET_VRING_CALL {
            if let Some(vring) = vring {
                vring.signals().set_call(file.as_ref());
            }
            queue.call = file;
        } else {
            if let Some(vring) = vring {
                vring.signals().set_error(file.as_ref());
            }
            queue.error = file;
        }
        Ok(())
    }

    /// Stops a queue, and returns its position.
    pub(super) async fn get_base(&mut self, message: &Message) -> Result<Outcome, String> {
        let said = message.body::<VhostUserVringState>()?;
        let index = known(said.index.into())?;
        self.stop(index).await;
        let base = u32::from(self.state.queues[index].base);
        let body = [said.index.to_ne_bytes(), base.to_ne_bytes()].concat();
        Ok(Outcome::Reply(reply(message.request, &body)))
    }

    pub(super) async fn start(&mut self, index: usize) -> Result<(), String> {
        if let Some(inflight) = &self.state.inflight
            && !self.claims.iter().any(|claim| claim.record == inflight.id())
        {
            // An earlier connection of the same front end may not have heard of its end yet.
            let claim = self.door.claim(inflight.id()).await;
            let Some(claim) = claim else {
                // The door is to stand still or to close. If it goes on, so does this.
                self.state.started[index] = true;
                return Ok(());
            };
            self.claims.push(claim);
        }
        let memory =
            self.memory.clone().ok_or_else(|| format!("the start of queue {index} without memory"))?;
        let record = self.state.inflight.as_ref().map(|inflight| {
            inflight
                .record(index)
                .ok_or_else(|| format!("queue {index} and a record of what is in flight without it"))
        });
        let features = self.state.features;
        let surroundings = Surroundings {
            door: Rc::clone(&self.door),
            ring: self.ring.clone(),
            memory,
            record: record.transpose()?,
            terms: ExecutionTerms {
                write_through: features & features::FLUSH == 0,
                identity: self.door.identity(),
            },
            event_index: features & features::EVENT_IDX != 0,
            number: index,
        };
        let vring = Vring::start(&self.state.queues[index], surroundings, &self.host)?;
        self.vrings[index] = Some(vring);
        self.state.started[index] = true;
        self.count_queues();
        Ok(())
    }

    pub(super) async fn stop(&mut self, index: usize) {
        if let Some(vring) = self.vrings[index].take() {
            self.state.queues[index].base = vring.stop().await;
        }
        self.state.queues[index].broken = false;
        self.state.started[index] = false;
        self.count_queues();
    }
}

/// Returns the queue of this number, if there is one.
fn known(index: u64) -> Result<usize, String> {
    let found = usize::try_from(index).ok().filter(|index| *index < QUEUES_MAX);
    found.ok_or_else(|| format!("queue {index}; {QUEUES_MAX} are the most"))
}

/// Returns the queue that an event is for, and the event, or none if there shall be none.
fn event_of(message: &mut Message) -> Result<(usize, Option<Arc<OwnedFd>>), String> {
    const NO_FILE: u64 = 1 << 8;
    let said = message.number()?;
    let index = known(said & 0xff)?;
    let file = if said & NO_FILE == 0 { Some(Arc::new(message.file(Kind::Event)?)) } else { None };
    Ok((index, file))
}
