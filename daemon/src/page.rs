//! The web page, embedded in the binary: `/`, and its files under `/assets/`.
//!
//! Built from `web/` into `web/dist`, which is committed, so that cargo alone builds the product. The page
//! requests all data from the control plane of the same address; this module knows no disks, and loads
//! nothing from elsewhere.

use std::hash::{DefaultHasher, Hasher};

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

/// One file of the page.
struct File {
    name: &'static str,
    kind: &'static str,
    content: &'static [u8],
}

const INDEX: File = File {
    name: "index.html",
    kind: "text/html; charset=utf-8",
    content: include_bytes!("../../web/dist/index.html"),
};

/// Files that the page loads.
const ASSETS: [File; 3] = [
    File {
        name: "app.js",
        kind: "text/javascript; charset=utf-8",
        content: include_bytes!("../../web/dist/app.js"),
    },
    File {
        name: "app.css",
        kind: "text/css; charset=utf-8",
        content: include_bytes!("../../web/dist/app.css"),
    },
    File { name: "icon.svg", kind: "image/svg+xml", content: include_bytes!("../../web/dist/icon.svg") },
];

/// Content security policy: scripts, styles and requests of this address only, and no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the routes of the page, to be merged into a router with any state.
pub(crate) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/", get(index)).route("/assets/{name}", get(asset))
}

async fn index(asked: HeaderMap) -> Response {
    INDEX.answer(&asked)
}

async fn asset(Path(name): Path<String>, asked: HeaderMap) -> Response {
    match ASSETS.iter().find(|file| file.name == name) {
        Some(file) => file.answer(&asked),
        None => (StatusCode::NOT_FOUND, "The page has no such file\n").into_response(),
    }
}

impl File {
    /// Returns the file, or "not modified" if the browser has it already.
    fn answer(&self, asked: &HeaderMap) -> Response {
        let tag = self.tag();
        let headers = [
            (header::CONTENT_TYPE, self.kind),
            // Revalidated each time, so that page and daemon are always of one version.
            (header::CACHE_CONTROL, "no-cache"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::ETAG, &tag),
        ];
        if asked.get(header::IF_NONE_MATCH).is_some_and(|kept| kept.as_bytes() == tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, self.content).into_response()
    }

    /// Returns a tag of the content. It detects changes, and is no protection against forgery.
    fn tag(&self) -> String {
        let mut hasher = DefaultHasher::new();
        hasher.write(self.content);
        format!("\"{:016x}\"", hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_page_names_nothing_outside_and_no_file_that_is_not_there() {
        let index = str::from_utf8(INDEX.content).expect("it is text");
        assert!(!index.contains("://"), "nothing comes from elsewhere");
        assert!(!index.contains("style=") && !index.contains("<script>"), "the policy forbids both");
        let named: Vec<&str> =
            index.split("/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        for name in &named {
            assert!(ASSETS.iter().any(|file| file.name == *name), "{name} is named and not there");
        }
        for file in &ASSETS {
            assert!(named.contains(&file.name), "{} is there and not named", file.name);
        }
    }

    #[test]
    fn scripts_bring_no_source_map_and_no_address_but_that_of_drawings() {
        for file in &ASSETS {
            let text = str::from_utf8(file.content).expect("it is text");
            assert!(!text.contains("sourceMappingURL"), "{}", file.name);
            let addresses = text.match_indices("://").map(|(at, _)| &text[..at]);
            // Locations of backings in a hint are not loaded by a browser.
            let is_backing = |before: &str| ["nbd", "nbd+unix"].iter().any(|scheme| before.ends_with(scheme));
            for before in addresses.filter(|before| !is_backing(before)) {
                let rest = &text[before.len()..];
                let known = ["://www.w3.org/", "://github.com/leeoniya/uPlot"];
                assert!(known.iter().any(|known| rest.starts_with(known)), "{}: {rest:.40}", file.name);
            }
        }
    }

    #[test]
    fn a_browser_that_has_a_file_is_not_sent_it_again() {
        let mut asked = HeaderMap::new();
        let first = INDEX.answer(&asked);
        assert_eq!(first.status(), StatusCode::OK);
        let tag: HeaderValue = first.headers()[header::ETAG].clone();
        asked.insert(header::IF_NONE_MATCH, tag);
        assert_eq!(INDEX.answer(&asked).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(ASSETS[0].answer(&asked).status(), StatusCode::OK, "another file has another tag");
    }
}
