//! Reading SMART figures of drives, through `smartctl`.
//!
//! The tool is searched in the folders of the system or taken from the configuration, never from `PATH`: the daemon may be root. Its
//! environment has `PATH`, with the folders of the system, and `LC_ALL`, and nothing of the daemon's; it gets no input and a limited time.
//! One that hangs, because its drive does, is left to end by itself, and the drive is not queried again before it has. No failure here is a
//! failure of the daemon: it is shown as the reason why there are no figures.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::time::Duration;

use base::bounded;
use base::patience::within;
use base::signals;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};

use super::single_flight::SingleFlight;
use super::smart::{self, Figures};

/// Folders in which smartctl is searched.
const FOLDERS: [&str; 4] = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/// Time limit of a query.
const TIME_MAX: Duration = Duration::from_secs(20);
/// Maximum size of the output in bytes, more than any drive needs.
const OUTPUT_MAX: u64 = 1 << 20;

/// The smartctl to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Smartctl {
    /// The one of the system, if it is installed.
    #[default]
    Usual,
    /// The one at this path.
    At(PathBuf),
    /// None: drives are not queried.
    Off,
}

impl FromStr for Smartctl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "auto" => Ok(Self::Usual),
            path if Path::new(path).is_absolute() => Ok(Self::At(path.into())),
            _ => Err(format!(
                "Cannot take '{text}' as the smartctl to use: give its absolute path, such as /usr/sbin/smartctl, or auto, or off"
            )),
        }
    }
}

impl fmt::Display for Smartctl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usual => f.write_str("auto"),
            Self::At(path) => write!(f, "{}", path.display()),
            Self::Off => f.write_str("off"),
        }
    }
}

/// Client that queries drives, each of them once at a time.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    smartctl: Smartctl,
    /// Drives whose smartctl has not ended.
    asked: SingleFlight<String>,
}

impl Asker {
    /// Returns an asker that runs this program.
    pub fn new(smartctl: Smartctl) -> Self {
        Self { smartctl, asked: SingleFlight::default() }
    }

    /// Returns the figures of a drive.
    ///
    /// # Errors
    /// Reason why they are not known.
    pub async fn ask(&self, drive: &str) -> Result<Figures, String> {
        self.ask_within(drive, TIME_MAX).await
    }

    async fn ask_within(&self, drive: &str, time: Duration) -> Result<Figures, String> {
        let program = self.program()?;
        let Some(asking) = self.asked.begin(drive.to_owned()) else {
            return Err("it has not answered since it was asked before".to_owned());
        };
        let mut command = Command::new(&program);
        signals::release_in(command.as_std_mut());
        let mut child = command
            .args(["--json=c", "--info", "--health", "--attributes", "--log=devstat"])
            .arg(Path::new("/dev").join(drive))
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
        let said = within(time, hear(&mut child)).await;
        // It may wait for the drive in the kernel, where no signal ends it.
        tokio::spawn(async move {
            drop(child.kill().await);
            drop(asking);
        });
        match said {
            Ok(Ok(text)) => smart::parse(&text),
            Ok(Err(error)) => Err(format!("what smartctl prints cannot be read: {error}")),
            Err(_) => Err(format!("it did not answer smartctl within {} s", time.as_secs())),
        }
    }

    /// Returns the path of smartctl.
    fn program(&self) -> Result<PathBuf, String> {
        match &self.smartctl {
            Smartctl::Off => Err("drives are not to be asked (smartctl is off)".to_owned()),
            Smartctl::At(path) => Ok(path.clone()),
            Smartctl::Usual => {
                let places = FOLDERS.iter().map(|folder| Path::new(folder).join("smartctl"));
                places.into_iter().find(|place| place.is_file()).ok_or_else(|| {
                    "smartctl is not installed; it comes with the package smartmontools".to_owned()
                })
            }
        }
    }
}

