//! A test of what a store promises. Passing it proves nothing; failing does.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::future::join_all;
use volume::{Store, StoreError, StoreErrorKind};

use crate::client::{Client, Reply, Request};

/// Creates of one object at once.
const RACERS: usize = 32;
/// Size of the body of each, in bytes: as a volume's, it takes more than one packet.
const BODY_BYTES: usize = 256 << 10;
/// Tries of a racer whose outcome is not known.
const TRIES: usize = 3;
/// Prefix of the objects of probes. No volume's begin so.
const PREFIX: &str = "probe/";
/// Name of an object that is never there.
const NOWHERE: &str = "probe/nowhere";
/// Age in seconds after which objects of a probe are of one that died.
const OLD: u64 = 3600;

/// The result of a probe that found no broken promise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeReport {
    /// Settings of the store that do not go with volumes, each a sentence with what to do.
    pub warnings: Vec<String>,
}

/// Tests exclusive creates by 32 racers over all endpoints at once, reads after writes across endpoints, ranges, lists and deletes. Then
/// reads settings of the bucket, as far as this user may. It transfers about 16 MiB, and deletes what it created.
///
/// # Errors
/// If the store breaks a promise, with kind `Invalid` and the promise; or if it cannot be used, with the error of the request.
pub async fn probe(client: &Client) -> Result<ProbeReport, StoreError> {
    remove_old(client).await?;
    let name = format!("{PREFIX}{}-{:016x}", now(), nonce(client)?);
    let [race, plain] = ["race", "plain"].map(|part| format!("{name}/{part}"));
    let (endpoints, unreached) = reachable(client).await?;
    let result = run(client, &endpoints, &race, &plain).await;
    let mut warnings = client.bucket_warnings(endpoints[0]).await;
    for number in endpoints {
        let plain = format!("{plain}-{number}");
        // A failed delete is found in `run`; after another failure it does not matter.
        client.delete(&plain).await.unwrap_or_default();
    }
    client.delete(&race).await.unwrap_or_default();
    warnings.extend(unreached);
    match result {
        Ok(()) => Ok(ProbeReport { warnings }),
        // A setting may be the reason: with versioning, creates at Ceph 16 are not exclusive.
        Err(mut error) if error.kind == StoreErrorKind::Invalid => {
            for warning in warnings {
                error.reason.push(' ');
                error.reason.push_str(&warning);
            }
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// Returns the endpoints that answer, and a warning for each of the others: a store of several servers is used with one of them down.
async fn reachable(client: &Client) -> Result<(Vec<usize>, Vec<String>), StoreError> {
    let (mut endpoints, mut unreached, mut failure) = (Vec::new(), Vec::new(), None);
    for number in 0..client.endpoints() {
        match get(client, NOWHERE, Some(0..1), number).await {
            Err(error) if error.kind == StoreErrorKind::Unreachable => {
                unreached.push(format!("Endpoint {} was not tested: {}", number + 1, error.reason));
                failure = Some(error);
            }
            _ => endpoints.push(number),
        }
    }
    match failure.filter(|_| endpoints.is_empty()) {
        Some(error) => Err(error),
        None => Ok((endpoints, unreached)),
    }
}

async fn run(client: &Client, endpoints: &[usize], race_name: &str, plain: &str) -> Result<(), StoreError> {
    let winner = race(client, endpoints, race_name).await?;
    check_everywhere(client, endpoints, race_name, &winner, "the one that was created").await?;
    for &number in endpoints {
        let name = format!("{plain}-{number}");
        let body = body(client)?;
        create(client, &name, body.clone(), number).await?;
        check_everywhere(client, endpoints, &name, &body, "the one that was just created").await?;
        check_ranges(client, &name, &body, number).await?;
        match create(client, &name, body, number).await {
            Err(error) if error.kind == StoreErrorKind::Exists => {}
            Err(error) => return Err(error),
            Ok(()) => return Err(broken(client, &name, "replaces an object by a create that must not")),
        }
    }
    check_list(client, race_name).await?;
    check_delete(client, endpoints, race_name).await
}

/// Has all racers create one object, and returns the body of the one that succeeded.
async fn race(client: &Client, endpoints: &[usize], name: &str) -> Result<Bytes, StoreError> {
    let bodies = (0..RACERS).map(|_| body(client)).collect::<Result<Vec<_>, _>>()?;
    let endpoint = |racer: usize| endpoints[racer % endpoints.len()];
    let creates =
        bodies.iter().zip(0..).map(|(body, racer)| create(client, name, body.clone(), endpoint(racer)));
    let mut results = join_all(creates).await;
    for racer in 0..RACERS {
        for _ in 0..TRIES {
            if !results[racer].as_ref().is_err_and(|error| error.kind.is_transient()) {
                break;
            }
            let again = create(client, name, bodies[racer].clone(), endpoint(racer)).await;
            // This or the first try may have been the one that succeeded: the content shows it.
            results[racer] = again;
        }
    }
    let succeeded: Vec<usize> = (0..RACERS).filter(|&racer| results[racer].is_ok()).collect();
    if succeeded.len() > 1 {
        let lack = format!(
            "lets {} of {RACERS} exclusive creates of one object succeed: two hosts could write one volume. It is not fit for volumes; \
             use a store with conditional writes (If-None-Match)",
            succeeded.len()
        );
        return Err(broken(client, name, &lack));
    }
    let failed =
        results.into_iter().filter_map(Result::err).find(|error| error.kind != StoreErrorKind::Exists);
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(&racer) = succeeded.first() {
        return Ok(bodies[racer].clone());
    }
    // A create whose answer was lost may have succeeded.
    let content = get(client, name, None, endpoint(0)).await?;
    if bodies.contains(&content) {
        return Ok(content);
    }
    Err(broken(client, name, "answers all exclusive creates of a new object with `exists`"))
}

async fn check_everywhere(
    client: &Client,
    endpoints: &[usize],
    name: &str,
    body: &Bytes,
    which: &str,
) -> Result<(), StoreError> {
    for &number in endpoints {
        let content = match get(client, name, None, number).await {
            Err(error) if error.kind == StoreErrorKind::NotFound => {
                let lack = format!(
                    "does not show an object that was just created through another request (endpoint {})",
                    number + 1
                );
                return Err(broken(client, name, &lack));
            }
            content => content?,
        };
        if content != *body {
            let lack = format!("returns another content than {which} (endpoint {})", number + 1);
            return Err(broken(client, name, &lack));
        }
    }
    Ok(())
}

async fn check_ranges(client: &Client, name: &str, body: &Bytes, endpoint: usize) -> Result<(), StoreError> {
    let end = BODY_BYTES as u64;
    for range in [0..1, 4096..12_288, end - 10..end, end - 10..end + 10, end..end + 10] {
        let start = (range.start as usize).min(body.len());
        let expected = &body[start..(range.end as usize).min(body.len())];
        if get(client, name, Some(range.clone()), endpoint).await? != expected {
            return Err(broken(client, name, &format!("returns wrong bytes for the range {range:?}")));
        }
    }
    Ok(())
}

async fn check_list(client: &Client, name: &str) -> Result<(), StoreError> {
    let prefix = name.rsplit_once('/').map_or(name, |(folder, _)| folder);
    // A list may lag, so a name may be missing; a wrong size may not be.
    let listed = client.list(prefix, None).await?;
    match listed.iter().find(|listed| listed.bytes != BODY_BYTES as u64) {
        Some(listed) => Err(broken(
            client,
            &listed.name,
            &format!("lists an object of {BODY_BYTES} bytes with {}", listed.bytes),
        )),
        None => Ok(()),
    }
}

async fn check_delete(client: &Client, endpoints: &[usize], name: &str) -> Result<(), StoreError> {
    client.delete(name).await?;
    client.delete(name).await?;
    for &number in endpoints {
        match get(client, name, None, number).await {
            Err(error) if error.kind == StoreErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(_) => {
                return Err(broken(
                    client,
                    name,
                    &format!("returns an object that was deleted (endpoint {})", number + 1),
                ));
            }
        }
    }
    Ok(())
}

/// Removes objects of probes that died. Their names have the time.
async fn remove_old(client: &Client) -> Result<(), StoreError> {
    let now = now();
    for listed in client.list(PREFIX, None).await? {
        let time = listed
            .name
            .strip_prefix(PREFIX)
            .and_then(|name| name.split_once('-'))
            .map(|(time, _)| time.parse::<u64>());
        if time.is_some_and(|time| time.is_ok_and(|time| time.saturating_add(OLD) < now)) {
            client.delete(&listed.name).await?;
        }
    }
    Ok(())
}

async fn create(client: &Client, name: &str, bytes: Bytes, endpoint: usize) -> Result<(), StoreError> {
    client.request(Request::Create { name: name.to_owned(), bytes }, Some(endpoint)).await.map(drop)
}

async fn get(
    client: &Client,
    name: &str,
    range: Option<std::ops::Range<u64>>,
    endpoint: usize,
) -> Result<Bytes, StoreError> {
    match client.request(Request::Get { name: name.to_owned(), range }, Some(endpoint)).await? {
        Reply::Bytes(bytes) => Ok(bytes),
        Reply::Done | Reply::Names(_) => unreachable!("a get answers with bytes"),
    }
}

fn broken(client: &Client, name: &str, lack: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Invalid, name, format!("The store {} {lack}.", client.url()))
}

/// Returns a body that no other racer has, and that no store makes smaller.
fn body(client: &Client) -> Result<Bytes, StoreError> {
    let mut body = vec![0; BODY_BYTES];
    getrandom::fill(&mut body).map_err(|error| no_random(client, error))?;
    Ok(body.into())
}

fn nonce(client: &Client) -> Result<u64, StoreError> {
    getrandom::u64().map_err(|error| no_random(client, error))
}

fn no_random(client: &Client, error: getrandom::Error) -> StoreError {
    StoreError::new(
        StoreErrorKind::Invalid,
        client.url(),
        format!("This system has no random numbers: {error}."),
    )
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
