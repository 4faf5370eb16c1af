//! The configuration file: settings of the host, TOML, all optional.
//!
//! Disks are not in this file: they are added and changed while the daemon runs, and it stores them. An
//! unknown key is an error that names it, its line and the nearest known key: a setting that is silently
//! ignored is worse than a daemon that does not start. One table lists every key; the sample in the
//! documentation is generated from it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use base::bounded;
use base::error::{Error, Result, hint};
use base::units::{Interval, PollMax, Size};
use telemetry::wear::Smartctl;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::control::{HostName, HttpListen};
use crate::nbd_listener::{AllowedNetworks, NbdTcp};
use crate::shard::SHARDS_MAX;
use crate::stores::StoreConfig;

/// The file that a service has.
const OF_SERVICE: &str = "/etc/forebay/forebay.toml";

/// The largest configuration that is read, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Content of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// Folder of state and the embedded pool.
    pub(crate) dir: Option<PathBuf>,
    /// Folder of sockets.
    pub(crate) run_dir: Option<PathBuf>,
    /// Level of the log.
    pub(crate) log: Option<String>,
    /// Format of log entries.
    pub(crate) log_format: Option<String>,
    /// Path of the log.
    pub(crate) log_file: Option<PathBuf>,
    /// Threads that serve disks.
    pub(crate) shards: Option<u32>,
    /// Time between checks of the load of shards.
    pub(crate) balance_interval: Option<Interval>,
    /// Address of HTTP over TCP.
    pub(crate) http_listen: Option<HttpListen>,
    /// Host names that HTTP answers to, besides addresses and localhost.
    pub(crate) http_names: Vec<HostName>,
    /// Settings of NBD over TCP.
    pub(crate) nbd: NbdTcp,
    /// The longest time of polling empty queues of guests.
    pub(crate) vhost_poll_max: Option<PollMax>,
    /// The file or device of the pool.
    pub(crate) pool_file: Option<PathBuf>,
    /// Size of a pool file that is made.
    pub(crate) pool_size: Option<Size>,
    /// Program that reads SMART figures of drives.
    pub(crate) smartctl: Option<Smartctl>,
    /// Object stores of volumes, by name.
    pub(crate) stores: BTreeMap<String, StoreConfig>,
}

/// A key of the file: its table, an example, and its meaning.
struct ConfigKey {
    table: &'static str,
    name: &'static str,
    /// Value in TOML.
    example: &'static str,
    about: &'static str,
}

/// Table of a store, in the list of keys.
const STORE: &str = "store.NAME";

