//! Stories of rings of a consistency set: which cut a recovery chooses, and which rings it refuses.

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{Buffer, Memory, PAGE};
use redo::{
    Change, CutSummary, GroupContent, MemberRecovery, RedoRing, RingError, RingId, RingOwner,
    SetCompleteness, SetError, SetId, recover, recover_set, replay, resolve_pending, verify_set,
};

const SET: SetId = SetId([8; 16]);
const BACKING_BYTES: u64 = 8 * PAGE;

type Ring = RedoRing<Faulty<LocalHost>>;

fn run(story: impl AsyncFnOnce(&Bench)) {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(1));
    let host = executor.host();
    let device = |bytes| Faults::new(Memory::new(bytes), 1);
    let bench = Bench {
        host,
        rings: [0, 1, 2].map(|_| device((32 << 10) + 60 * PAGE)),
        backings: [0, 1, 2].map(|_| device(BACKING_BYTES)),
    };
    executor.run(story(&bench)).expect("it ends");
}

struct Bench {
    host: LocalHost,
    rings: [Faults; 3],
    backings: [Faults; 3],
}

impl Bench {
    async fn create(&self, at: usize) -> Ring {
        let owner = RingOwner { pool: [2; 16], disk: at as u64 };
        let device = self.rings[at].reopen(self.host.clone());
        RedoRing::create(device, RingId([at as u8; 16]), owner).await.expect("nothing fails")
    }

    async fn open(&self, at: usize) -> Ring {
        RedoRing::open(self.rings[at].handle(self.host.clone())).await.expect("a ring is there")
    }

    /// Verifies and recovers rings, each with the backing of its place.
    async fn recover(
        &self,
        places: &[usize],
        completeness: SetCompleteness,
    ) -> Result<(CutSummary, Vec<bool>), SetError> {
        let (mut rings, mut backings) = (Vec::new(), Vec::new());
        for at in places {
            rings.push(self.open(*at).await);
            backings.push(self.backings[*at].handle(self.host.clone()));
        }
        let sizes: Vec<_> = rings.iter().map(|ring| (ring, BACKING_BYTES)).collect();
        let verified = verify_set(&sizes, completeness).await;
        let pairs: Vec<_> = rings.iter().zip(&backings).collect();
        let recovered = recover_set(&pairs, completeness).await;
        assert_eq!(verified, recovered);
        recovered.map(|found| {
            let is_applied = |member: &MemberRecovery| matches!(member, MemberRecovery::Applied(_));
            (found.cut, found.members.iter().map(is_applied).collect())
        })
    }

    fn byte(&self, at: usize, page: u64) -> u8 {
        let mut byte = [0];
        self.backings[at].peek(page * PAGE, &mut byte);
        byte[0]
    }
}

fn cut(number: u64, members: u32) -> CutSummary {
    CutSummary { number, taken_at: 100 + number, members }
}

/// Writes a page whose content is the number of the cut.
async fn write(ring: &Ring, cut: CutSummary, page: u64) -> Result<(), RingError> {
    let content = async |pages: &[u64]| {
        let bytes = vec![cut.number as u8; pages.len() * PAGE as usize];
        Ok(GroupContent { bytes: Buffer::copy_of(&bytes), damaged: Vec::new() })
    };
    ring.write_cut(SET, cut, &[Change::Content(page)], content).await
}

async fn write_nothing(ring: &Ring, cut: CutSummary) {
    let nothing = async |_: &[u64]| unreachable!("it has no content");
    ring.write_cut(SET, cut, &[], nothing).await.expect("nothing fails");
}

async fn count(rings: &[&Ring], number: u64) {
    for ring in rings {
        write(ring, cut(number, rings.len() as u32), 0).await.expect("there is room");
    }
    for ring in rings {
        ring.confirm(number);
    }
}

#[test]
fn a_cut_that_one_ring_lacks_is_applied_nowhere() {
    run(async |bench: &Bench| {
        let rings = [bench.create(0).await, bench.create(1).await];
        count(&[&rings[0], &rings[1]], 1).await;
        write(&rings[0], cut(2, 2), 1).await.expect("there is room");
        assert_eq!(rings[0].taken_at(), Some(101), "it does not count");
        let found = bench.recover(&[0, 1], SetCompleteness::Whole).await;
        assert_eq!(found, Ok((cut(1, 2), vec![true, true])));
        assert_eq!([bench.byte(0, 0), bench.byte(1, 0), bench.byte(0, 1)], [1, 1, 0]);
        let again = bench.recover(&[1, 0], SetCompleteness::Whole).await;
        assert_eq!(again, Ok((cut(1, 2), vec![false, false])));
    });
}

#[test]
fn a_cut_that_all_rings_have_counts_though_none_knows_it() {
    run(async |bench: &Bench| {
        let rings = [bench.create(0).await, bench.create(1).await];
        write(&rings[0], cut(1, 2), 3).await.expect("there is room");
        write_nothing(&rings[1], cut(1, 2)).await;
        assert_eq!(rings[1].used_bytes(), 0, "nothing takes no room");
        let found = bench.recover(&[0, 1], SetCompleteness::Whole).await;
        assert_eq!(found, Ok((cut(1, 2), vec![true, true])));
        assert_eq!(bench.byte(0, 3), 1);
    });
}

