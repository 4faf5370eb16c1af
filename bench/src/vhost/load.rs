//! Random requests, `depth` in flight, for a while: the number of answers, and their latencies.

use std::time::{Duration, Instant};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use super::frontend::Frontend;
use super::queue::{Queue, Request, SIZE};
use crate::client::LoadResults;
use crate::rig::random;

pub(crate) const PAGE: u64 = 4096;
/// Time after which a server is assumed to have lost a request.
const ANSWER_TIME_MAX_MS: u16 = 10_000;

/// Way in which the front end waits for answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// It sleeps until the server interrupts.
    Sleep,
    /// It polls all the time.
    Poll,
}

/// Requests of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VhostLoad {
    /// Requests in flight for each disk.
    pub(crate) depth: u16,
    pub(crate) end: LoadEnd,
    /// Begin of the sequence of random places.
    pub(crate) seed: u64,
    /// Number of writes between flushes; none for reads.
    pub(crate) flush_every: Option<u64>,
    pub(crate) waiting: Waiting,
}

/// End of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LoadEnd {
    After(Duration),
    /// After so many requests were put into the queues, flushes included.
    Requests(u64),
}

/// State of a load in one queue.
struct Lane<'a> {
    queue: &'a mut Queue,
    pages: u64,
    /// Request of each slot, and its begin.
    slots: Vec<(Request, Instant)>,
    state: u64,
    writes_since_flush: u64,
}

impl VhostLoad {
    /// Runs the load.
    ///
    /// # Errors
    /// If a request fails or is not answered.
    pub(crate) fn run(&self, mut disks: Vec<Frontend>) -> Result<LoadResults, String> {
        let sleeper = Sleeper::new(disks.iter().flat_map(Frontend::queues))?;
        let mut lanes = Vec::new();
        for disk in &mut disks {
            let pages = disk.bytes() / PAGE;
            if pages == 0 {
                return Err("A disk of less than 4096 bytes has no page to ask for.".to_owned());
            }
            let queues = disk.queues().len();
            for (index, queue) in disk.queues_mut().iter_mut().enumerate() {
                let depth =
                    usize::from(self.depth) / queues + usize::from(index < usize::from(self.depth) % queues);
                if depth > usize::from(SIZE) {
                    return Err(format!(
                        "A queue has {SIZE} entries: use --queues for {depth} requests in flight."
                    ));
                }
                let state = self.seed.wrapping_add(lanes.len() as u64);
                let slots = vec![(Request::Flush, Instant::now()); depth];
                lanes.push(Lane { queue, pages, slots, state, writes_since_flush: 0 });
            }
        }
        self.keep_busy(&mut lanes, &sleeper)
    }

    fn keep_busy(&self, lanes: &mut [Lane], sleeper: &Sleeper) -> Result<LoadResults, String> {
        let mut done = LoadResults::new();
        let started = Instant::now();
        let (mut in_flight, mut put) = (0, 0);
        for lane in &mut *lanes {
            for slot in 0..lane.slots.len() as u16 {
                lane.queue.fill(slot, &[slot as u8 | 1; PAGE as usize]);
                lane.put(slot, self.flush_every, Instant::now());
                (in_flight, put) = (in_flight + 1, put + 1);
            }
            lane.queue.publish()?;
        }
        let mut last_answer = started;
        while in_flight > 0 {
            let mut idle = true;
            for lane in &mut *lanes {
                if !lane.queue.has_answers() {
                    continue;
                }
                idle = false;
                last_answer = Instant::now();
                let in_time = match self.end {
                    LoadEnd::After(time) => last_answer.duration_since(started) < time,
                    LoadEnd::Requests(_) => true,
                };
                while let Some(slot) = lane.queue.take()? {
                    let (request, begun) = lane.slots[usize::from(slot)];
                    match request {
                        Request::Flush => done.flushes += 1,
                        _ => done.latencies.record(last_answer.duration_since(begun)),
                    }
                    if in_time && !matches!(self.end, LoadEnd::Requests(most) if put >= most) {
                        put += 1;
                        lane.put(slot, self.flush_every, last_answer);
                    } else {
                        in_flight -= 1;
                    }
                }
                lane.queue.publish()?;
            }
            if idle {
                done.sleeps += u64::from(self.wait(lanes, sleeper, last_answer)?);
            }
        }
        done.took = last_answer.duration_since(started);
        done.kicks = lanes.iter().map(|lane| lane.queue.kicks()).sum();
        Ok(done)
    }

    /// Waits for the next answer, for a while. Returns true if it slept.
    fn wait(&self, lanes: &[Lane], sleeper: &Sleeper, last_answer: Instant) -> Result<bool, String> {
        match self.waiting {
            Waiting::Poll if last_answer.elapsed() > Duration::from_millis(ANSWER_TIME_MAX_MS.into()) => {
                Err(no_answer())
            }
            Waiting::Poll => {
                std::hint::spin_loop();
                Ok(false)
            }
            // If one has answers already, the others are asked to interrupt when all are empty.
            Waiting::Sleep => {
                let sleeps = lanes.iter().all(|lane| lane.queue.arm());
                if sleeps {
                    sleeper.sleep()?;
                }
                Ok(sleeps)
            }
        }
    }
}

impl Lane<'_> {
    /// Puts the next request into a free slot.
    fn put(&mut self, slot: u16, flush_every: Option<u64>, now: Instant) {
        let offset = random(&mut self.state) % self.pages * PAGE;
        let length = PAGE as u32;
        let request = match flush_every {
            None => Request::Read { offset, length },
            Some(writes) if self.writes_since_flush >= writes => {
                self.writes_since_flush = 0;
                Request::Flush
            }
            Some(_) => {
                self.writes_since_flush += 1;
                Request::Write { offset, length }
            }
        };
        self.slots[usize::from(slot)] = (request, now);
        self.queue.put(slot, &request);
    }
}

/// Sleeper that waits for interrupts of several queues. Each new one wakes it once (edge-triggered), so that nothing has to be read.
pub(crate) struct Sleeper {
    epoll: Epoll,
}

impl Sleeper {
    /// Creates a sleeper for the interrupts of these queues.
    ///
    /// # Errors
    /// If the system lacks the resources for it.
    pub(crate) fn new<'a>(queues: impl Iterator<Item = &'a Queue>) -> Result<Self, String> {
        let make = || {
            let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
            for queue in queues {
                let wanted = EpollEvent::new(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, 0);
                epoll.add(queue.call_file(), wanted)?;
            }
            Ok::<_, nix::Error>(epoll)
        };
        let epoll = make().map_err(|error| format!("Could not wait for interrupts: {error}."))?;
        Ok(Self { epoll })
    }

    /// Sleeps until a server interrupts, or has done so since the last call.
    ///
    /// # Errors
    /// If none does for ten seconds.
    pub(crate) fn sleep(&self) -> Result<(), String> {
        let mut events = [EpollEvent::empty(); 16];
        match self.epoll.wait(&mut events, EpollTimeout::from(ANSWER_TIME_MAX_MS)) {
            Ok(0) => Err(no_answer()),
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(error) => Err(format!("Could not wait for interrupts: {error}.")),
        }
    }
}

fn no_answer() -> String {
    format!("The server has not answered for {ANSWER_TIME_MAX_MS} ms.")
}