const KEYS: [ConfigKey; 23] = [
    ConfigKey {
        table: "",
        name: "dir",
        example: "\"/var/lib/forebay\"",
        about: "What must survive a restart: state, and the pool that Forebay makes by itself.",
    },
    ConfigKey {
        table: "",
        name: "run-dir",
        example: "\"/run/forebay\"",
        about: "Sockets. Default: the value of dir if that is set.",
    },
    ConfigKey {
        table: "",
        name: "log",
        example: "\"info\"",
        about: "How much is logged: error, warn, info, debug or trace.",
    },
    ConfigKey {
        table: "",
        name: "log-format",
        example: "\"text\"",
        about: "Format of the log: text, or json with one object a line.",
    },
    ConfigKey {
        table: "",
        name: "log-file",
        example: "\"/var/log/forebay/forebay.log\"",
        about: "Log to the end of this file instead of standard error. Rotate it with copytruncate.",
    },
    ConfigKey {
        table: "",
        name: "shards",
        example: "4",
        about: "Threads that serve disks, each disk on one of them. Default: one for each CPU, at most 8.",
    },
    ConfigKey {
        table: "",
        name: "balance-interval",
        example: "\"30s\"",
        about: "How often the load of these threads is compared, to move a disk if it stays lopsided, and the use of disks, to divide \
                the RAM of the pool; \"off\": no disk is moved.",
    },
    ConfigKey {
        table: "http",
        name: "listen",
        example: "\"127.0.0.1:7070\"",
        about: "The HTTP interface and the web page: an IP address with a port, or \"off\". From other hosts all of it needs the token.",
    },
    ConfigKey {
        table: "http",
        name: "names",
        example: "[\"storage1.example.com\"]",
        about: "Names of this host that browsers may use for it, besides its addresses and localhost.",
    },
    ConfigKey {
        table: "nbd",
        name: "listen",
        example: "\"off\"",
        about: "All disks for other hosts, by their names: an IP address such as \"10.0.0.5:10809\", or \"off\".",
    },
    ConfigKey {
        table: "nbd",
        name: "tls",
        example: "\"off\"",
        about: "Whether clients over TCP have to use TLS: \"off\", \"require\", or \"require-certificates\" of clients too. Unix sockets have no TLS.",
    },
    ConfigKey {
        table: "nbd",
        name: "tls-dir",
        example: "\"/etc/forebay/tls\"",
        about: "For TLS: server-cert.pem, server-key.pem, and ca-cert.pem if clients have to show a certificate of it.",
    },
    ConfigKey {
        table: "nbd",
        name: "allow",
        example: "[\"10.0.0.0/8\", \"fd00::/8\"]",
        about: "Who may connect over TCP: networks, or single addresses. Default: everybody who reaches the address.",
    },
    ConfigKey {
        table: "vhost",
        name: "poll-max",
        example: "\"50us\"",
        about: "How long a guest's empty queue is looked at, at most, before its thread sleeps, where requests come that fast; \"off\" for never.",
    },
    ConfigKey {
        table: "pool",
        name: "file",
        example: "\"/dev/disk/by-id/nvme-EXAMPLE\"",
        about: "Flash: a block device or a file. Once a pool was made, it is found by its id. Default: pool.img in dir, 10 % of the free space, at most 32GiB.",
    },
    ConfigKey {
        table: "pool",
        name: "size",
        example: "\"100GiB\"",
        about: "Size of the pool file, if Forebay has to make it; 5 % of its file system stay free, at most 1 GiB. A device is used whole.",
    },
    ConfigKey {
        table: "pool",
        name: "smartctl",
        example: "\"auto\"",
        about: "Program that reads the wear of the pool's drives: the smartctl of the system, the path of another one, or \"off\".",
    },
    ConfigKey {
        table: STORE,
        name: "url",
        example: "\"s3://bucket/prefix\"",
        about: "An object store for volumes, by a name of your choice instead of NAME: s3://BUCKET/PREFIX, or file:///FOLDER of this host. \
                Disks in it: volume:NAME/DISK.",
    },
    ConfigKey {
        table: STORE,
        name: "endpoints",
        example: "[\"https://rgw1.example.com\", \"https://rgw2.example.com\"]",
        about: "Its servers, which requests use in turn; all of them must be of one store. Default: that of Amazon for the region.",
    },
    ConfigKey { table: STORE, name: "region", example: "\"us-east-1\"", about: "Its region." },
    ConfigKey {
        table: STORE,
        name: "credentials",
        example: "\"/etc/forebay/s3.keys\"",
        about: "File with the lines aws_access_key_id = KEY and aws_secret_access_key = SECRET, for its owner alone. Default: the usual \
                variables of the environment.",
    },
    ConfigKey {
        table: STORE,
        name: "ca",
        example: "\"/etc/forebay/s3-ca.pem\"",
        about: "Certificates of authorities that its servers' are checked against, instead of those of the system.",
    },
    ConfigKey {
        table: STORE,
        name: "scrub-interval",
        example: "\"7d\"",
        about: "Time from one scrub of each volume that this host has open to the next, from \"1s\" to \"365d\", or \"off\".",
    },
];

