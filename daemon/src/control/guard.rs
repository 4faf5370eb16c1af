//! Authorization over TCP: decided for each request, before anything but its head is read.
//!
//! ```text
//!   Host             an IP address, localhost or a name from the configuration, with our port     else 403
//!   Origin           if there is one: our own page                                                 else 403
//!   Sec-Fetch-Site   if there is one: same-origin or none, save for the files of the page          else 403
//!   Authorization    the token: for every change; from other hosts for reading too                 else 401
//! ```
//! A browser runs pages of other sites besides ours, and one of them may give its own name the address of
//! this host (DNS rebinding), so that the browser takes us for its server. Such a page can choose neither
//! `Host`, which has its name, nor `Origin`; so it can neither read nor change anything. There are no CORS
//! headers, ever. The files of the page itself are not secret and need no token: users on another host enter
//! the token there.
//!
//! The control socket has no guard: opening it gives every right.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::token::Token;

use super::answer::ErrorResponse;
use super::listen::HostName;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The port that a browser leaves out of an address.
const USUAL_PORT: u16 = 80;

/// Headers by which a proxy names its client.
const FORWARDED: [&str; 4] = ["forwarded", "via", "x-forwarded-for", "x-real-ip"];

/// Address that a connection comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// Settings for decisions.
pub(super) struct Guard {
    /// Port of the listener.
    pub(super) port: u16,
    pub(super) names: Vec<HostName>,
    pub(super) token: Token,
}

/// Parts of a request that decide.
#[derive(Clone, Copy, Debug)]
struct RequestHead<'a> {
    method: &'a Method,
    path: &'a str,
    peer: IpAddr,
    host: &'a str,
    origin: Option<&'a str>,
    fetch_site: Option<&'a str>,
    authorization: Option<&'a str>,
    /// True if headers show that it comes through a proxy.
    is_forwarded: bool,
}

/// Rights of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Privilege {
    /// Reading only: it came without the token, or with a wrong one.
    Read,
    /// Reading and changing: it came with the token.
    Change,
}

/// Passes a request on, with its [`Privilege`] for its handler, or answers it with the reason of a refusal.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    Extension(Peer(peer)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let decided = RequestHead::from_request(&request, peer).and_then(|asked| {
        guard.decide(asked)?;
        Ok(guard.privilege(asked))
    });
    match decided {
        Ok(privilege) => {
            request.extensions_mut().insert(privilege);
            next.run(request).await
        }
        Err(failure) => {
            tracing::debug!("Refused a request over HTTP from {peer}: {}", failure.detail);
            failure.into_response()
        }
    }
}

impl<'a> RequestHead<'a> {
    fn from_request(request: &'a Request, peer: IpAddr) -> Result<Self, ErrorResponse> {
        let headers = request.headers();
        let host = only(headers, &header::HOST)?.ok_or_else(|| {
            ErrorResponse::new(
                StatusCode::BAD_REQUEST,
                "Cannot answer a request without a Host header; send one",
            )
        })?;
        if request.uri().authority().is_some_and(|authority| authority.as_str() != host) {
            let message = "Cannot answer a request whose address names another host than its Host header";
            return Err(ErrorResponse::new(StatusCode::BAD_REQUEST, message));
        }
        Ok(Self {
            method: request.method(),
            path: request.uri().path(),
            peer,
            host,
            origin: only(headers, &header::ORIGIN)?,
            fetch_site: only(headers, &SEC_FETCH_SITE)?,
            authorization: only(headers, &header::AUTHORIZATION)?,
            is_forwarded: FORWARDED.iter().any(|name| headers.contains_key(*name)),
        })
    }

    /// Returns true if the request changes nothing.
    fn is_reading(&self) -> bool {
        [Method::GET, Method::HEAD, Method::OPTIONS].contains(self.method)
    }

    /// Returns the token of the request, right or wrong.
    fn bearer(&self) -> Option<&str> {
        let (scheme, token) = self.authorization?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    }

    /// Returns true for the files of the web page, which are the same on every host.
    fn is_of_page(&self) -> bool {
        self.is_reading() && (self.path == "/" || self.path.starts_with("/assets/"))
    }
}

