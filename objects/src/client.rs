//! A store as shards see it.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use volume::{LIST_NAMES_MAX, Listed, Store, StoreError, StoreErrorKind};

use crate::budget::Budget;
use crate::folder::Folder;
use crate::options::{Address, OBJECT_BYTES_MAX, StoreOptions, check_name, check_prefix};
use crate::runtime::StoreThread;
use crate::s3::S3;

/// A request, without its range of a list: the same for all kinds of stores.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Get { name: String, range: Option<Range<u64>> },
    Create { name: String, bytes: Bytes },
    Delete { name: String },
    List { prefix: String, after: Option<String> },
}

impl Request {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Get { name, .. } | Self::Create { name, .. } | Self::Delete { name } => name,
            Self::List { prefix, .. } => prefix,
        }
    }

    /// Returns the bytes that are known to be transferred.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Get { range: Some(range), .. } => {
                range.end.saturating_sub(range.start).min(OBJECT_BYTES_MAX)
            }
            Self::Create { bytes, .. } => bytes.len() as u64,
            Self::Get { range: None, .. } | Self::Delete { .. } | Self::List { .. } => 0,
        }
    }

    fn check(&self) -> Result<(), StoreError> {
        match self {
            Self::List { prefix, after } => {
                check_prefix(prefix)?;
                after.as_deref().map_or(Ok(()), check_prefix)
            }
            Self::Create { name, bytes } if bytes.len() as u64 > OBJECT_BYTES_MAX => {
                let reason = format!(
                    "An object of {} bytes is too large: {OBJECT_BYTES_MAX} are allowed.",
                    bytes.len()
                );
                Err(StoreError::new(StoreErrorKind::Invalid, name, reason))
            }
            Self::Get { name, .. } | Self::Create { name, .. } | Self::Delete { name } => check_name(name),
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Bytes(Bytes),
    Done,
    Names(Vec<Listed>),
}

#[derive(Debug)]
pub(crate) enum Backend {
    Folder(Arc<Folder>),
    S3(S3),
}

#[derive(Debug)]
struct Shared {
    backend: Backend,
    budget: Budget,
    thread: Arc<StoreThread>,
    url: String,
}

/// A client of one store. Its futures may be polled by any executor; their requests run on a thread that all stores of the process share.
///
/// Guarantees beside those of [`Store`]:
/// - A `create` is repeated only where the store cannot have got it.
/// - Bytes in flight are bounded for all clones together; further requests wait in order, small ones not behind large ones.
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
}

impl Client {
    /// Opens a store. Of S3, the network is not used yet; a folder is made if it is not there, and leftovers in it are removed. Blocks.
    ///
    /// # Errors
    /// If an option is wrong, credentials are missing or readable by others, or the folder is not usable or on a network file system.
    pub fn open(options: &StoreOptions) -> Result<Self, StoreError> {
        let thread = StoreThread::shared().map_err(|error| {
            let reason = format!("Cannot start a thread for object stores: {error}.");
            StoreError::new(StoreErrorKind::Full, &options.url, reason)
        })?;
        let backend = match Address::parse(&options.url)? {
            Address::Folder(path) => Backend::Folder(Arc::new(Folder::open(&path, options.timeout)?)),
            Address::S3 { bucket, prefix } => Backend::S3(S3::open(options, &bucket, &prefix)?),
        };
        Ok(Self {
            shared: Arc::new(Shared { backend, budget: Budget::new(), thread, url: options.url.clone() }),
        })
    }

    /// Returns the address.
    pub fn url(&self) -> &str {
        &self.shared.url
    }

    /// Returns the number of servers behind it.
    pub(crate) fn endpoints(&self) -> usize {
        match &self.shared.backend {
            Backend::Folder(_) => 1,
            Backend::S3(s3) => s3.endpoints(),
        }
    }

    /// Sends a request: to one endpoint by its number, or to one after another.
    pub(crate) async fn request(
        &self,
        request: Request,
        endpoint: Option<usize>,
    ) -> Result<Reply, StoreError> {
        request.check()?;
        let (shared, name) = (Arc::clone(&self.shared), request.name().to_owned());
        let run = async move {
            let mut permit = shared.budget.start(request.bytes()).await;
            match &shared.backend {
                Backend::Folder(folder) => folder.request(request, &mut permit).await,
                Backend::S3(s3) => s3.request(&request, endpoint, &mut permit).await,
            }
        };
        self.shared.thread.run(run).await.unwrap_or_else(|| {
            Err(StoreError::new(StoreErrorKind::Unreachable, name, "The request ended without an answer."))
        })
    }

    /// Returns warnings on settings of the bucket, asked of the endpoint with this number.
    pub(crate) async fn bucket_warnings(&self, endpoint: usize) -> Vec<String> {
        let shared = Arc::clone(&self.shared);
        let run = async move {
            match &shared.backend {
                Backend::Folder(_) => Vec::new(),
                Backend::S3(s3) => s3.bucket_warnings(endpoint).await,
            }
        };
        self.shared.thread.run(run).await.unwrap_or_default()
    }
}

impl Store for Client {
    async fn get(&self, name: &str, range: Option<Range<u64>>) -> Result<Bytes, StoreError> {
        match self.request(Request::Get { name: name.to_owned(), range }, None).await? {
            Reply::Bytes(bytes) => Ok(bytes),
            Reply::Done | Reply::Names(_) => unreachable!("a get answers with bytes"),
        }
    }

    async fn create(&self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.request(Request::Create { name: name.to_owned(), bytes }, None).await.map(drop)
    }

    async fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.request(Request::Delete { name: name.to_owned() }, None).await.map(drop)
    }

    async fn list(&self, prefix: &str, after: Option<&str>) -> Result<Vec<Listed>, StoreError> {
        let request = Request::List { prefix: prefix.to_owned(), after: after.map(str::to_owned) };
        match self.request(request, None).await? {
            Reply::Names(mut names) => {
                names.truncate(LIST_NAMES_MAX);
                Ok(names)
            }
            Reply::Done | Reply::Bytes(_) => unreachable!("a list answers with names"),
        }
    }
}
