//! Moving a disk in both directions, with each step failing once.

mod scene;

use serde_json::json;

use self::scene::Scene;
use super::{AttachContext, MovedDisk, attach, detach};
use crate::qmp::Monitor;
use base::error::Result;

/// Names of the nodes of a disk that was made with -drive, and with -blockdev.
const SHAPES: [(&str, &str); 2] = [("#block1", "#block2"), ("format", "storage")];
/// Maximum number of operations in any of this.
const OPERATIONS_MAX: usize = 200;

fn attached(scene: &Scene) -> Result<MovedDisk> {
    AttachContext::new(&Monitor::Socket(scene.socket()), scene)
        .and_then(|mut world| attach(&mut world, "vd0", None))
}

fn detached(scene: &Scene) -> Result<MovedDisk> {
    AttachContext::new(&Monitor::Socket(scene.socket()), scene)
        .and_then(|mut world| detach(&mut world, "vd0"))
}

#[test]
fn a_disk_moves_behind_forebay_and_back_as_often_as_one_likes() {
    for (format, storage) in SHAPES {
        let scene = Scene::new(format, storage);
        for _ in 0..3 {
            let disk = attached(&scene).expect("nothing is wrong");
            assert_eq!(disk.name, "web-1-vd0", "called after guest and device");
            scene.assert_attached(format);
            detached(&scene).expect("nothing is wrong");
            let nodes = scene.assert_untouched(format);
            let name = if format.starts_with('#') { "forebay-7-file" } else { format };
            assert_eq!(nodes, [name], "the guest finds its disk under the name that it had");
        }
    }
}

#[test]
fn whichever_step_of_attaching_fails_the_guest_has_its_disk_as_before() {
    for (format, storage) in SHAPES {
        for step in 0..OPERATIONS_MAX {
            let scene = Scene::new(format, storage);
            scene.state().failing = step..step + 1;
            let outcome = attached(&scene);
            if scene.state().operations <= step {
                assert!(outcome.is_ok() && step > 15, "{step} steps: {outcome:?}");
                break;
            }
            let what = format!("step {step}");
            let problem = outcome.expect_err(&what);
            scene.assert_untouched(&what);
            assert!(!problem.message.contains("could not be undone"), "{what}: {problem}");
            attached(&scene).expect("it can be tried again");
            scene.assert_attached(&what);
        }
    }
}

#[test]
fn whichever_step_of_detaching_fails_the_disk_is_served_as_before_or_the_guest_has_it_back() {
    for (format, storage) in SHAPES {
        for step in 0..OPERATIONS_MAX {
            let scene = Scene::new(format, storage);
            attached(&scene).expect("nothing is wrong");
            let begin = scene.state().operations;
            scene.state().failing = begin + step..begin + step + 1;
            let outcome = detached(&scene);
            if scene.state().operations <= begin + step {
                assert!(outcome.is_ok() && step > 15, "{step} steps: {outcome:?}");
                break;
            }
            let Err(problem) = outcome else {
                // QEMU completed the command when it stopped answering.
                scene.assert_untouched("the guest has it back");
                continue;
            };
            let what = format!("step {step}: {problem}");
            if problem.message.contains("The guest has its disk back") {
                assert!(problem.message.contains("forebay disk remove"), "{what}");
            } else {
                scene.assert_attached(&what);
            }
            // Whatever is left, the same command finishes it.
            if scene.state().disk.is_some() {
                detached(&scene).expect(&what);
            }
            scene.state().disk = None;
            scene.assert_untouched(&what);
        }
    }
}

#[test]
fn what_a_command_that_was_killed_left_is_taken_back_by_detach() {
    for (format, storage) in SHAPES {
        for step in 0..OPERATIONS_MAX {
            let scene = Scene::new(format, storage);
            scene.state().failing = step..usize::MAX;
            if attached(&scene).is_ok() {
                assert!(step > 15, "it takes more than {step} steps");
                break;
            }
            scene.state().failing = 0..0;
            let what = format!("killed after {step} steps");
            if scene.state().disk.is_some() {
                let again = attached(&scene).expect_err(&what);
                assert!(again.message.contains("forebay vm detach"), "{what}: {again}");
                detached(&scene).expect(&what);
            }
            scene.assert_untouched(&what);
        }
    }
}

#[test]
fn a_daemon_that_dies_for_good_while_a_disk_is_attached_leaves_the_guest_its_disk() {
    for command in ["blockdev-add", "blockdev-mirror", "job-complete", "blockdev-del"] {
        let scene = Scene::new("format", "storage");
        scene.state().daemon_dies_at = Some(command);
        let problem = attached(&scene).expect_err("nobody caches it");
        assert!(problem.message.contains("is unchanged, but something is left"), "{command}: {problem}");
        assert!(problem.message.contains("forebay disk remove"), "{command}: {problem}");
        scene.assert_uses_its_file(command);
    }
}

