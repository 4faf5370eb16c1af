//! Requests about the host itself.

use api::HostDocument;
use axum::extract::State;
use axum::{Extension, Json};
use base::token;

use super::SharedRegistry;
use super::answer::Reply;
use super::guard::Privilege;
use crate::documents;

/// The host, its daemon, and whether this request may also make changes.
#[utoipa::path(
    get,
    path = "/v1/host",
    tag = "host",
    responses((status = OK, description = "The host", body = HostDocument))
)]
pub(super) async fn show(
    State(registry): SharedRegistry,
    privilege: Option<Extension<Privilege>>,
) -> Reply<HostDocument> {
    // The control socket has no guard: opening it gives every right.
    let may_change = privilege.is_none_or(|Extension(privilege)| privilege == Privilege::Change);
    let dir = &registry.places().dir;
    Ok(Json(HostDocument::of(documents::host(dir, &token::path_in(dir), may_change))))
}
