//! Decisions as tables: requests, and their results.

use axum::body::Body;
use base::testing::TempDir;

use super::*;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

fn guard(port: u16) -> Guard {
    let dir = TempDir::new();
    let path = dir.path().join("token");
    std::fs::write(&path, TOKEN).expect("the folder is ours");
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&path, rights).expect("it is ours");
    let names = ["storage.example", "proxy.example:8443"].map(|name| name.parse().expect("a name"));
    Guard { port, names: names.into(), token: Token::load_or_make(dir.path()).expect("it is good") }
}

/// Returns a reading request from this host.
fn reading(path: &'static str) -> RequestHead<'static> {
    RequestHead {
        method: &Method::GET,
        path,
        peer: HERE,
        host: "127.0.0.1:7070",
        origin: None,
        fetch_site: None,
        authorization: None,
        is_forwarded: false,
    }
}

fn status(asked: RequestHead<'_>) -> u16 {
    guard(7070).decide(asked).map_or_else(|failure| failure.status.as_u16(), |()| 200)
}

#[test]
fn only_our_own_names_with_our_own_port_are_answered() {
    let bearer = format!("Bearer {TOKEN}");
    for (host, ours) in [
        ("127.0.0.1:7070", true),
        ("[::1]:7070", true),
        ("192.0.2.1:7070", true),
        ("localhost:7070", true),
        ("LocalHost:7070", true),
        ("storage.example:7070", true),
        ("Storage.Example", true),
        ("proxy.example:8443", true),
        ("proxy.example", false),
        ("storage.example:8443", false),
        ("evil.example:7070", false),
        ("127.0.0.1.evil.example:7070", false),
        ("localhost.evil.example:7070", false),
        ("x.localhost:7070", false),
        ("127.0.0.1:7071", false),
        ("127.0.0.1", false),
        ("localhost", false),
        ("2130706433:7070", false),
        ("0x7f.1:7070", false),
        ("127.0.0.1:7070@evil.example:7070", false),
        ("evil@127.0.0.1:7070", false),
        ("[::1", false),
        ("", false),
        ("127.0.0.1:7070 ", false),
    ] {
        let owner = RequestHead { authorization: Some(&bearer), ..reading("/v1/disks") };
        assert_eq!(status(RequestHead { host, ..owner }) == 200, ours, "{host}");
        assert_eq!(status(RequestHead { host, ..reading("/") }) == 200, ours, "the page as well: {host}");
    }
    let usual = guard(80);
    for host in ["127.0.0.1", "localhost:80", "[::1]"] {
        assert!(usual.decide(RequestHead { host, ..reading("/v1/disks") }).is_ok(), "{host}");
    }
}

#[test]
fn pages_of_other_origins_are_refused_with_and_without_the_token() {
    let bearer = format!("Bearer {TOKEN}");
    for (host, origin, own) in [
        ("127.0.0.1:7070", "http://127.0.0.1:7070", true),
        ("localhost:7070", "http://localhost:7070", true),
        ("storage.example", "https://storage.example", true),
        ("storage.example:7070", "http://storage.example:7070", true),
        ("127.0.0.1:7070", "http://localhost:7070", false),
        ("127.0.0.1:7070", "https://127.0.0.1:7070", false),
        ("127.0.0.1:7070", "http://127.0.0.1:3000", false),
        ("127.0.0.1:7070", "http://127.0.0.1:7070.evil.example", false),
        ("127.0.0.1:7070", "http://evil.example", false),
        ("127.0.0.1:7070", "null", false),
        ("127.0.0.1:7070", "", false),
    ] {
        for (method, path) in [(Method::GET, "/v1/disks"), (Method::POST, "/v1/disks"), (Method::GET, "/")] {
            let authorization = Some(bearer.as_str());
            let asked = RequestHead {
                method: &method,
                path,
                host,
                origin: Some(origin),
                authorization,
                ..reading("/")
            };
            assert_eq!(status(asked), if own { 200 } else { 403 }, "{method} {path} {host} {origin}");
        }
    }
}

#[test]
fn what_a_page_of_another_site_asks_for_is_refused_save_the_files_of_the_page() {
    for (path, site, expected) in [
        ("/v1/disks", "same-origin", 200),
        ("/v1/disks", "none", 200),
        ("/v1/disks", "same-site", 403),
        ("/v1/disks", "cross-site", 403),
        ("/healthz", "cross-site", 403),
        ("/", "cross-site", 200),
        ("/assets/page.js", "cross-site", 200),
        ("/assetsx", "cross-site", 403),
    ] {
        assert_eq!(
            status(RequestHead { fetch_site: Some(site), ..reading(path) }),
            expected,
            "{path} {site}"
        );
    }
}

#[test]
fn every_change_needs_the_token_and_reading_needs_it_from_elsewhere() {
    let mapped: IpAddr = "::ffff:127.0.0.1".parse().expect("an address");
    let (right, wrong) = (format!("Bearer {TOKEN}"), format!("Bearer {}", TOKEN.replace('f', "e")));
    let (small, basic) = (format!("bearer {TOKEN}"), format!("Basic {TOKEN}"));
    for (method, path, peer, authorization, expected) in [
        (Method::GET, "/v1/disks", HERE, None, 200),
        (Method::HEAD, "/v1/disks", mapped, None, 200),
        (Method::OPTIONS, "/v1/disks", HERE, None, 200),
        (Method::GET, "/v1/disks", HERE, Some(wrong.as_str()), 200),
        (Method::GET, "/v1/disks", ELSEWHERE, None, 401),
        (Method::GET, "/healthz", ELSEWHERE, None, 401),
        (Method::GET, "/metrics", ELSEWHERE, Some(wrong.as_str()), 401),
        (Method::GET, "/v1/disks", ELSEWHERE, Some(right.as_str()), 200),
        (Method::GET, "/", ELSEWHERE, None, 200),
        (Method::GET, "/assets/page.js", ELSEWHERE, None, 200),
        (Method::POST, "/", HERE, None, 401),
        (Method::POST, "/v1/disks", HERE, None, 401),
        (Method::POST, "/v1/disks", HERE, Some(wrong.as_str()), 401),
        (Method::POST, "/v1/disks", HERE, Some(TOKEN), 401),
        (Method::POST, "/v1/disks", HERE, Some(basic.as_str()), 401),
        (Method::POST, "/v1/disks", HERE, Some("Bearer "), 401),
        (Method::POST, "/v1/disks", HERE, Some("Bearer"), 401),
        (Method::POST, "/v1/disks", HERE, Some(right.as_str()), 200),
        (Method::PATCH, "/v1/disks/a", ELSEWHERE, Some(small.as_str()), 200),
        (Method::DELETE, "/v1/disks/a", HERE, None, 401),
        (Method::PUT, "/v1/nothing", HERE, None, 401),
        (Method::TRACE, "/", HERE, None, 401),
    ] {
        let asked = RequestHead { method: &method, path, peer, authorization, ..reading("/") };
        assert_eq!(status(asked), expected, "{method} {path} {peer} {authorization:?}");
    }
}

#[test]
fn whoever_comes_through_a_proxy_on_this_host_is_not_here() {
    let bearer = format!("Bearer {TOKEN}");
    for (host, is_forwarded) in [("storage.example", false), ("127.0.0.1:7070", true)] {
        let asked = RequestHead { host, is_forwarded, ..reading("/v1/disks") };
        assert_eq!(status(asked), 401, "{host} {is_forwarded}");
        assert_eq!(
            status(RequestHead { authorization: Some(&bearer), ..asked }),
            200,
            "{host} {is_forwarded}"
        );
        assert_eq!(status(RequestHead { path: "/", ..asked }), 200, "the page asks for the token");
    }
    for header in FORWARDED {
        let request = Request::builder().uri("/v1/disks").header("host", "h").header(header, "192.0.2.7");
        let request = request.body(Body::empty()).expect("a request");
        assert!(RequestHead::from_request(&request, HERE).expect("it can be read").is_forwarded, "{header}");
    }
}

#[test]
fn refusals_say_what_to_do_and_never_the_token() {
    let guard = guard(7070);
    let wrong = format!("Bearer {}", TOKEN.replace('f', "e"));
    for (asked, part) in [
        (RequestHead { host: "evil.example", ..reading("/") }, "http.names"),
        (RequestHead { origin: Some("null"), ..reading("/") }, "open http://127.0.0.1:7070/"),
        (RequestHead { method: &Method::POST, ..reading("/v1/disks") }, "over TCP without the token"),
        (
            RequestHead { peer: ELSEWHERE, ..reading("/v1/disks") },
            "another host, or through a proxy, (192.0.2.7)",
        ),
        (
            RequestHead { method: &Method::POST, authorization: Some(&wrong), ..reading("/v1/disks") },
            "not the right one",
        ),
    ] {
        let failure = guard.decide(asked).expect_err(part);
        assert!(failure.detail.contains(part) && !failure.detail.contains(TOKEN), "{}", failure.detail);
    }
}

#[test]
fn heads_that_can_be_read_in_two_ways_are_refused() {
    let request = |change: fn(axum::http::request::Builder) -> axum::http::request::Builder| {
        change(Request::builder().uri("/v1/disks")).body(Body::empty()).expect("a request")
    };
    let good = request(|builder| builder.header("host", "127.0.0.1:7070"));
    assert!(RequestHead::from_request(&good, HERE).is_ok());
    for wrong in [
        request(|builder| builder),
        request(|builder| builder.header("host", "127.0.0.1:7070").header("host", "evil.example")),
        request(|builder| builder.header("host", "h").header("origin", "a").header("origin", "b")),
        request(|builder| builder.header("host", "h").header("authorization", &b"Bearer \xff"[..])),
        request(|builder| builder.uri("http://evil.example/v1/disks").header("host", "127.0.0.1:7070")),
    ] {
        let failure = RequestHead::from_request(&wrong, HERE).expect_err("it is ambiguous");
        assert_eq!(failure.status, StatusCode::BAD_REQUEST, "{wrong:?}");
    }
}
