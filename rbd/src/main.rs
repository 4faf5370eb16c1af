//! `forebay-rbd`: the helper of a disk on Ceph RBD. It opens the image, and serves it by NBD on a Unix socket until its standard input
//! ends. Only the daemon starts it.
//!
//! | argument | meaning |
//! |---|---|
//! | `rbd:POOL/IMAGE…` | the image |
//! | `--examine` | prints what the image is, and ends |
//! | `--socket PATH` | serves it there; the socket is open to the user of this process alone |
//! | `--lock FILE` | has this file locked meanwhile, and notes there who has the lock of the image |
//! | `--read-only` | refuses changes; the lock is taken all the same, so that nobody else changes it |
//! | `--continue-for ADDRESS` | serves it only if this client still has its lock, which has ended |
//!
//! Signals that request a stop are ignored: a service manager sends them to the daemon as well, which still needs the image then.

mod ceph;
mod control;
mod device;
mod guard;
mod lock_file;
mod opening;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use rbd::{ImageName, Message, RefusalKind, exit};

use control::{say, serve};
use opening::{Purpose, Wanted, open};

fn main() -> ExitCode {
    let wanted = match parse(env::args_os().skip(1)) {
        Ok(wanted) => wanted,
        Err(reason) => {
            eprintln!("forebay-rbd: {reason}; it is a part of Forebay and started by its daemon");
            return code(exit::USAGE);
        }
    };
    control::ignore_stops();
    let opened = match open(&wanted) {
        Ok(opened) => opened,
        Err(refusal) => {
            let is_fenced = refusal.kind == RefusalKind::Fenced;
            say(&Message::Refused(refusal));
            control::leave(if is_fenced { exit::FENCED } else { exit::REFUSED });
        }
    };
    match wanted.purpose {
        Purpose::Examine => {
            say(&Message::Opened(opened.opened));
            control::leave(exit::RELEASED)
        }
        Purpose::Serve { socket, read_only, .. } => control::leave(serve(opened, &socket, read_only)),
    }
}

fn code(number: i32) -> ExitCode {
    ExitCode::from(u8::try_from(number).expect("codes are small"))
}

fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let (mut name, mut examine, mut socket, mut lock) = (None, false, None, None);
    let (mut read_only, mut continues) = (false, None);
    let text = |argument: OsString| {
        argument.into_string().map_err(|argument| format!("'{}' is no text", argument.display()))
    };
    while let Some(argument) = arguments.next() {
        let argument = text(argument)?;
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} has no value"));
        match argument.as_str() {
            "--examine" => examine = true,
            "--read-only" => read_only = true,
            "--socket" => socket = Some(value()?.into()),
            "--lock" => lock = Some(value()?.into()),
            "--continue-for" => continues = Some(text(value()?)?),
            image => {
                let rest = image.strip_prefix("rbd:").ok_or_else(|| format!("'{image}' is no argument"))?;
                name = Some(ImageName::parse(rest)?);
            }
        }
    }
    let name = name.ok_or("no image is named")?;
    let purpose = match (examine, socket, lock) {
        (true, None, None) => Purpose::Examine,
        (false, Some(socket), Some(lock)) => Purpose::Serve { socket, lock, read_only, continues },
        _ => return Err("give either --examine, or --socket and --lock".to_owned()),
    };
    Ok(Wanted { name, purpose })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Wanted, String> {
        parse(arguments.iter().map(OsString::from))
    }

    #[test]
    fn arguments_name_an_image_and_a_purpose() {
        let name = ImageName::parse("p/i").expect("a name");
        let examine = parsed(&["rbd:p/i", "--examine"]);
        assert_eq!(examine, Ok(Wanted { name: name.clone(), purpose: Purpose::Examine }));
        let serve =
            parsed(&["--socket", "/s", "--lock", "/l", "--read-only", "--continue-for", "a:0/1", "rbd:p/i"]);
        let purpose = Purpose::Serve {
            socket: "/s".into(),
            lock: "/l".into(),
            read_only: true,
            continues: Some("a:0/1".to_owned()),
        };
        assert_eq!(serve, Ok(Wanted { name, purpose }));
    }

    #[test]
    fn arguments_without_a_meaning_are_refused() {
        for arguments in [
            &["rbd:p/i"][..],
            &["--examine"],
            &["rbd:p/i", "--socket"],
            &["rbd:p/i", "--socket", "/s"],
            &["rbd:p/i", "--examine", "--socket", "/s"],
            &["rbd:p/i", "--examine", "x"],
            &["rbd:p", "--examine"],
        ] {
            assert!(parsed(arguments).is_err(), "{arguments:?}");
        }
    }
}
