//! Licences of the libraries in the binary. The licences require that their texts accompany it.
//!
//! The list is from `cargo metadata`, the texts from the sources that cargo has unpacked. Equal texts are printed once. A library whose
//! text is missing fails the build, and the test below.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::deb::tree::{entries, read};
use crate::run::{cargo, output};

/// Package whose binary is distributed.
const PRODUCT: &str = "daemon";
/// First parts of the names of files with a licence or a notice, in capitals.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
/// Sources of others inside a library, with the file of their licence.
const BUNDLED: &[(&str, &str)] = &[
    ("zstd-sys", "zstd/LICENSE"),
    ("liblzma-sys", "xz/COPYING.0BSD"),
    ("ring", "third_party/fiat/LICENSE"),
    ("ring", "src/polyfill/once_cell/LICENSE-MIT"),
    ("ring", "src/polyfill/once_cell/LICENSE-APACHE"),
    ("tracing-core", "src/spin/LICENSE"),
];
/// Licence of Forebay. Its text also serves libraries that offer it and have no text.
const OWN: (&str, &str) = ("Apache-2.0", "LICENSE");
/// File with the paragraph on libraries in the web page, which begins with this line and extends to the end.
const WEB: (&str, &str) = ("packaging/debian/copyright", "Files: web/dist/app.*");

const HEAD: &str = "\
Forebay's binary contains the libraries below, under these licences. The numbers name the texts that follow.

";

/// Separator of texts.
const LINE: &str = "--------------------------------------------------------------------------------";

/// Returns the page of all licences for a binary that runs on `target`.
///
/// # Errors
/// If cargo has no sources of a library, or one has no text of its licence.
pub(crate) fn notices(root: &Path, target: &str) -> Result<String, String> {
    let mut texts = Texts::default();
    let own = texts.number(read(&root.join(OWN.1))?);
    let mut page = vec![HEAD.to_owned(), format!("The Rust standard library (MIT OR Apache-2.0): {own}\n")];
    for library in libraries(&metadata(root, target)?)? {
        let mut numbers = Vec::new();
        for file in library.texts()? {
            numbers.push(texts.number(read(&file)?));
        }
        if numbers.is_empty() {
            if !library.license.split([' ', '/', '(', ')']).any(|word| word == OWN.0) {
                return Err(format!(
                    "{} has no text of its licence ({}), which must go with the binary. Add its file to `BUNDLED` in \
                     xtask/src/dist/notices.rs, or do without this library.",
                    library.title(),
                    library.license
                ));
            }
            numbers.push(own);
        }
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        page.push(format!("{} ({}): {}\n", library.title(), library.license, numbers.join(", ")));
    }
    for (index, text) in texts.0.iter().enumerate() {
        page.push(format!("\n{LINE}\nText {}\n\n{}\n", index + 1, text.trim_end()));
    }
    let web = read(&root.join(WEB.0))?;
    let (_, web) = web.split_once(WEB.1).ok_or_else(|| format!("{} has no line '{}'.", WEB.0, WEB.1))?;
    page.push(format!("\n{LINE}\nThe web page{web}"));
    Ok(page.concat())
}

/// Texts of licences, each once.
#[derive(Default)]
struct Texts(Vec<String>);

impl Texts {
    /// Returns the number of `text`, counted from 1.
    fn number(&mut self, text: String) -> usize {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let wanted = words(&text);
        let place = self.0.iter().position(|known| words(known) == wanted);
        place.map_or_else(
            || {
                self.0.push(text);
                self.0.len()
            },
            |place| place + 1,
        )
    }
}

/// Library in the binary.
struct Library {
    name: String,
    version: String,
    license: String,
    folder: PathBuf,
}

impl Library {
    fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Returns the files with its licences and notices.
    fn texts(&self) -> Result<Vec<PathBuf>, String> {
        let mut files: Vec<PathBuf> =
            entries(&self.folder)?.into_iter().filter(|path| is_text(path)).collect();
        let bundled = BUNDLED.iter().filter(|(name, _)| *name == self.name);
        files.extend(bundled.map(|(_, file)| self.folder.join(file)));
        Ok(files)
    }
}

/// Returns true if `path` is, by its name, a file with a licence or a notice.
fn is_text(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    NAMES.iter().any(|beginning| name.starts_with(beginning)) && path.is_file()
}

/// Returns the output of `cargo metadata` for the workspace on `target`.
fn metadata(root: &Path, target: &str) -> Result<Value, String> {
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", target];
    serde_json::from_str(&output(cargo(root).args(arguments))?)
        .map_err(|error| format!("Could not read what `cargo metadata` printed: {error}."))
}

