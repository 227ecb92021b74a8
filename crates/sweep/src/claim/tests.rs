use std::path::Path;
use std::time::Duration;

use super::*;

fn hour() -> Watch {
    Watch::new(Duration::from_secs(3600))
}

fn elsewhere() -> Holder {
    Holder { host: "elsewhere".to_owned(), boot: "b".to_owned(), process: 1, job: None }
}

fn taken(folder: &Path, holder: &Holder, watch: &mut Watch) -> Option<u64> {
    let claim = take(folder, holder, watch).unwrap()?;
    let number = claim.number();
    // Held to the end of the test, as by a process that lives.
    std::mem::forget(claim);
    Some(number)
}

#[test]
fn a_held_cell_is_not_given_twice() {
    let at = tempfile::tempdir().unwrap();
    let (here, mut watch) = (Holder::this(), hour());
    assert_eq!(taken(at.path(), &here, &mut watch), Some(1));
    assert_eq!(taken(at.path(), &here, &mut watch), None);
    assert_eq!(taken(at.path(), &elsewhere(), &mut hour()), None);
}

#[test]
fn of_many_who_try_one_succeeds() {
    let at = tempfile::tempdir().unwrap();
    let here = Holder::this();
    let count = std::thread::scope(|scope| {
        let take = || taken(at.path(), &here, &mut hour()).is_some();
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(take)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|&got| got).count()
    });
    assert_eq!(count, 1);
}

#[test]
fn what_was_let_go_or_whose_holder_died_here_is_free_at_once() {
    let at = tempfile::tempdir().unwrap();
    let (here, mut watch) = (Holder::this(), hour());
    let first = take(at.path(), &here, &mut watch).unwrap().unwrap();
    first.release().unwrap();
    let second = take(at.path(), &here, &mut watch).unwrap().unwrap();
    assert_eq!(second.number(), 2);
    assert!(first.is_superseded() && !second.is_superseded());
    // The lock goes with the process, or with the file.
    drop(second);
    assert_eq!(taken(at.path(), &elsewhere(), &mut hour()), None);
    assert_eq!(taken(at.path(), &here, &mut watch), Some(3));
}

#[test]
fn a_claim_from_elsewhere_ends_with_its_lease_unless_its_heart_beats() {
    let at = tempfile::tempdir().unwrap();
    let there = take(at.path(), &elsewhere(), &mut hour()).unwrap().unwrap();
    let mut short = Watch::new(Duration::from_millis(20));
    for _ in 0..5 {
        assert_eq!(taken(at.path(), &Holder::this(), &mut short), None);
        std::thread::sleep(Duration::from_millis(40));
        there.beat().unwrap();
    }
    assert_eq!(taken(at.path(), &Holder::this(), &mut short), None);
    std::thread::sleep(Duration::from_millis(40));
    assert_eq!(taken(at.path(), &Holder::this(), &mut short), Some(2));
    assert!(there.is_superseded());
}

#[test]
fn a_heart_beats_for_its_claims_and_notices_their_loss() {
    let at = tempfile::tempdir().unwrap();
    let heart = Heart::start(Duration::from_millis(60));
    let claim = take(at.path(), &Holder::this(), &mut hour()).unwrap().unwrap();
    let record = at.path().join("record");
    let beating = heart.hold(claim, record);
    let beat = || Content::parse(&current(at.path()).unwrap().unwrap().1).map(|c| c.beat);
    let until = |done: &dyn Fn() -> bool| {
        while !done() {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    until(&|| beat() >= Some(3));
    assert!(!beating.is_lost());
    let revoked = take_next(at.path(), 2, &elsewhere(), ClaimState::Released).unwrap();
    assert_eq!(revoked.unwrap().number(), 2);
    until(&|| beating.is_lost());
}

#[test]
fn a_claim_is_rewritten_in_place() {
    let at = tempfile::tempdir().unwrap();
    let claim = take(at.path(), &elsewhere(), &mut hour()).unwrap().unwrap();
    let length = || current(at.path()).unwrap().unwrap().1.len();
    let before = length();
    claim.beat().unwrap();
    claim.release().unwrap();
    assert_eq!(length(), before);
    // Half of one says nothing.
    assert_eq!(Content::parse(b"{\"state\":\"he"), None);
}