impl Config {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, is not TOML, or has an unknown key or a wrong value; with the line.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = bounded::read_text(path, FILE_BYTES_MAX).map_err(|error| {
            Error::invalid(format!("Cannot read configuration {}: {error}; check the path", path.display()))
        })?;
        Self::parse(&text).map_err(|(line, message)| {
            Error::invalid(format!("Cannot use configuration {}, line {line}: {message}", path.display()))
        })
    }

    /// Reads the file at `path`; without one that of the service, if it is there.
    ///
    /// # Errors
    /// As those of [`Self::load`].
    pub(crate) fn for_command(path: Option<&Path>) -> Result<Self> {
        let usual = Path::new(OF_SERVICE);
        path.or_else(|| usual.exists().then_some(usual)).map_or_else(|| Ok(Self::default()), Self::load)
    }

    /// Parses the text of a file; errors are line numbers with messages.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().unwrap_or(0..0);
            (line_of(text, &at), error.message().replace('\n', " "))
        })?;
        let mut config = Self::default();
        config.take_table(text, "", document.get_ref())?;
        Ok(config)
    }

    fn take_table(&mut self, text: &str, table: &str, content: &DeTable<'_>) -> Result<(), (usize, String)> {
        for (name, value) in content {
            let full_name = full_name(table, name.get_ref());
            let line = line_of(text, &name.span());
            match value.get_ref() {
                DeValue::Table(inner) if table.is_empty() && is_table(name.get_ref()) => {
                    self.take_table(text, name.get_ref(), inner)?;
                }
                DeValue::Table(stores) if table.is_empty() && name.get_ref() == "store" => {
                    self.take_stores(text, stores)?;
                }
                _ => {
                    check_known(&full_name).map_err(|message| (line, message))?;
                    self.put(&full_name, value).map_err(|message| (line, message))?;
                }
            }
        }
        Ok(())
    }

    /// Takes the tables of stores, each with a name of its own.
    fn take_stores(&mut self, text: &str, stores: &DeTable<'_>) -> Result<(), (usize, String)> {
        for (name, store) in stores {
            let line = line_of(text, &name.span());
            let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            let is_name = !name.get_ref().is_empty() && name.get_ref().chars().all(is_plain);
            let (true, Some(keys)) = (is_name, store.get_ref().as_table()) else {
                let message =
                    "'store' has tables by name, such as [store.cold]: letters, digits, '-' and '_'";
                return Err((line, message.to_owned()));
            };
            let mut config = StoreConfig::default();
            for (key, value) in keys {
                let line = line_of(text, &key.span());
                check_known(&full_name(STORE, key.get_ref())).map_err(|message| (line, message))?;
                put_in_store(&mut config, key.get_ref(), value.get_ref())
                    .map_err(|message| (line, message))?;
            }
            if config.url.is_empty() {
                return Err((line, format!("store '{}' has no 'url'", name.get_ref())));
            }
            self.stores.insert(name.get_ref().to_string(), config);
        }
        Ok(())
    }

    fn put(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<(), String> {
        if key == "shards" {
            self.shards = Some(shard_count(value.get_ref())?);
            return Ok(());
        }
        if key == "http.names" {
            self.http_names = host_names(value.get_ref())?;
            return Ok(());
        }
        if key == "nbd.allow" {
            self.nbd.allow = Some(AllowedNetworks::from_texts(texts(value.get_ref()).ok_or_else(|| {
                "'nbd.allow' must be a list of networks, such as [\"10.0.0.0/8\", \"fd00::/8\"]".to_owned()
            })?)?);
            return Ok(());
        }
        let Some(text) = value.get_ref().as_str() else {
            let found = value.get_ref().type_str();
            return Err(format!("'{key}' is a {found} and must be a text; put it in quotes"));
        };
        match key {
            "dir" => self.dir = Some(text.into()),
            "run-dir" => self.run_dir = Some(text.into()),
            "log" => self.log = Some(text.to_owned()),
            "log-format" => self.log_format = Some(text.to_owned()),
            "log-file" => self.log_file = Some(text.into()),
            "balance-interval" => self.balance_interval = Some(text.parse()?),
            "http.listen" => self.http_listen = Some(text.parse()?),
            "nbd.listen" => self.nbd.listen = Some(text.parse()?),
            "nbd.tls" => self.nbd.tls = Some(text.parse()?),
            "nbd.tls-dir" => self.nbd.tls_dir = Some(text.into()),
            "vhost.poll-max" => self.vhost_poll_max = Some(text.parse()?),
            "pool.file" => self.pool_file = Some(text.into()),
            "pool.size" => self.pool_size = Some(text.parse()?),
            "pool.smartctl" => self.smartctl = Some(text.parse()?),
            _ => unreachable!("'{key}' is in the table of keys, and is not taken"),
        }
        Ok(())
    }
}

fn put_in_store(config: &mut StoreConfig, key: &str, value: &DeValue<'_>) -> Result<(), String> {
    if key == "endpoints" {
        let endpoints = texts(value).ok_or_else(|| {
            "'endpoints' must be a list of servers, such as [\"https://rgw1.example.com\"]".to_owned()
        })?;
        config.endpoints = endpoints.into_iter().map(str::to_owned).collect();
        return Ok(());
    }
    let text = value
        .as_str()
        .ok_or_else(|| format!("'{key}' is a {} and must be a text; put it in quotes", value.type_str()))?;
    match key {
        "url" => {
            objects::Address::parse(text).map_err(|error| error.to_string())?;
            text.clone_into(&mut config.url);
        }
        "region" => config.region = Some(text.to_owned()),
        "credentials" => config.credentials = Some(text.into()),
        "ca" => config.ca = Some(text.into()),
        "scrub-interval" => config.scrub_interval = text.parse()?,
        _ => unreachable!("'{key}' is in the table of keys, and is not taken"),
    }
    Ok(())
}

