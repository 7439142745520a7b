//! Databases in a folder that goes away, the binary, and ways to damage files.

use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, NO_PROPERTIES, Value};
use tempfile::TempDir;

/// A document of three headings and two pieces.
pub(crate) const ROCKS: &str = "# Rocks\n\n## Basalt\n\nBasalt comes from Mount Etna. It was lava.\n\n## Granite\n\nGranite is found in the Alps.\n";

/// A folder with databases and backups in it.
pub(crate) struct World {
    folder: TempDir,
}

/// What the binary said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in the folder, and makes the folders that it lies in.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    /// A closed database of three commits: 3,000 nodes and as many relationships.
    pub(crate) fn database(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let db = Database::create(&path).unwrap();
        for commit in 0..3 {
            add(&db, commit * 1000..(commit + 1) * 1000);
        }
        db.close().unwrap();
        // RocksDB rewrites such files in the background once the snapshot that their last commit
        // was made under is gone. Compacting now leaves it nothing to do, so that two backups
        // meet the same files.
        let db = Database::open(&path).unwrap();
        db.compact(&mut Watch::quiet()).unwrap();
        db.close().unwrap();
        path
    }
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// One commit with a node and a relationship for each number.
pub(crate) fn add(db: &Database, numbers: std::ops::Range<u64>) {
    let mut txn = db.write().unwrap();
    for number in numbers {
        // Contents that do not compress, so that files have a size.
        let mut noise = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let value: Vec<u8> = std::iter::repeat_with(|| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            noise.to_le_bytes()
        })
        .take(12)
        .flatten()
        .collect();
        let node = txn
            .create_node(["Noise"], [("bytes", Value::bytes(value))])
            .unwrap();
        assert_eq!(node.get(), number);
        txn.create_relationship(node, "SELF", node, NO_PROPERTIES)
            .unwrap();
    }
    txn.commit().unwrap();
}

/// The binary with arguments, and nothing of this process's settings.
pub(crate) fn command<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stratigraph"));
    command.args(arguments).env_remove("RUST_LOG");
    command.stdin(Stdio::null());
    command
}

/// Runs the binary.
pub(crate) fn run<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Said {
    let output = command(arguments).output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the binary with a verb, paths and `--json`.
pub(crate) fn ask(verb: &str, paths: &[&Path], flags: &[&str]) -> Said {
    let mut arguments: Vec<&std::ffi::OsStr> = vec![verb.as_ref(), "--json".as_ref()];
    arguments.extend(paths.iter().map(|path| path.as_os_str()));
    arguments.extend(flags.iter().map(AsRef::<std::ffi::OsStr>::as_ref));
    run(&arguments)
}

impl Said {
    /// The JSON answer, which must be the only thing on stdout, of `verb`, with these fields too.
    #[track_caller]
    pub(crate) fn answer(&self, verb: &str, fields: &[&str]) -> Json {
        assert_eq!(
            self.stdout.lines().count(),
            1,
            "{}{}",
            self.stdout,
            self.stderr
        );
        let answer: Json = serde_json::from_str(&self.stdout).unwrap();
        assert_eq!(answer["verb"], verb);
        for field in fields.iter().chain(&["ok", "findings"]) {
            assert!(answer.get(field).is_some(), "no {field} in {answer}");
        }
        assert_eq!(answer["ok"], self.code == 0, "{answer}");
        answer
    }

    /// The JSON error, with nothing on stdout: its kind and message.
    #[track_caller]
    pub(crate) fn error(&self) -> (String, String) {
        assert_eq!(self.stdout, "");
        let last = self.stderr.lines().last().unwrap_or_default();
        let error: Json = serde_json::from_str(last).unwrap_or_else(|_| panic!("{}", self.stderr));
        let error = &error["error"];
        assert_eq!(error["exit_code"], self.code);
        let text = |field: &str| error[field].as_str().unwrap().to_owned();
        (text("kind"), text("message"))
    }

    /// The JSON error, whatever was on stdout before it.
    #[track_caller]
    pub(crate) fn error_after_output(&self) -> (String, String) {
        let said = Self {
            code: self.code,
            stdout: String::new(),
            stderr: self.stderr.clone(),
        };
        said.error()
    }

    #[track_caller]
    pub(crate) fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }
}

/// The largest file in `folder` whose name ends so.
pub(crate) fn largest(folder: &Path, ending: &str) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.file_name().to_string_lossy().ends_with(ending));
    let largest = files.max_by_key(|entry| entry.metadata().unwrap().len());
    largest
        .unwrap_or_else(|| panic!("no {ending} in {}", folder.display()))
        .path()
}

/// Changes one byte.
pub(crate) fn flip(file: &Path, offset: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[offset] ^= 0x40;
    fs::write(file, bytes).unwrap();
}

/// Copies a folder and what is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Every file below `folder` with its contents, to see that nothing has changed.
pub(crate) fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.push((path, bytes));
            }
        }
    }
    files.sort();
    files
}