#[test]
fn rings_that_do_not_belong_to_each_other_are_refused_unless_one_alone_is_wanted() {
    let error = |member, error| Err(SetError { member, error });
    run(async |bench: &Bench| {
        let rings = [bench.create(0).await, bench.create(1).await, bench.create(2).await];
        count(&[&rings[0], &rings[1]], 1).await;
        let void = bench.recover(&[0, 1, 2], SetCompleteness::Whole).await;
        assert_eq!(void, error(Some(2), RingError::NotConsistent));
        rings[2].write_group(5, &[], async |_: &[u64]| unreachable!()).await.expect("there is room");
        let alone = bench.recover(&[0, 1, 2], SetCompleteness::Whole).await;
        assert_eq!(alone, error(Some(2), RingError::OtherSet));
        let missing = bench.recover(&[1], SetCompleteness::Whole).await;
        assert_eq!(missing, error(None, RingError::MembersMissing { members: 2, given: 1 }));
        let backing = bench.backings[1].handle(bench.host.clone());
        assert_eq!(recover(&rings[1], &backing).await, Err(RingError::OfSet));
        // It goes on without the others, which does not match them any more.
        rings[1].settle_confirmed().await.expect("nothing fails");
        count(&[&rings[1]], 2).await;
        rings[1].settle_confirmed().await.expect("nothing fails");
        let other = bench.recover(&[0, 1], SetCompleteness::Whole).await;
        assert_eq!(other, error(Some(0), RingError::NotInCut { number: 2 }));
        let part = bench.recover(&[1], SetCompleteness::Part).await;
        assert_eq!(part, Ok((cut(2, 1), vec![true])));
        let target = bench.recover(&[0, 1], SetCompleteness::Whole).await;
        assert_eq!(target, error(Some(0), RingError::NotInCut { number: 2 }));
        let part = bench.recover(&[0], SetCompleteness::Part).await;
        assert_eq!(part, Ok((cut(1, 2), vec![true])));
        let targets = bench.recover(&[0, 1], SetCompleteness::Part).await;
        assert_eq!(targets, error(Some(1), RingError::OtherTarget { number: 2 }));
    });
}

#[test]
fn a_ring_that_leaves_its_set_goes_on_alone_with_what_it_has() {
    run(async |bench: &Bench| {
        let rings = [bench.create(0).await, bench.create(1).await];
        count(&[&rings[0], &rings[1]], 1).await;
        for ring in &rings {
            write(ring, cut(2, 2), 1).await.expect("there is room");
        }
        rings[0].withdraw(2);
        rings[0].leave_set().await.expect("nothing fails");
        let opened = bench.open(0).await;
        assert_eq!((opened.set(), opened.taken_at(), opened.last_number()), (None, Some(101), 1));
        // As after a crash: it may count in the other one, so it does in this one.
        let opened = bench.open(1).await;
        assert_eq!((opened.is_unresolved(), opened.confirmed_at()), (true, Some(101)));
        opened.leave_set().await.expect("nothing fails");
        let backing = bench.backings[1].handle(bench.host.clone());
        let found = recover(&bench.open(1).await, &backing).await.expect("it is whole");
        assert_eq!((found.taken_at, found.groups, bench.byte(1, 1)), (102, 2, 2));
    });
}

#[test]
fn a_ring_is_not_replayed_before_it_is_known_what_counts() {
    run(async |bench: &Bench| {
        let ring = bench.create(0).await;
        write(&ring, cut(1, 1), 1).await.expect("there is room");
        let opened = bench.open(0).await;
        let backing = bench.backings[0].handle(bench.host.clone());
        let replayed = async || replay(&opened, &backing, async || Ok(()), || Ok(())).await;
        assert_eq!(replayed().await, Err(RingError::Unresolved));
        assert_eq!(write(&opened, cut(2, 1), 1).await, Err(RingError::Unresolved));
        resolve_pending(SET, &[&opened]).await.expect("nothing fails");
        assert_eq!(replayed().await.map(|replay| replay.groups), Ok(1));
    });
}

/// Has a ring join whose groups alone had lower numbers, and ends in the middle of the first cut of both. Returns the time that the other
/// one promises then.
async fn join_in_the_middle(bench: &Bench, is_settled: bool) -> Option<u64> {
    let rings = [bench.create(0).await, bench.create(1).await];
    rings[1].write_group(50, &[], async |_: &[u64]| unreachable!()).await.expect("there is room");
    count(&[&rings[0]], 5).await;
    count(&[&rings[0]], 6).await;
    if is_settled {
        rings[0].settle_confirmed().await.expect("nothing fails");
    }
    write(&rings[1], cut(7, 2), 0).await.expect("there is room");
    let opened = [bench.open(0).await, bench.open(1).await];
    resolve_pending(SET, &[&opened[0], &opened[1]]).await.expect("nothing fails");
    opened[0].confirmed_at()
}

#[test]
fn what_is_confirmed_is_durable_before_others_are_part_of_a_cut() {
    run(async |bench: &Bench| assert_eq!(join_in_the_middle(bench, true).await, Some(106)));
    // Without that, the new member seems to lack a cut of which it was no part.
    run(async |bench: &Bench| assert_eq!(join_in_the_middle(bench, false).await, Some(105)));
}