fn shard_count(value: &DeValue<'_>) -> Result<u32, String> {
    let number = value.as_integer().and_then(|number| number.as_str().parse().ok());
    number
        .filter(|number| (1..=SHARDS_MAX).contains(number))
        .ok_or_else(|| format!("'shards' must be a number from 1 to {SHARDS_MAX}, without quotes"))
}

fn host_names(value: &DeValue<'_>) -> Result<Vec<HostName>, String> {
    let Some(texts) = texts(value) else {
        return Err("'http.names' must be a list of names, such as [\"storage1.example.com\"]".to_owned());
    };
    texts.into_iter().map(str::parse).collect()
}

/// Returns the elements of a list of strings; none if any is something else.
fn texts<'a>(value: &'a DeValue<'_>) -> Option<Vec<&'a str>> {
    value.as_array()?.iter().map(|text| text.get_ref().as_str()).collect()
}

fn full_name(table: &str, name: &str) -> String {
    if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") }
}

fn is_table(name: &str) -> bool {
    KEYS.iter().any(|key| key.table == name)
}

fn check_known(full_name: &str) -> Result<(), String> {
    let known: Vec<String> = KEYS.iter().map(|key| self::full_name(key.table, key.name)).collect();
    if known.iter().any(|name| name == full_name) {
        return Ok(());
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Err(format!("unknown key '{full_name}': {}", hint(full_name, &known)))
}

/// Returns the line of a span, counted from 1.
fn line_of(text: &str, span: &Range<usize>) -> usize {
    text.char_indices().take_while(|(at, _)| *at < span.start).filter(|(_, c)| *c == '\n').count() + 1
}

/// The longest line of the sample: help shows it, and lines that a terminal wraps could not be copied.
const SAMPLE_WIDTH: usize = 78;

/// Returns a text as lines of comment.
fn comment(text: &str) -> Vec<String> {
    let mut lines = vec!["#".to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one at least");
        if line.len() > 1 && line.chars().count() + 1 + word.chars().count() > SAMPLE_WIDTH {
            lines.push(format!("# {word}"));
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines
}

/// Returns a file that sets every key; the documentation and the help show it.
pub(crate) fn sample() -> String {
    let head = [
        "Sample configuration of Forebay: `forebay serve --config FILE`. Everything is optional.",
        "Disks do not stand here: add them with `forebay disk add`, the daemon remembers them.",
    ];
    let mut lines: Vec<String> = head.into_iter().flat_map(comment).collect();
    let mut table = "";
    for key in KEYS {
        lines.push(String::new());
        if key.table != table {
            table = key.table;
            lines.push(format!("[{table}]"));
        }
        lines.extend(comment(key.about));
        lines.push(format!("{} = {}", key.name, key.example));
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::units::ScrubInterval;

    use super::*;
    use crate::nbd_listener::{self, Tls};

    #[test]
    fn the_sample_in_the_documentation_is_the_one_of_the_code() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/forebay.toml");
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(written, sample(), "docs/forebay.toml must be exactly:\n{}", sample());
    }

    #[test]
    fn the_configuration_that_help_prints_is_valid_however_narrow_the_terminal_is() {
        for width in [80, 100, 110, 200] {
            let mut cli =
                clap::Command::term_width(<crate::cli::Cli as clap::CommandFactory>::command(), width);
            cli.build();
            let serve = cli.find_subcommand_mut("serve").expect("it is defined");
            let help = serve.render_long_help().to_string();
            let (_, printed) = help.split_once("Configuration file:\n").expect("help has the sample");
            assert_eq!(printed.trim(), sample().trim(), "at {width} columns");
            assert!(Config::parse(printed).is_ok(), "{printed}");
        }
    }

    #[test]
    fn the_sample_sets_every_key() {
        let config = Config::parse(&sample()).expect("the sample is good");
        let Config {
            dir,
            run_dir,
            log,
            log_format,
            log_file,
            shards,
            balance_interval,
            http_listen,
            http_names,
            nbd,
            vhost_poll_max,
            pool_file,
            pool_size,
            smartctl,
            stores,
        } = config;
        assert!(dir.is_some() && run_dir.is_some() && log.is_some() && pool_file.is_some());
        assert_eq!(http_listen, Some(HttpListen::default()), "the sample shows what is usual");
        assert_eq!(http_names.len(), 1);
        let NbdTcp { listen, tls, tls_dir, allow } = nbd;
        assert_eq!(
            (listen, tls),
            (Some(nbd_listener::NbdListen::Off), Some(Tls::default())),
            "the sample shows what is usual"
        );
        assert!(tls_dir.is_some() && allow.is_some());
        assert!(log_format.is_some() && log_file.is_some());
        assert_eq!((shards, pool_size), (Some(4), Some(Size(100 << 30))));
        assert_eq!(smartctl, Some(Smartctl::default()), "the sample shows what is usual");
        assert_eq!(balance_interval, Some(Interval::default()), "the sample shows what is usual");
        assert_eq!(vhost_poll_max, Some(PollMax::default()), "the sample shows what is usual");
        let StoreConfig { url, endpoints, region, credentials, ca, scrub_interval } = &stores["NAME"];
        assert!(
            !url.is_empty()
                && endpoints.len() == 2
                && region.is_some()
                && credentials.is_some()
                && ca.is_some()
        );
        assert_eq!(*scrub_interval, ScrubInterval::default(), "the sample shows what is usual");
        assert_eq!(Config::parse(""), Ok(Config::default()));
    }

    #[test]
    fn unknown_keys_are_named_with_their_line_and_the_nearest_right_one() {
        let (line, message) = Config::parse("# hello\nrundir = \"/x\"\n").unwrap_err();
        assert_eq!((line, message.as_str()), (2, "unknown key 'rundir': did you mean 'run-dir'?"));
        let (line, message) = Config::parse("dir = \"/x\"\n\n[pool]\nsizes = \"1G\"\n").unwrap_err();
        assert_eq!((line, message.as_str()), (4, "unknown key 'pool.sizes': did you mean 'pool.size'?"));
        let (line, message) = Config::parse("[store.a]\nurl = \"s3://abc\"\nca-file = \"x\"\n").unwrap_err();
        assert_eq!(
            (line, message.as_str()),
            (3, "unknown key 'store.NAME.ca-file': did you mean 'store.NAME.ca'?")
        );
        assert!(Config::parse("[disks]\na = 1\n").unwrap_err().1.contains("unknown key 'disks'"));
    }

    #[test]
    fn values_of_the_wrong_kind_and_broken_files_are_named_with_their_line() {
        assert_eq!(Config::parse("\ndir = 3\n").unwrap_err().0, 2);
        for wrong in ["0", "65", "-1", "\"2\"", "1.5"] {
            let (line, message) = Config::parse(&format!("\nshards = {wrong}\n")).unwrap_err();
            assert!(line == 2 && message.contains("from 1 to 64"), "{line}: {message}");
        }
        assert!(Config::parse("balance-interval = \"30\"\n").unwrap_err().1.contains("30s"));
        assert!(Config::parse("[http]\nlisten = \"here\"\n").unwrap_err().1.contains("127.0.0.1:7070"));
        for wrong in ["\"a\"", "[1]", "[\"http://a/\"]", "[\"\"]"] {
            let (line, message) = Config::parse(&format!("[http]\nnames = {wrong}\n")).unwrap_err();
            assert!(line == 2 && message.contains("storage1.example.com"), "{line}: {message}");
        }
        for wrong in
            ["listen = \"here\"", "tls = \"on\"", "allow = \"10.0.0.0/8\"", "allow = []", "allow = [\"x\"]"]
        {
            let (line, message) = Config::parse(&format!("[nbd]\n{wrong}\n")).unwrap_err();
            assert!(line == 2 && !message.is_empty(), "{line}: {message}");
        }
        assert!(Config::parse("[vhost]\npoll-max = \"50\"\n").unwrap_err().1.contains("50us"));
        assert!(Config::parse("[pool]\nsmartctl = \"here\"\n").unwrap_err().1.contains("/usr/sbin/smartctl"));
        for wrong in [
            "store = 1",
            "[store]\na = 1",
            "[store.\"a b\"]\nurl = \"s3://abc\"",
            "[store.a]",
            "[store.a]\nurl = \"ftp://x\"",
        ] {
            assert!(Config::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Config::parse("[pool]\nsize = \"many\"\n").unwrap_err().1.contains("many"));
        assert_eq!(Config::parse("dir = \"/x\"\nrun-dir = \n").unwrap_err().0, 2);
    }

    #[test]
    fn a_missing_file_is_named() {
        let problem = Config::load(Path::new("/nowhere/forebay.toml")).unwrap_err();
        assert!(problem.message.contains("/nowhere/forebay.toml"), "{problem}");
    }
}
