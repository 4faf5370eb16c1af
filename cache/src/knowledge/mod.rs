//! Knowledge: what is known in RAM about what is cached. Pure data structures; none of them awaits anything.

pub(crate) mod budget;
pub(crate) mod catalog;
mod counts;
pub(crate) mod curve;
pub(crate) mod dirty;
pub(crate) mod discards;
pub(crate) mod fills;
pub(crate) mod hash;
pub(crate) mod holders;
pub(crate) mod index;
pub(crate) mod learned;
pub(crate) mod order;
pub(crate) mod pages;
pub(crate) mod pins;
pub(crate) mod policy;
pub(crate) mod ram;
pub(crate) mod ranges;
pub(crate) mod regions;
pub(crate) mod replay;
pub(crate) mod segments;
pub(crate) mod sequential;
pub(crate) mod shadows;
pub(crate) mod space;
pub(crate) mod touched;
pub(crate) mod unproven;
pub(crate) mod width;
pub(crate) mod zero_pages;
