//! Simulations besides seeds and scenarios, all in one program: as separate programs each would compile the whole cache once more.

mod check;
mod consistency_set;
mod consistent;
mod curve;
mod patience;
mod races;
mod redo_ring;
