//! The contract of `volume::Store`, as tests of any store. It uses an executor that knows no runtime, as shards do.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use bytes::Bytes;
use volume::{LIST_NAMES_MAX, Store, StoreErrorKind};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Tests everything in an empty store.
pub(crate) fn test<S: Store + Clone + Send>(store: &S) {
    objects_are_created_once(store);
    racers_have_one_winner(store);
    ranges_are_cut_at_the_end(store);
    lists_are_in_order_and_in_pages(store);
    large_objects_come_back(store);
}

fn kind<T>(result: Result<T, volume::StoreError>) -> Option<StoreErrorKind> {
    result.err().map(|error| error.kind)
}

fn objects_are_created_once<S: Store>(store: &S) {
    let (first, second) = (Bytes::from_static(b"first"), Bytes::from_static(b"second"));
    assert_eq!(kind(wait(store.get("once/a", None))), Some(StoreErrorKind::NotFound));
    assert_eq!(wait(store.create("once/a", first.clone())), Ok(()));
    assert_eq!(kind(wait(store.create("once/a", second.clone()))), Some(StoreErrorKind::Exists));
    assert_eq!(wait(store.get("once/a", None)), Ok(first));
    assert_eq!(wait(store.delete("once/a")), Ok(()));
    assert_eq!(wait(store.delete("once/a")), Ok(()));
    assert_eq!(wait(store.delete("never/there")), Ok(()));
    assert_eq!(kind(wait(store.get("once/a", None))), Some(StoreErrorKind::NotFound));
    assert_eq!(wait(store.create("once/a", second.clone())), Ok(()));
    assert_eq!(wait(store.get("once/a", None)), Ok(second));
    assert_eq!(wait(store.create("once/empty", Bytes::new())), Ok(()));
    assert_eq!(wait(store.get("once/empty", None)), Ok(Bytes::new()));
    for wrong in ["", "/a", "a/", "a//b", "../a", ".new", "a b"] {
        assert_eq!(kind(wait(store.create(wrong, Bytes::new()))), Some(StoreErrorKind::Invalid), "{wrong}");
        assert_eq!(kind(wait(store.get(wrong, None))), Some(StoreErrorKind::Invalid), "{wrong}");
    }
}

fn racers_have_one_winner<S: Store + Clone + Send>(store: &S) {
    for round in 0..4 {
        let name = format!("race/{round}/epoch");
        let body = |racer: u8| Bytes::from(vec![racer; 100_000]);
        let race = |racer: u8| {
            let (store, name) = (store.clone(), name.clone());
            thread::spawn(move || wait(store.create(&name, body(racer))))
        };
        let racers: Vec<_> = (0..8).map(race).collect();
        let results: Vec<_> =
            racers.into_iter().map(|racer| racer.join().expect("it does not panic")).collect();
        let winners: Vec<_> = (0..8).zip(&results).filter(|(_, result)| result.is_ok()).collect();
        assert_eq!(winners.len(), 1, "{results:?}");
        assert!(
            results
                .iter()
                .filter_map(|result| result.as_ref().err())
                .all(|error| error.kind == StoreErrorKind::Exists)
        );
        assert_eq!(wait(store.get(&name, None)), Ok(body(winners[0].0)));
    }
}

fn ranges_are_cut_at_the_end<S: Store>(store: &S) {
    let body: Bytes = (0..=255_u8).cycle().take(100_000).collect::<Vec<_>>().into();
    assert_eq!(wait(store.create("ranges", body.clone())), Ok(()));
    for range in [0..1, 0..100_000, 5..70_005, 99_999..100_001, 50_000..u64::MAX] {
        let cut = range.start as usize..range.end.min(100_000) as usize;
        assert_eq!(wait(store.get("ranges", Some(range))), Ok(body.slice(cut)));
    }
    for empty in [100_000..100_001, 200_000..300_000, 7..7, 100_000..100_000] {
        assert_eq!(wait(store.get("ranges", Some(empty))), Ok(Bytes::new()));
    }
    assert_eq!(kind(wait(store.get("no-ranges", Some(0..5)))), Some(StoreErrorKind::NotFound));
    assert_eq!(kind(wait(store.get("no-ranges", Some(5..5)))), Some(StoreErrorKind::NotFound));
}

fn lists_are_in_order_and_in_pages<S: Store>(store: &S) {
    // `-` and `.` sort before `/`.
    let mut names: Vec<String> =
        (0..LIST_NAMES_MAX + 5).map(|number| format!("list/data/{number:05}")).collect();
    names.extend(["list/data-a", "list/data.b", "list/data0", "list/map/x/y"].map(str::to_owned));
    for name in &names {
        assert_eq!(wait(store.create(name, Bytes::from_static(b"123"))), Ok(()));
    }
    names.sort();
    let all = |prefix: &str| {
        let (mut all, mut after) = (Vec::new(), None::<String>);
        loop {
            let page = wait(store.list(prefix, after.as_deref())).expect("it lists");
            assert!(page.len() <= LIST_NAMES_MAX && page.iter().all(|listed| listed.bytes == 3));
            let Some(last) = page.last() else { return all };
            after = Some(last.name.clone());
            all.extend(page.into_iter().map(|listed| listed.name));
        }
    };
    assert_eq!(all("list/"), names);
    assert_eq!(
        all("list/data/0100"),
        ["list/data/01000", "list/data/01001", "list/data/01002", "list/data/01003", "list/data/01004"]
    );
    assert_eq!(all("list/data."), ["list/data.b"]);
    assert_eq!(all("list/nothing"), Vec::<String>::new());
    let behind = wait(store.list("list/", Some("list/map"))).expect("it lists");
    assert_eq!(behind.into_iter().map(|listed| listed.name).collect::<Vec<_>>(), ["list/map/x/y"]);
    assert_eq!(kind(wait(store.list("../", None))), Some(StoreErrorKind::Invalid));
}

/// Several of them need more than the bytes that may be in flight.
fn large_objects_come_back<S: Store + Clone + Send>(store: &S) {
    let body = |number: u8| Bytes::from(vec![number; 20 << 20]);
    let work = |number: u8| {
        let store = store.clone();
        thread::spawn(move || {
            let name = format!("large/{number}");
            assert_eq!(wait(store.create(&name, body(number))), Ok(()));
            assert!(wait(store.get(&name, None)).is_ok_and(|content| content == body(number)));
            assert!(
                wait(store.get(&name, Some(1..15 << 20)))
                    .is_ok_and(|content| content == body(number)[1..15 << 20])
            );
            assert_eq!(wait(store.delete(&name)), Ok(()));
        })
    };
    let workers: Vec<_> = (0..6).map(work).collect();
    for worker in workers {
        worker.join().expect("it passes");
    }
    let too_large = Bytes::from(vec![0; (64 << 20) + 1]);
    assert_eq!(kind(wait(store.create("large/too", too_large))), Some(StoreErrorKind::Invalid));
}
