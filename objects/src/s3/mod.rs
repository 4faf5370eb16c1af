//! A store in a bucket, by S3.
//!
//! `object_store` signs requests and reads answers; its repeats are off. Requests to several endpoints, and which of them are repeated, is
//! decided here.

mod answer;
mod bucket;
mod http;

use std::fmt::Write;
use std::fs;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::client::HttpClient;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::path::Path;
use object_store::{
    GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig,
};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::time::timeout;
use volume::{LIST_NAMES_MAX, Listed, StoreError, StoreErrorKind};

use self::answer::Failure;
use self::http::{Connector, record_answer};
use crate::budget::Permit;
use crate::client::{Reply, Request};
use crate::credentials::Credentials;
use crate::options::{OBJECT_BYTES_MAX, StoreOptions, check_name};

/// Endpoints that one request is sent to, at most.
const TRIES: usize = 3;
/// Time for which an endpoint gets no requests after it failed, if there are others.
const LEFT_TIME: Duration = Duration::from_secs(5);
/// Speed of a transfer below which it has failed, in bytes a second.
const LEAST_SPEED: u64 = 1 << 20;

/// A bucket.
#[derive(Debug)]
pub(crate) struct S3 {
    url: String,
    bucket: String,
    region: String,
    prefix: String,
    endpoints: Vec<Endpoint>,
    /// Number of the next request, by which endpoints take turns.
    next: AtomicUsize,
    credentials: Arc<Credentials>,
    http: HttpClient,
    timeout: Duration,
}

/// A server of the bucket.
#[derive(Debug)]
struct Endpoint {
    url: String,
    /// The bucket at this server.
    bucket_url: String,
    store: AmazonS3,
    left_until: Mutex<Option<Instant>>,
}

impl S3 {
    /// Opens a bucket, without asking it.
    ///
    /// # Errors
    /// If an option is wrong, or there are no credentials or certificates.
    pub(crate) fn open(options: &StoreOptions, bucket: &str, prefix: &str) -> Result<Self, StoreError> {
        let variable = |name: &str| std::env::var(name).ok();
        let invalid = |reason: String| StoreError::new(StoreErrorKind::Invalid, &options.url, reason);
        let credentials = Credentials::open(options.credentials.as_deref(), variable)
            .map_err(|reason| StoreError::new(StoreErrorKind::Denied, &options.url, reason))?;
        let credentials = Arc::new(credentials);
        let region = options.region(variable);
        let path_style = options.path_style.unwrap_or(!options.endpoints.is_empty());
        let servers = match options.endpoints.as_slice() {
            [] => vec![format!("https://s3.{region}.amazonaws.com")],
            endpoints => {
                endpoints.iter().map(|text| endpoint_url(text)).collect::<Result<_, _>>().map_err(invalid)?
            }
        };
        let roots = if servers.iter().any(|url| url.starts_with("https:")) {
            roots(options).map_err(invalid)?
        } else {
            RootCertStore::empty()
        };
        let http = http::client(roots);
        let endpoint = |url: String| {
            let bucket_url = bucket_url(&url, bucket, path_style);
            let base = if path_style { url.clone() } else { bucket_url.clone() };
            let builder = AmazonS3Builder::new()
                .with_bucket_name(bucket)
                .with_region(&region)
                .with_endpoint(base)
                .with_virtual_hosted_style_request(!path_style)
                .with_allow_http(url.starts_with("http:"))
                .with_credentials(Arc::clone(&credentials) as _)
                .with_disable_bulk_delete(true)
                .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
                .with_http_connector(Connector(http.clone()));
            let store = builder.build().map_err(|error| invalid(format!("{url}: {error}.")))?;
            Ok(Endpoint { url, bucket_url, store, left_until: Mutex::default() })
        };
        let endpoints = servers.into_iter().map(endpoint).collect::<Result<_, StoreError>>()?;
        Ok(Self {
            url: options.url.clone(),
            bucket: bucket.to_owned(),
            region: region.clone(),
            prefix: prefix.to_owned(),
            endpoints,
            next: AtomicUsize::new(0),
            credentials,
            http: http.clone(),
            timeout: options.timeout,
        })
    }

    pub(crate) fn endpoints(&self) -> usize {
        self.endpoints.len()
    }