/// Reads the output of a program until it closes it.
async fn hear(child: &mut Child) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let output = child.stdout.take().expect("it was piped");
    output.take(OUTPUT_MAX + 1).read_to_end(&mut text).await?;
    bounded::check_length(&text, OUTPUT_MAX)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    /// Far longer than a script takes.
    const LONG: Duration = Duration::from_mins(1);

    fn run<T>(test: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime for one thread").block_on(test)
    }

    /// Returns an asker with a fake smartctl.
    fn script(dir: &TempDir, text: &str) -> Asker {
        let path = dir.path().join("smartctl");
        // Written by another process: a file that is open for writing, in this process or in a child that another test just forked, cannot
        // be run.
        let made = std::process::Command::new("sh")
            .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .arg(text)
            .status();
        assert!(made.expect("there is a shell").success());
        Asker::new(Smartctl::At(path))
    }

    #[test]
    fn the_answer_of_a_drive_is_taken_whatever_the_exit_status_is() {
        let dir = TempDir::new();
        let asker = script(
            &dir,
            r#"[ "$*" = "--json=c --info --health --attributes --log=devstat /dev/nvme0n1" ] || exit 1
            [ -z "$FOREBAY_SOCKET$HOME$CARGO_MANIFEST_DIR" ] || exit 1
            [ "$PATH $LC_ALL" = "/usr/sbin:/usr/bin:/sbin:/bin C" ] || exit 1
            echo '{"model_name":"Example","smart_status":{"passed":false}}'; exit 8"#,
        );
        let figures = run(asker.ask_within("nvme0n1", LONG)).expect("it said something");
        assert_eq!((figures.model.as_deref(), figures.passed), (Some("Example"), Some(false)));
    }

    #[test]
    fn whatever_goes_wrong_is_a_reason() {
        let dir = TempDir::new();
        for (text, reason) in [
            ("echo hello", "no JSON"),
            ("exit 1", "no JSON"),
            ("head -c 3000000 /dev/zero", "at most 1MiB (1048576 bytes)"),
            (
                r#"echo '{"smartctl":{"messages":[{"string":"Permission denied","severity":"error"}]}}'"#,
                "denied",
            ),
        ] {
            let said = run(script(&dir, text).ask_within("sda", LONG)).unwrap_err();
            assert!(said.contains(reason), "{text}: {said}");
        }
        let missing = Asker::new(Smartctl::At(dir.path().join("nothing")));
        assert!(run(missing.ask_within("sda", LONG)).unwrap_err().contains("cannot be run"));
        assert!(run(Asker::new(Smartctl::Off).ask_within("sda", LONG)).unwrap_err().contains("off"));
    }

    #[test]
    fn one_that_hangs_is_given_up_and_a_drive_is_asked_once_at_a_time() {
        let dir = TempDir::new();
        let asker = script(&dir, "exec sleep 1000");
        run(async {
            let said = asker.ask_within("sda", Duration::from_millis(1)).await.unwrap_err();
            assert!(said.contains("did not answer"), "{said}");
            let _asking = asker.asked.begin("sdb".to_owned()).expect("nobody asks it");
            let said = asker.ask_within("sdb", LONG).await.unwrap_err();
            assert!(said.contains("asked before"), "{said}");
            // Once it has ended, the drive may be queried again.
            while asker.asked.begin("sda".to_owned()).is_none() {
                tokio::task::yield_now().await;
            }
        });
    }

    #[test]
    fn a_smartctl_is_named_by_its_absolute_path() {
        for (text, smartctl) in [
            ("auto", Smartctl::Usual),
            ("off", Smartctl::Off),
            ("/opt/smartctl", Smartctl::At("/opt/smartctl".into())),
        ] {
            assert_eq!(text.parse(), Ok(smartctl.clone()));
            assert_eq!(smartctl.to_string(), text);
        }
        assert!("smartctl".parse::<Smartctl>().unwrap_err().contains("/usr/sbin/smartctl"));
    }
}
