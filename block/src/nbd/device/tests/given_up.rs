//! Changes on connections that were given up: until when they may land.

use std::sync::mpsc::{Sender, channel};

use futures_util::future::join;

use super::*;

/// Makes the server hang from its next write on, until the returned sender is used or dropped.
fn hang_at_the_next_write(server: &Server) -> Sender<()> {
    let (go_on, until) = channel();
    let mut until = Some(until);
    server.script(move |request| match request.command {
        Command::Write => until.take().map_or(Act::Serve, Act::Hang),
        _ => Act::Serve,
    });
    go_on
}

async fn until_all_is_answered(device: &Device, host: &LocalHost) {
    for _ in 0..5000 {
        if !device.has_unanswered() {
            return;
        }
        host.sleep(1_000_000).await;
    }
    panic!("the device does not say that nothing lands any more");
}

#[test]
fn a_change_may_land_late_until_the_server_answers_it_over_the_connection_that_was_given_up() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, host| {
        let go_on = hang_at_the_next_write(&server);
        let written = write(&device, 0, &[1; 512]).await;
        assert_eq!(written.expect_err("the server hangs").kind, ErrorKind::Unanswered);
        assert!(device.has_unanswered());
        device.set_retry_ns(None);
        assert_eq!(read(&device, 0, 512).await, Ok(vec![0; 512]), "over another connection");
        write(&device, 512, &[2; 512]).await.expect("over another connection");
        assert!(device.has_unanswered(), "others say nothing of it");
        go_on.send(()).expect("the server waits for it");
        until_all_is_answered(&device, &host).await;
        assert_eq!(server.content(0, 512), [1; 512]);
    });
}

#[test]
fn a_change_may_land_late_until_the_server_ends_the_connection_that_was_given_up() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, host| {
        let _go_on = hang_at_the_next_write(&server);
        write(&device, 0, &[1; 512]).await.expect_err("the server hangs");
        assert!(device.has_unanswered());
        server.cut();
        until_all_is_answered(&device, &host).await;
    });
}

#[test]
fn a_write_that_was_sent_in_part_when_it_was_given_up_never_lands_and_its_buffer_comes_back() {
    let server = Server::start();
    with_device(&server, Some(RETRY_NS), async |device, host| {
        let go_on = hang_at_the_next_write(&server);
        // More than a socket holds.
        let (big, small) = (vec![3; SIZE as usize], [9; 512]);
        let (first, second) = join(write(&device, 0, &small), write(&device, 0, &big)).await;
        for written in [first, second] {
            assert_eq!(written.expect_err("the server hangs").kind, ErrorKind::Unanswered);
        }
        go_on.send(()).expect("the server waits for it");
        until_all_is_answered(&device, &host).await;
        assert_eq!(server.content(0, 512), [9; 512], "it was sent whole");
        assert_eq!(
            server.content(512, 512),
            [1; 512],
            "as before: the server never had all of the other one"
        );
    });
}

#[test]
fn a_device_that_is_closed_waits_for_no_server_that_hangs() {
    let server = Server::start();
    let go_on = hang_at_the_next_write(&server);
    with_device(&server, Some(RETRY_NS), async |device, host| {
        write(&device, 0, &[1; 512]).await.expect_err("the server hangs");
        let shared = Rc::downgrade(&device.shared);
        drop(device);
        for _ in 0..5000 {
            if shared.strong_count() == 0 {
                return;
            }
            host.sleep(1_000_000).await;
        }
        panic!("tasks keep the device");
    });
    drop(go_on);
}
