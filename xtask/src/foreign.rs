//! The verb `foreign`: a client that nobody here wrote asks a real server.
//!
//! Python's grpcio learns the protocol from the server itself, by reflection, and runs the example of
//! `README.md` as it stands there: what it prints must be what the document says. The libraries are
//! installed, with their versions pinned, into an environment below the target directory, and nowhere else.

use crate::cargo::Cargo;
use crate::files;
use crate::places::Places;
use crate::shell;
use crate::steps::Steps;
use crate::verbs::{self, Failure};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Where the example is.
const DOCUMENT: &str = "README.md";
/// What the example needs; the document tells readers to install the same.
const REQUIREMENTS: [&str; 3] = [
    "grpcio==1.76.0",
    "grpcio-reflection==1.76.0",
    "protobuf==6.33.6",
];
/// A network that swallows packets must not hold us for ever.
const INSTALL_LIMIT: Duration = Duration::from_secs(300);
/// The example gives up by itself long before.
const EXAMPLE_LIMIT: Duration = Duration::from_secs(120);

/// `cargo xtask foreign`
pub(crate) fn run(places: &Places, arguments: &[String]) -> Result<(), Failure> {
    verbs::no_arguments(arguments)?;
    shell::say("a client in Python against a server (1 minute; first time 15)");
    let python = client(places).map_err(|why| format!("skipped: {why}"))?;
    Ok(ask(places, &Cargo::linking(places)?, &python)?)
}

/// As a part of the verb `test`: left out visibly where the client cannot be.
pub(crate) fn step(places: &Places, cargo: &Cargo<'_>, steps: &mut Steps) -> Result<(), String> {
    match client(places) {
        Ok(python) => steps.run("foreign", || ask(places, cargo, &python)),
        Err(why) => {
            steps.skip("foreign", &why);
            Ok(())
        }
    }
}

fn ask(places: &Places, cargo: &Cargo<'_>, python: &Path) -> Result<(), String> {
    let document = places.checkout.join(DOCUMENT);
    let example = example(&files::read(&document)?)?;
    compare(places, &example, python, &cargo.debug("stratigraph")?)
}

/// The example, and what it prints.
#[derive(Debug, PartialEq, Eq)]
struct Example {
    program: String,
    prints: String,
}

/// The first block of Python in a document, and the block of text behind it.
fn example(document: &str) -> Result<Example, String> {
    let (program, rest) = block(document, "python").ok_or("README.md has no example in Python")?;
    let (prints, _) =
        block(rest, "text").ok_or("README.md does not say what its example prints")?;
    for requirement in REQUIREMENTS {
        if !document.contains(requirement) {
            return Err(format!(
                "{DOCUMENT} does not tell readers to install {requirement}"
            ));
        }
    }
    Ok(Example {
        program: program.to_owned(),
        prints: prints.to_owned(),
    })
}

/// What stands in the first block of that language, and what stands behind it.
fn block<'d>(document: &'d str, language: &str) -> Option<(&'d str, &'d str)> {
    let (_, after) = document.split_once(&format!("```{language}\n"))?;
    after.split_once("```")
}

/// The Python that has the libraries; they are installed if they are not there.
fn client(places: &Places) -> Result<PathBuf, String> {
    let folder = places.target.join("foreign-client");
    let python = folder.join("bin/python");
    let (stamp, wanted) = (folder.join("installed"), REQUIREMENTS.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) && python.exists() {
        return Ok(python);
    }
    if !shell::succeeds("python3", &["--version"]) {
        return Err("there is no python3 (Debian: python3 python3-venv)".into());
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    }
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(&folder);
    shell::run(&mut make).map_err(|why| {
        format!("python3 cannot make an environment (Debian: python3-venv): {why}")
    })?;
    let quiet = ["--quiet", "--disable-pip-version-check", "--retries", "2"];
    let mut install = Command::new(&python);
    install
        .args(["-m", "pip", "install", "--only-binary=:all:"])
        .args(quiet)
        .args(REQUIREMENTS);
    shell::run_within(&mut install, INSTALL_LIMIT)
        .map_err(|why| format!("pip cannot install {}: {why}", REQUIREMENTS.join(" ")))?;
    files::write(&stamp, &wanted)?;
    Ok(python)
}

fn compare(places: &Places, example: &Example, python: &Path, binary: &Path) -> Result<(), String> {
    let folder = places
        .target
        .join(format!("foreign-{}", std::process::id()));
    let compared = Served::start(binary, &folder.join("data")).and_then(|server| {
        let program = folder.join("example.py");
        files::write(&program, &example.program)?;
        let printed = folder.join("printed");
        let file = fs::File::create(&printed)
            .map_err(|error| format!("cannot write {}: {error}", printed.display()))?;
        let mut command = Command::new(python);
        command.arg(&program).arg(&server.address).stdout(file);
        shell::run_within(&mut command, EXAMPLE_LIMIT)?;
        let printed = files::read(&printed)?;
        print!("{printed}");
        if printed == example.prints {
            return Ok(());
        }
        Err(format!(
            "{DOCUMENT} says that its example prints\n{}it printed\n{printed}",
            example.prints
        ))
    });
    // What is left of a temporary folder is below the target directory, and harms nobody.
    let _ = fs::remove_dir_all(&folder);
    compared
}

/// A server that runs, and is ended with the value.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn start(binary: &Path, data: &Path) -> Result<Self, String> {
        fs::create_dir_all(data)
            .map_err(|error| format!("cannot create {}: {error}", data.display()))?;
        let mut command = Command::new(binary);
        command
            .arg("serve")
            .arg(data)
            .args(["--listen", "127.0.0.1:0", "--log-level", "warn"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut process = command
            .spawn()
            .map_err(|error| format!("cannot start `{}`: {error}", binary.display()))?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            // A server that does not start says why on stderr, and closes this.
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        let address = line
            .trim()
            .strip_prefix("serving gRPC on ")
            .map(str::to_owned);
        let mut served = Self {
            process,
            address: String::new(),
        };
        served.address = address.ok_or_else(|| format!("the server said {line:?}"))?;
        Ok(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Its database is a temporary one: nothing has to be closed well.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_the_documents() {
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let document = Path::new(&here).with_file_name(DOCUMENT);
        let example = example(&fs::read_to_string(document).unwrap()).unwrap();
        assert!(example.program.contains("import grpc\n"), "{example:?}");
        assert!(example.prints.ends_with('\n') && !example.prints.contains("```"));
    }

    #[test]
    fn a_document_that_says_less_is_refused() {
        let whole = format!(
            "{}\n```python\na\n```\nprints\n```text\nb\n```\n",
            REQUIREMENTS.join(" ")
        );
        let found = example(&whole).unwrap();
        assert_eq!((&*found.program, &*found.prints), ("a\n", "b\n"));
        assert!(example("```python\na\n```\n").is_err());
        assert!(example(&whole.replace("1.76.0", "1.0.0")).is_err());
    }
}