/// Returns every library of others with which the product is linked, sorted by name and version.
fn libraries(metadata: &Value) -> Result<Vec<Library>, String> {
    let strange = || "`cargo metadata` printed something else than expected.".to_owned();
    let packages = metadata["packages"].as_array().ok_or_else(strange)?;
    let nodes = metadata["resolve"]["nodes"].as_array().ok_or_else(strange)?;
    let product = packages.iter().find(|package| package["name"] == PRODUCT).ok_or_else(strange)?;
    let mut waiting = vec![&product["id"]];
    let mut seen: HashSet<&str> = HashSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id.as_str().ok_or_else(strange)?) {
            continue;
        }
        let node = nodes.iter().find(|node| node["id"] == *id).ok_or_else(strange)?;
        let is_linked = |needed: &&Value| {
            // Dependencies of tests and of build scripts have a kind.
            needed["dep_kinds"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
        };
        let needed = node["deps"].as_array().ok_or_else(strange)?;
        waiting.extend(needed.iter().filter(is_linked).map(|needed| &needed["pkg"]));
    }
    let is_foreign = |package: &&Value| {
        package["id"].as_str().is_some_and(|id| seen.contains(id)) && !package["source"].is_null()
    };
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(strange);
    let mut found = Vec::new();
    for package in packages.iter().filter(is_foreign) {
        let manifest = PathBuf::from(text(&package["manifest_path"])?);
        found.push(Library {
            name: text(&package["name"])?,
            version: text(&package["version"])?,
            license: text(&package["license"])?,
            folder: manifest.parent().unwrap_or(Path::new("/")).to_owned(),
        });
    }
    found.sort_by_key(Library::title);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts below the folder of a library that need not accompany the binary, with the reason.
    const NOT_IN_THE_BINARY: &[(&str, &str, &str)] = &[
        ("zstd-sys", "zstd/COPYING", "the GPL, which zstd offers beside the licence that is taken"),
        (
            "liblzma-sys",
            "xz/COPYING",
            "a summary of what all of xz is under; the licence of liblzma is taken",
        ),
        ("liblzma-sys", "xz/COPYING.GPLv2", "scripts, which are not compiled"),
        ("liblzma-sys", "xz/COPYING.GPLv3", "build-aux, which is not compiled"),
        ("liblzma-sys", "xz/COPYING.LGPLv2.1", "getopt of the programs, which are not compiled"),
        ("liblzma-sys", "xz/build-aux/license-check.sh", "a program"),
    ];

    fn target() -> String {
        format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
    }

    /// Adds the texts in `folder` and below to `found`.
    fn find_texts(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in entries(folder).expect("cargo has unpacked it") {
            if path.is_dir() {
                find_texts(&path, found);
            } else if is_text(&path) {
                found.push(path);
            }
        }
    }

    #[test]
    fn every_text_inside_a_library_goes_with_the_binary_or_has_a_reason_not_to() {
        let metadata = metadata(&crate::root(), &target()).expect("cargo knows the workspace");
        let mut excepted = 0;
        for library in libraries(&metadata).expect("each has its fields") {
            let taken = library.texts().expect("its folder is there");
            let mut found = Vec::new();
            find_texts(&library.folder, &mut found);
            for path in found {
                let name = path.strip_prefix(&library.folder).expect("it was found there").to_string_lossy();
                let is_excepted = NOT_IN_THE_BINARY
                    .iter()
                    .any(|(crate_name, file, _)| *crate_name == library.name && *file == name);
                assert!(taken.contains(&path) != is_excepted, "{}: {name}", library.title());
                excepted += usize::from(is_excepted);
            }
        }
        assert_eq!(excepted, NOT_IN_THE_BINARY.len(), "an exception is of no use any more");
    }

    #[test]
    fn every_library_in_the_binary_has_the_text_of_its_licence() {
        let page = notices(&crate::root(), &target()).expect("each library has a text");
        for library in ["tokio ", "zstd-sys ", "vhost 0"] {
            assert!(page.lines().any(|line| line.starts_with(library) && !line.ends_with(": ")), "{library}");
        }
        assert!(
            page.contains("Facebook") && page.contains("Leon Sorokin") && page.contains("fiat-crypto"),
            "texts of what libraries bundle"
        );
        assert!(
            !page.lines().any(|line| line.starts_with("tempfile ")),
            "what only tests need is not in the binary"
        );
    }

    #[test]
    fn equal_texts_have_one_number() {
        let mut texts = Texts::default();
        assert_eq!(texts.number("The  MIT\nLicense".to_owned()), 1);
        assert_eq!(texts.number("ISC".to_owned()), 2);
        assert_eq!(texts.number("The MIT License\n".to_owned()), 1);
    }
}