#[test]
fn a_job_that_ends_with_an_error_leaves_the_guest_where_it_was() {
    let scene = Scene::new("format", "storage");
    scene.state().job_error = Some("Input/output error");
    let problem = attached(&scene).expect_err("the job fails");
    assert!(problem.message.contains("Input/output error"), "{problem}");
    assert!(problem.message.contains("disk is unchanged"), "{problem}");
    scene.assert_untouched("the job failed");

    attached(&scene).expect("nothing is wrong");
    scene.state().job_error = Some("No space left on device");
    let problem = detached(&scene).expect_err("the job fails");
    assert!(problem.message.contains("No space left on device"), "{problem}");
    scene.assert_attached("the job failed");
}

#[test]
fn what_cannot_be_moved_is_refused_with_what_was_found() {
    for (about, reason) in [
        (json!({ "drv": "qcow2" }), "qemu-nbd"),
        (json!({ "drv": "mirror_top" }), "wait until"),
        (json!({ "drv": "rbd" }), "rbd"),
        (json!({ "ro": true }), "read-only"),
        (json!({ "image": { "virtual-size": 512 } }), "part of its file"),
    ] {
        let scene = Scene::new("format", "storage");
        scene.state().about_disk = about;
        let problem = attached(&scene).expect_err(reason);
        assert!(problem.message.contains(reason), "{problem}");
        scene.state().about_disk = json!({});
        scene.assert_untouched(reason);
    }
}

#[test]
fn devices_that_go_on_sending_requests_while_qemu_changes_over_are_refused() {
    let scene = Scene::new("format", "storage");
    scene.state().controller = Some("/machine/unattached/device[15]/ide.5");
    let problem = attached(&scene).expect_err("it is on SATA");
    assert!(problem.message.contains("virtio"), "{problem}");
    scene.assert_untouched("refused");
    scene.state().controller = Some("/machine/peripheral/s0/virtio-backend/s0.0");
    attached(&scene).expect("it is on virtio-scsi");
}

#[test]
fn a_disk_with_a_throttle_and_a_thread_of_its_own_is_refused() {
    for (throttled, thread, refused) in [(true, "/objects/io0", true), (false, "/objects/io0", false)] {
        let scene = Scene::new("format", "storage");
        if throttled {
            scene.throttle();
        }
        scene.state().thread = thread;
        let outcome = attached(&scene);
        assert_eq!(outcome.is_err(), refused, "{outcome:?}");
        assert!(outcome.err().is_none_or(|problem| problem.message.contains("iothread")));
        assert_eq!(scene.state().disk.is_none(), refused);
    }
}

#[test]
fn devices_that_are_not_there_or_empty_are_named() {
    let scene = Scene::new("format", "storage");
    let mut world = AttachContext::new(&Monitor::Socket(scene.socket()), &scene).expect("it is there");
    for (device, reason) in [("vd1", "'vd0'"), ("cd0", "no medium"), ("drive0-backend", "drive0")] {
        let problem = attach(&mut world, device, None).expect_err(device);
        assert!(problem.message.contains(reason), "{problem}");
    }
    let problem = detach(&mut world, "drive0").expect_err("it was not attached");
    assert!(problem.message.contains("not behind this Forebay"), "{problem}");
    let problem = attach(&mut world, "vd0", Some("Not A Name")).expect_err("it is none");
    assert!(problem.message.contains("Not A Name"), "{problem}");
    drop(world);
    scene.assert_untouched("refused");
}

#[test]
fn a_file_that_was_replaced_under_its_name_is_never_mirrored_to() {
    let scene = Scene::new("format", "storage");
    std::fs::rename(scene.path(), scene.dir.path().join("moved.img")).expect("the folder is ours");
    std::fs::write(scene.path(), vec![0; scene::SIZE as usize]).expect("the folder is ours");
    let problem = attached(&scene).expect_err("it is another file");
    assert!(problem.message.contains("it was replaced"), "{problem}");
    scene.assert_untouched("another file");
}

#[test]
fn a_guest_that_was_started_anew_is_told_from_one_that_uses_its_disk() {
    let scene = Scene::new("format", "storage");
    attached(&scene).expect("nothing is wrong");
    let disk = scene.state().disk.take();
    let anew = Scene::new("format", "storage");
    anew.state().disk = disk;
    // Its monitor has the same path as before.
    if let Some(disk) = &mut anew.state().disk {
        disk.came_from(&anew.socket());
    }
    let problem = detached(&anew).expect_err("nobody uses the disk");
    assert!(problem.message.contains("was restarted"), "{problem}");
    assert!(problem.message.contains("forebay disk remove"), "{problem}");
}
