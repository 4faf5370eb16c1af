//! Out of files: the listener waits and goes on. Alone in its process, because the limit concerns all of it.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::fs::File;

use doors::nbd::Client;
use doors::nbd::option::Replies;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use support::Server;

#[test]
fn a_door_out_of_files_serves_those_it_has_and_lets_others_in_when_it_can() {
    let server = Server::start();
    let mut first = server.client(Replies::Simple);
    let second = server.socket();
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, 100.min(soft), hard).unwrap();
    let mut files = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        files.push(file);
    }
    // Connects without a new file of ours, but the server needs one to accept it.
    files.pop();
    let waiting = server.socket();
    first.read(0, 4096).unwrap();
    drop(files);
    for socket in [second, waiting] {
        let mut client = Client::over(socket, "disk", Replies::Simple).unwrap();
        client.read(0, 4096).unwrap();
    }
}