/// Returns the text of a header that may occur once. Of two, the intended one is unknown.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ErrorResponse> {
    let mut all = headers.get_all(name).iter();
    match (all.next().map(|value| value.to_str()), all.next()) {
        (None, _) => Ok(None),
        (Some(Ok(text)), None) => Ok(Some(text)),
        _ => Err(ErrorResponse::new(
            StatusCode::BAD_REQUEST,
            format!("Cannot read the header {name}: it must be there once and be plain text; send it so"),
        )),
    }
}

impl Guard {
    fn decide(&self, asked: RequestHead<'_>) -> Result<(), ErrorResponse> {
        let RequestHead { host, origin, fetch_site, .. } = asked;
        if !self.is_ours(host) {
            return Err(forbidden(format!(
                "Cannot answer for host '{host}': only for an IP address, localhost and the names that the \
                 configuration lists under http.names, with port {}; use one of these, or list this name",
                self.port
            )));
        }
        if let Some(origin) = origin.filter(|origin| !self.is_own_page(origin, host)) {
            return Err(forbidden(format!(
                "Cannot answer a page of another origin ('{origin}'): in a browser, open http://{host}/ itself"
            )));
        }
        let is_foreign = fetch_site.is_some_and(|site| !["same-origin", "none"].contains(&site));
        if is_foreign && !asked.is_of_page() {
            return Err(forbidden(format!(
                "Cannot answer what a page of another site asks for: in a browser, open http://{host}/ itself"
            )));
        }
        self.check_token(asked)
    }

    /// Returns true if a browser that sends this as the host can have meant this daemon.
    fn is_ours(&self, host: &str) -> bool {
        if self.is_known_name(host) {
            return true;
        }
        let Ok(authority) = host.parse::<Authority>() else { return false };
        let name = authority.host();
        let is_address = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        let is_local = is_address || name.eq_ignore_ascii_case("localhost");
        is_local && !host.contains('@') && authority.port_u16().unwrap_or(USUAL_PORT) == self.port
    }

    /// Returns true if it is a name from the configuration, with or without our port.
    fn is_known_name(&self, host: &str) -> bool {
        let with_port = |name: &HostName| format!("{name}:{}", self.port);
        let is_it = |name: &HostName| {
            host.eq_ignore_ascii_case(name.as_str()) || host.eq_ignore_ascii_case(&with_port(name))
        };
        self.names.iter().any(is_it)
    }

    /// Returns true if a page of this origin came from the host that it asks. The daemon serves plain HTTP,
    /// and only a named host may be behind a proxy that adds HTTPS.
    fn is_own_page(&self, origin: &str, host: &str) -> bool {
        let is = |scheme: &str| origin.eq_ignore_ascii_case(&format!("{scheme}://{host}"));
        is("http") || self.is_known_name(host) && is("https")
    }

    /// Returns the rights of a request that [`Self::decide`] lets through.
    fn privilege(&self, asked: RequestHead<'_>) -> Privilege {
        let has_token = asked.bearer().is_some_and(|token| self.token.is(token));
        if has_token { Privilege::Change } else { Privilege::Read }
    }

    fn check_token(&self, asked: RequestHead<'_>) -> Result<(), ErrorResponse> {
        // A TLS proxy connects from this host for others. It is recognised by the name in the request, or by
        // the headers that it adds.
        let is_direct = !asked.is_forwarded && !self.is_known_name(asked.host);
        let is_here = asked.peer.to_canonical().is_loopback() && is_direct;
        if asked.is_of_page() || asked.is_reading() && is_here {
            return Ok(());
        }
        let path = self.token.path().display();
        let what = match asked.bearer() {
            Some(token) if self.token.is(token) => return Ok(()),
            Some(_) => "with this token: it is not the right one".to_owned(),
            None if asked.is_reading() => {
                format!("to another host, or through a proxy, ({}) without the token", asked.peer)
            }
            None => "over TCP without the token".to_owned(),
        };
        let doing = if asked.is_reading() { "show this" } else { "change anything" };
        Err(ErrorResponse::new(
            StatusCode::UNAUTHORIZED,
            format!("Cannot {doing} {what}; send `Authorization: Bearer TOKEN` with what is in {path}"),
        ))
    }
}

fn forbidden(detail: String) -> ErrorResponse {
    ErrorResponse::new(StatusCode::FORBIDDEN, detail)
}

#[cfg(test)]
#[path = "guard/tests.rs"]
mod tests;
