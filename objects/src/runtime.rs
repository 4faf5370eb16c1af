//! The thread on which the requests of all stores run.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Name of the thread, as `ps -L` shows it.
const NAME: &str = "forebay-objects";
/// Threads for calls of file systems, which block.
const BLOCKING_THREADS: usize = 16;
/// Time after which an unused one of them ends.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// A running thread. It ends when its last owner goes; requests own it too.
#[derive(Debug)]
pub(crate) struct StoreThread {
    handle: Handle,
    /// Its drop ends the thread.
    _stop: oneshot::Sender<()>,
}

impl StoreThread {
    /// Returns the thread of this process, which it starts if necessary.
    ///
    /// # Errors
    /// If the operating system starts no thread.
    pub(crate) fn shared() -> io::Result<Arc<Self>> {
        static RUNNING: Mutex<Weak<StoreThread>> = Mutex::new(Weak::new());
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = running.upgrade() {
            return Ok(thread);
        }
        let thread = Arc::new(Self::start()?);
        *running = Arc::downgrade(&thread);
        Ok(thread)
    }

    fn start() -> io::Result<Self> {
        let mut builder = Builder::new_current_thread();
        builder.enable_all().max_blocking_threads(BLOCKING_THREADS).thread_keep_alive(KEEP_ALIVE);
        let runtime = builder.thread_name(NAME).build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let run = move || {
            // An error is how the end is sent.
            runtime.block_on(stopped).unwrap_or_default();
        };
        thread::Builder::new().name(NAME.to_owned()).spawn(run)?;
        Ok(Self { handle, _stop: stop })
    }

    /// Starts a request and returns its result, or nothing if it panicked.
    pub(crate) fn run<T, F>(&self, request: F) -> impl Future<Output = Option<T>> + use<T, F>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        self.handle.spawn(async move {
            // The caller may have gone: the request was done all the same.
            drop(sender.send(request.await));
        });
        async move { receiver.await.ok() }
    }
}
