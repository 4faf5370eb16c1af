//! The description of the interface for programs: an OpenAPI 3.1 document, generated from the routes and the
//! types of answers. Properties common to every request are added here.

use std::sync::OnceLock;

use api::{Counts, Latencies, OfLatencies, ProblemDocument, Settings, name_keys};
use axum::http::header;
use axum::response::IntoResponse;
use cache::{DiskCounts, Latency};
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, Ref, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use crate::keys::KEYS;

/// Name of the token in the document.
const TOKEN: &str = "token";

/// The OpenAPI document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "host",
    responses((status = OK, description = "The OpenAPI document", body = serde_json::Value))
)]
pub(super) async fn show() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], text())
}

/// Returns the document as text.
pub(crate) fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| document().to_pretty_json().expect("plain data with text keys"))
}

pub(super) fn document() -> OpenApi {
    let mut document = super::described().into_openapi();
    document.info = InfoBuilder::new()
        .title("Forebay")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "A flash cache for the disks of virtual machines. Over TCP, reading is open to the host itself and every \
             change needs the token in DIR/token; at the control socket nothing is asked for.",
        ))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    let components = document.components.get_or_insert_default();
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("What is in the file `token` of the daemon's folder"))
        .build();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(scheme));
    components.schemas.insert(ProblemDocument::name().into(), ProblemDocument::schema());
    name_keys::<Settings>(components, KEYS.iter().map(|key| key.name));
    name_keys::<Counts>(components, DiskCounts::default().named().map(|(name, _)| name));
    name_keys::<Latencies>(components, Latency::ALL.iter().map(|(_, name)| *name));
    name_keys::<OfLatencies>(components, Latency::ALL.iter().map(|(_, name)| *name));
    for item in document.paths.paths.values_mut() {
        let PathItem { get, put, post, delete, patch, .. } = item;
        if let Some(operation) = get {
            complete(operation, SecurityRequirement::default());
        }
        for operation in [put, post, delete, patch].into_iter().flatten() {
            complete(operation, SecurityRequirement::new(TOKEN, Vec::<String>::new()));
        }
    }
    document
}

/// Adds the properties common to every operation: authorization, and the form of failures.
fn complete(operation: &mut Operation, security: SecurityRequirement) {
    operation.security = Some(vec![security]);
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ProblemDocument::name()))).build();
    let problem = ResponseBuilder::new()
        .description("What could not be done, and what to do next")
        .content("application/problem+json", content)
        .build();
    operation.responses.responses.insert("default".to_owned(), problem.into());
}
