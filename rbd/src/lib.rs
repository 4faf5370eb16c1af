//! Disks on Ceph RBD: the language between the daemon and the helper process of a disk, and the names of images.
//!
//! ```text
//!   daemon ── NBD over a Unix socket ──────────> forebay-rbd ── librbd ──> cluster
//!     └────── JSON lines over stdin, stdout ───────┘
//! ```
//! The helper is a process of its own for each disk: librbd ends its process after an internal error, and that must not end other
//! disks. It loads librbd when it starts, so that neither needs it to be built.

mod image_name;
mod protocol;

pub use image_name::ImageName;
pub use protocol::{Call, Ends, Message, Opened, Outcome, Refusal, RefusalKind, Request, SESSION_KEY, exit};
