//! Limit of open files: the error of a caller that reaches it has the limit and the way to raise it.

use std::io;

use nix::sys::resource::{Resource, getrlimit};

/// Returns the advice for an error: for a lack of descriptors the limit and the way to raise it, otherwise `usual`.
pub fn advice_or(error: &io::Error, usual: &str) -> String {
    match error.raw_os_error() {
        Some(libc::EMFILE) => {
            let limit = getrlimit(Resource::RLIMIT_NOFILE)
                .map_or_else(|_| "no more".to_owned(), |(soft, _)| soft.to_string());
            format!(
                "the daemon may have {limit} open files: raise that limit (`LimitNOFILE=` of the service, `ulimit -n`), or disconnect guests"
            )
        }
        Some(libc::ENFILE) => {
            "all of this host have too many open files: raise fs.file-max (sysctl)".to_owned()
        }
        _ => usual.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn want_of_descriptors_is_answered_with_the_limit_and_other_errors_as_usual() {
        let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE).expect("there is a limit");
        let advice = |errno| advice_or(&io::Error::from_raw_os_error(errno), "make room");
        assert!(advice(libc::EMFILE).contains(&format!("{limit} open files")), "{}", advice(libc::EMFILE));
        assert!(advice(libc::EMFILE).contains("LimitNOFILE="));
        assert!(advice(libc::ENFILE).contains("fs.file-max"));
        assert_eq!(advice(libc::ENOSPC), "make room");
        assert_eq!(advice_or(&io::Error::other("odd"), "make room"), "make room");
    }
}