    /// Sends a request to one endpoint, or to one after another until one answers. A create goes to another only if it was not sent.
    pub(crate) async fn request(
        &self,
        request: &Request,
        endpoint: Option<usize>,
        permit: &mut Permit<'_>,
    ) -> Result<Reply, StoreError> {
        let order = endpoint.map_or_else(|| self.order(), |number| vec![number]);
        let mut last = None;
        for number in order {
            let endpoint = &self.endpoints[number];
            let failure = match self.send(endpoint, request, permit).await {
                Ok(reply) => {
                    endpoint.set_left(None);
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            let is_create = matches!(request, Request::Create { .. });
            if failure.kind != StoreErrorKind::Unreachable {
                return Err(self.error(endpoint, request.name(), &failure));
            }
            endpoint.set_left(Some(Instant::now() + LEFT_TIME));
            let may_repeat = failure.unsent || !is_create;
            last = Some(self.error(endpoint, request.name(), &failure));
            if !may_repeat {
                break;
            }
        }
        Err(last.expect("there is an endpoint, and it failed"))
    }

    /// Returns the numbers of endpoints to try: from the next in turn on, those left alone at the end.
    fn order(&self) -> Vec<usize> {
        let count = self.endpoints.len();
        let first = self.next.fetch_add(1, Ordering::Relaxed) % count;
        let now = Instant::now();
        let mut order: Vec<usize> = (0..count).map(|number| (first + number) % count).collect();
        order.sort_by_key(|&number| self.endpoints[number].is_left(now));
        order.truncate(TRIES);
        order
    }

    async fn send(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        permit: &mut Permit<'_>,
    ) -> Result<Reply, Failure> {
        let time = self.timeout + Duration::from_secs(request.bytes() / LEAST_SPEED);
        match request {
            Request::Get { name, range } => {
                self.get(endpoint, name, range.as_ref(), permit).await.map(Reply::Bytes)
            }
            Request::Create { name, bytes } => {
                let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
                let payload = PutPayload::from_bytes(bytes.clone());
                let path = self.path(name);
                let put = endpoint.store.put_opts(&path, payload, options);
                record_answer(time, put).await.map_err(Failure::of_create).map(|_| Reply::Done)
            }
            Request::Delete { name } => {
                let path = self.path(name);
                match record_answer(time, endpoint.store.delete(&path)).await.map_err(Failure::from) {
                    Err(failure) if failure.kind == StoreErrorKind::NotFound => Ok(Reply::Done),
                    result => result.map(|()| Reply::Done),
                }
            }
            Request::List { prefix, after } => {
                self.list(endpoint, prefix, after.as_deref()).await.map(Reply::Names)
            }
        }
    }

    async fn get(
        &self,
        endpoint: &Endpoint,
        name: &str,
        range: Option<&Range<u64>>,
        permit: &mut Permit<'_>,
    ) -> Result<Bytes, Failure> {
        let is_empty = range.is_some_and(|range| range.start >= range.end);
        // An empty range cannot be asked for: one byte shows whether the object is there.
        let asked =
            range.map(|range| range.start..if is_empty { range.start.saturating_add(1) } else { range.end });
        let options = GetOptions { range: asked.map(GetRange::Bounded), ..GetOptions::default() };
        let path = self.path(name);
        let result = match record_answer(self.timeout, endpoint.store.get_opts(&path, options)).await {
            Ok(result) => result,
            // It begins behind the object's end.
            Err((answer, _)) if answer.status() == Some(416) => return Ok(Bytes::new()),
            Err(failed) => return Err(failed.into()),
        };
        if is_empty {
            return Ok(Bytes::new());
        }
        let bytes = result.range.end - result.range.start;
        if bytes > OBJECT_BYTES_MAX {
            return Err(Failure::invalid(format!(
                "{bytes} bytes are too many for one read: {OBJECT_BYTES_MAX} are allowed"
            )));
        }
        // The connection waits meanwhile: how large a whole object is was not known before.
        if range.is_none() {
            permit.grow(bytes).await;
        }
        let time = self.timeout + Duration::from_secs(bytes / LEAST_SPEED);
        let content = timeout(time, async {
            let mut content = Vec::with_capacity(bytes as usize);
            let mut stream = result.into_stream();
            while let Some(part) = stream.next().await {
                content.extend_from_slice(&part?);
                if content.len() as u64 > bytes {
                    break;
                }
            }
            Ok::<_, object_store::Error>(content)
        });
        let content = content.await.map_err(|_| Failure::late(time))?;
        let content = content.map_err(|error| Failure::broken(&error))?;
        if content.len() as u64 != bytes {
            return Err(Failure::broken(&format!("{} of {bytes} bytes came", content.len())));
        }
        Ok(content.into())
    }

    async fn list(
        &self,
        endpoint: &Endpoint,
        prefix: &str,
        after: Option<&str>,
    ) -> Result<Vec<Listed>, Failure> {
        let after = after.unwrap_or_default();
        let root = if self.prefix.is_empty() { String::new() } else { format!("{}/", self.prefix) };
        let whole = format!("{root}{prefix}");
        let mut listed: Vec<Listed> = Vec::new();
        let mut offset = (!after.is_empty()).then(|| format!("{root}{after}"));
        // A page of names that are not of objects is rare; the number of pages is bounded by their order.
        while listed.is_empty() {
            let options = PaginatedListOptions {
                offset: offset.clone(),
                max_keys: Some(LIST_NAMES_MAX),
                ..Default::default()
            };
            let page = endpoint.store.list_paginated((!whole.is_empty()).then_some(whole.as_str()), options);
            let page = record_answer(self.timeout, page).await.map_err(Failure::from)?;
            let Some(end) = page.result.objects.last().map(|object| object.location.to_string()) else {
                break;
            };
            let mut last = offset.unwrap_or_default();
            for object in page.result.objects {
                let key = object.location.to_string();
                if key <= last || !key.starts_with(&whole) {
                    return Err(Failure::invalid(format!(
                        "a list is out of order, or has a name that was not asked for: {key}"
                    )));
                }
                let name = &key[root.len()..];
                if check_name(name).is_ok() {
                    listed.push(Listed { name: name.to_owned(), bytes: object.size });
                }
                last = key;
            }
            if page.page_token.is_none() {
                break;
            }
            offset = Some(end);
        }
        Ok(listed)
    }

    /// Returns the path of an object in the bucket.
    fn path(&self, name: &str) -> Path {
        let key = if self.prefix.is_empty() { name.to_owned() } else { format!("{}/{name}", self.prefix) };
        Path::parse(key).expect("names were checked")
    }

    /// Converts a failure: with the store and the endpoint, and without keys.
    fn error(&self, endpoint: &Endpoint, name: &str, failure: &Failure) -> StoreError {
        let mut reason =
            format!("{} at {}: {}.", self.url, endpoint.url, failure.words.trim_end_matches('.'));
        if !failure.advice.is_empty() {
            write!(reason, " {}", failure.advice).expect("a string takes all");
        }
        StoreError::new(failure.kind, name, self.credentials.redact(&reason))
    }
}

impl Endpoint {
    fn set_left(&self, until: Option<Instant>) {
        *self.left_until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    fn is_left(&self, now: Instant) -> bool {
        self.left_until.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| until > now)
    }
}

/// Returns an endpoint without `/` at its end, with HTTPS if it has no scheme.
fn endpoint_url(text: &str) -> Result<String, String> {
    let url = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = host.map(|host| host.trim_end_matches('/'));
    let is_host = |host: &str| !host.is_empty() && !host.contains(['/', '@', '?', '#', ' ']);
    match (host, url.parse::<hyper::Uri>()) {
        (Some(host), Ok(_)) if is_host(host) => Ok(url.trim_end_matches('/').to_owned()),
        _ => Err("An endpoint is written as https://HOST[:PORT], without user and path.".to_owned()),
    }
}

fn bucket_url(endpoint: &str, bucket: &str, path_style: bool) -> String {
    match endpoint.split_once("://") {
        Some((scheme, host)) if !path_style => format!("{scheme}://{bucket}.{host}"),
        _ => format!("{endpoint}/{bucket}"),
    }
}

fn roots(options: &StoreOptions) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let place = if let Some(path) = &options.ca {
        let place = path.display();
        let text =
            fs::read(path).map_err(|error| format!("Cannot read certificates from {place}: {error}."))?;
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate =
                certificate.map_err(|error| format!("Cannot read certificates from {place}: {error}."))?;
            roots
                .add(certificate)
                .map_err(|error| format!("A certificate in {place} is not usable: {error}."))?;
        }
        place.to_string()
    } else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        "this system".to_owned()
    };
    if roots.is_empty() {
        return Err(format!(
            "There are no certificates of authorities in {place}. Name a PEM file with `ca`, or install ca-certificates."
        ));
    }
    Ok(roots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_have_a_host_only() {
        assert_eq!(endpoint_url("host:9000"), Ok("https://host:9000".to_owned()));
        assert_eq!(endpoint_url("http://127.0.0.1:9000/"), Ok("http://127.0.0.1:9000".to_owned()));
        for wrong in ["", "ftp://host", "https://", "https://user:key@host", "https://host/path", "host?x"] {
            assert!(endpoint_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_bucket_is_in_the_path_or_the_host() {
        assert_eq!(bucket_url("https://host:1", "disks", true), "https://host:1/disks");
        assert_eq!(bucket_url("https://host:1", "disks", false), "https://disks.host:1");
    }
}
