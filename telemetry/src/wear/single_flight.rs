//! Queries that have not been answered: each name is queried once at a time, so that one that hangs holds one thread or process, and later
//! attempts add none.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Names of the open queries. Clones share them.
#[derive(Clone, Debug)]
pub struct SingleFlight<T: Ord>(Arc<Mutex<BTreeSet<T>>>);

/// Open query, until it is dropped.
#[derive(Debug)]
pub struct OpenQuery<T: Ord> {
    all: SingleFlight<T>,
    name: T,
}

impl<T: Ord> Default for SingleFlight<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Ord + Clone> SingleFlight<T> {
    /// Begins a query; returns none if an earlier one of this name is open.
    pub fn begin(&self, name: T) -> Option<OpenQuery<T>> {
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        is_new.then(|| OpenQuery { all: self.clone(), name })
    }
}

impl<T: Ord> Drop for OpenQuery<T> {
    fn drop(&mut self) {
        self.all.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_answered_is_not_asked_again_and_holds_up_nothing_else() {
        let once = SingleFlight::default();
        let hanging = once.begin(1);
        assert!(hanging.is_some());
        assert!(once.clone().begin(1).is_none(), "whoever asks");
        assert!(once.begin(2).is_some() && once.begin(2).is_some(), "one that has answered");
        drop(hanging);
        assert!(once.begin(1).is_some());
    }
}
