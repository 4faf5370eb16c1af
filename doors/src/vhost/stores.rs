//! The gate of all stores that other processes see: guest memory, the in-flight record, the dirty log, and events.
//!
//! A process can be killed between any two of them, and the next one has to find a state that it can go on from. In the
//! product the gate is a constant. A test kills the process after a number of stores: none of its later ones is made.

/// Returns true, except in a process that a test has killed: its store is not made.
#[cfg(not(test))]
pub(super) const fn may_store() -> bool {
    true
}

#[cfg(test)]
pub(super) use tests::may_store;

#[cfg(test)]
pub(super) mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    /// Work of other processes between two stores of this one.
    pub(in crate::vhost) type Meanwhile = Rc<dyn Fn()>;

    thread_local! {
        /// Stores that the process of this thread may still make. None: any number.
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
        static IS_KILLED: Cell<bool> = const { Cell::new(false) };
        static MEANWHILE: RefCell<Option<Meanwhile>> = const { RefCell::new(None) };
    }

    /// Begins a process on this thread, which is killed before the store that follows `stores` others; none: never. Others
    /// do `meanwhile` before each of its stores.
    pub(in crate::vhost) fn begin_process(stores: Option<u64>, meanwhile: Meanwhile) {
        LEFT.set(stores);
        IS_KILLED.set(false);
        MEANWHILE.set(Some(meanwhile));
    }

    /// Ends the process of this thread: its stores are not counted any more.
    pub(in crate::vhost) fn end_process() {
        LEFT.set(None);
        MEANWHILE.set(None);
    }

    /// Returns true once a store was not made.
    pub(in crate::vhost) fn is_killed() -> bool {
        IS_KILLED.get()
    }

    /// Counts a store. Returns false if the process was killed before it.
    pub(in crate::vhost) fn may_store() -> bool {
        if !is_killed()
            && let Some(meanwhile) = MEANWHILE.with_borrow(Clone::clone)
        {
            meanwhile();
        }
        match LEFT.get() {
            None => true,
            Some(0) => {
                IS_KILLED.set(true);
                false
            }
            Some(left) => {
                LEFT.set(Some(left - 1));
                true
            }
        }
    }
}
