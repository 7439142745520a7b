//! Which files are read: those that were named, and those of folders and of what lies in them.
//!
//! Files come in the order of their ids, which are paths relative to what was named, with `/` between their
//! parts: the same folder gives the same ids on any machine. Nothing leads out of a folder: hidden files and
//! folders are left out, and so are links, unless they lead to a file within it that has no name of its own
//! there. What is left out is told, with the reason.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Format, Place, ReadError};

/// How folders are walked.
#[derive(Clone, Debug)]
#[must_use]
pub struct Walk {
    max_bytes: u64,
    max_files: usize,
    max_depth: usize,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Its path relative to what was named, with `/` between the parts. A file that was named itself has its
    /// name.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// How it is read.
    pub format: Format,
    /// How long it was when it was found.
    pub bytes: u64,
    max_bytes: u64,
}

/// What came of a walk.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Walked {
    /// The files in the order of their ids.
    pub files: Vec<Found>,
    /// What was left out although nobody said so, with the reasons: at most [`Walk::MOST_TOLD`] of them.
    pub left_out: Vec<ReadError>,
    /// How many that were.
    pub count_left_out: usize,
    /// How many files have endings that nobody knows, such as pictures; they are nothing that could be read.
    pub unknown: usize,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            max_bytes: super::Source::MAX_BYTES as u64,
            max_files: 1_000_000,
            max_depth: 64,
        }
    }
}

impl Walk {
    /// So many things that were left out are told one by one.
    pub const MOST_TOLD: usize = 1000;

    /// A walk with the usual limits: files of 256 MiB, a million files, 64 folders within each other.
    pub fn new() -> Self {
        Self::default()
    }

    /// The most bytes of a file: longer ones are left out, or refused if they were named.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// The most files.
    pub fn max_files(mut self, files: usize) -> Self {
        self.max_files = files;
        self
    }

    /// The most folders within each other.
    pub fn max_depth(mut self, folders: usize) -> Self {
        self.max_depth = folders;
        self
    }

    /// Finds the files of these paths.
    ///
    /// # Errors
    ///
    /// Something that was named is not there or is nothing that can be read, two files have one id, or there
    /// are more than the limit.
    pub fn find<P: AsRef<Path>>(&self, paths: &[P]) -> Result<Walked, ReadError> {
        let mut walking = Walking {
            walk: self,
            files: BTreeMap::new(),
            walked: Walked::default(),
        };
        for path in paths {
            walking.named(path.as_ref())?;
        }
        let Walking {
            files, mut walked, ..
        } = walking;
        walked.files = files.into_values().collect();
        Ok(walked)
    }
}

impl Found {
    /// Reads its bytes; never more than the walk allowed, however long it has become.
    ///
    /// # Errors
    ///
    /// It cannot be read, or has become too long.
    pub fn read(&self) -> Result<Vec<u8>, ReadError> {
        let file = File::open(&self.path).map_err(|error| unreadable(&self.id, &error))?;
        let mut bytes = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or(0));
        let read = file.take(self.max_bytes + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(&self.id, &error))?;
        if bytes.len() as u64 > self.max_bytes {
            return Err(too_long(&self.id, bytes.len() as u64, self.max_bytes));
        }
        Ok(bytes)
    }
}

struct Walking<'w> {
    walk: &'w Walk,
    files: BTreeMap<String, Found>,
    walked: Walked,
}

/// A folder that was named, while it is walked.
struct Tree {
    real_root: PathBuf,
    /// The folders in it that are still to be walked.
    open: Vec<Folder>,
    links: Vec<Link>,
    /// The files that have a name of their own here, wherever links lead.
    real_files: HashSet<PathBuf>,
}

/// A folder that is to be walked.
struct Folder {
    path: PathBuf,
    /// What stands before the names of its files.
    before: String,
    depth: usize,
}

/// A link within a folder: what to do with it is known when the folder is.
struct Link {
    id: String,
    path: PathBuf,
    real: PathBuf,
    format: Format,
    bytes: u64,
}

impl Walking<'_> {
    fn named(&mut self, path: &Path) -> Result<(), ReadError> {
        let shown = path.display().to_string();
        let metadata = fs::metadata(path).map_err(|error| unreadable(&shown, &error))?;
        if metadata.is_dir() {
            return self.folder(path);
        }
        let id = path.file_name().and_then(|name| name.to_str());
        let id = id.ok_or_else(|| no_unicode(&shown))?;
        if !metadata.is_file() {
            let reason = "it is neither a file nor a folder".to_owned();
            return Err(refused(&shown, reason, "name a file"));
        }
        let Some(format) = Format::of_path(path) else {
            return Err(refused(
                &shown,
                "nobody can tell what it is".to_owned(),
                Format::ENDINGS,
            ));
        };
        if metadata.len() > self.walk.max_bytes {
            return Err(too_long(&shown, metadata.len(), self.walk.max_bytes));
        }
        self.add(id.to_owned(), path.to_owned(), format, metadata.len())
    }

    fn folder(&mut self, root: &Path) -> Result<(), ReadError> {
        let shown = root.display().to_string();
        let real_root = root
            .canonicalize()
            .map_err(|error| unreadable(&shown, &error))?;
        let top = Folder {
            path: root.to_owned(),
            before: String::new(),
            depth: 0,
        };
        let mut tree = Tree {
            real_root,
            open: vec![top],
            links: Vec::new(),
            real_files: HashSet::new(),
        };
        while let Some(folder) = tree.open.pop() {
            let entries = match fs::read_dir(&folder.path) {
                Ok(entries) => entries,
                Err(error) if folder.depth == 0 => return Err(unreadable(&shown, &error)),
                Err(error) => {
                    self.leave_out(unreadable(&folder.before, &error));
                    continue;
                }
            };
            for entry in entries {
                match entry {
                    Ok(entry) => self.entry(&entry, &folder, &mut tree)?,
                    Err(error) => self.leave_out(unreadable(&folder.before, &error)),
                }
            }
        }
        tree.links.sort_by(|one, other| one.id.cmp(&other.id));
        for link in tree.links {
            if tree.real_files.insert(link.real) {
                self.add(link.id, link.path, link.format, link.bytes)?;
            }
        }
        Ok(())
    }

    /// What lies in a folder: a file is found, and a folder or a link is kept for later.
    fn entry(
        &mut self,
        entry: &fs::DirEntry,
        folder: &Folder,
        tree: &mut Tree,
    ) -> Result<(), ReadError> {
        let Folder { before, depth, .. } = folder;
        let (name, path) = (entry.file_name(), entry.path());
        let Some(name) = name.to_str() else {
            let shown = format!("{before}{}", name.to_string_lossy());
            self.leave_out(no_unicode(&shown));
            return Ok(());
        };
        if name.starts_with('.') {
            return Ok(());
        }
        let id = format!("{before}{name}");
        // Of the entry itself: what a link leads to is looked at below.
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => {
                self.leave_out(unreadable(&id, &error));
                return Ok(());
            }
        };
        if kind.is_dir() {
            if depth + 1 > self.walk.max_depth {
                let reason = format!("it lies under more than {depth} folders");
                self.leave_out(refused(&id, reason, "name it by itself"));
                return Ok(());
            }
            tree.open.push(Folder {
                path,
                before: format!("{id}/"),
                depth: depth + 1,
            });
            return Ok(());
        }
        let Some(format) = Format::of_path(&path) else {
            self.walked.unknown += 1;
            return Ok(());
        };
        if kind.is_symlink() {
            let link = self.link(id, &path, &tree.real_root, format);
            tree.links.extend(link);
        } else if kind.is_file() {
            match entry.metadata() {
                Ok(metadata) if metadata.len() > self.walk.max_bytes => {
                    self.leave_out(too_long(&id, metadata.len(), self.walk.max_bytes));
                }
                Ok(metadata) => {
                    tree.real_files.extend(path.canonicalize());
                    self.add(id, path, format, metadata.len())?;
                }
                Err(error) => self.leave_out(unreadable(&id, &error)),
            }
        }
        Ok(())
    }

    /// A link: only to files within the folder.
    fn link(&mut self, id: String, path: &Path, root: &Path, format: Format) -> Option<Link> {
        let looked = path
            .canonicalize()
            .and_then(|real| Ok((fs::metadata(&real)?, real)));
        let (metadata, real) = match looked {
            Ok(found) => found,
            Err(error) => {
                self.leave_out(unreadable(&id, &error));
                return None;
            }
        };
        if !real.starts_with(root) {
            let hint = "name what it leads to, or copy it";
            self.leave_out(refused(
                &id,
                "the link leads out of the folder".to_owned(),
                hint,
            ));
            return None;
        }
        if metadata.len() > self.walk.max_bytes {
            self.leave_out(too_long(&id, metadata.len(), self.walk.max_bytes));
            return None;
        }
        metadata.is_file().then_some(Link {
            id,
            path: real.clone(),
            real,
            format,
            bytes: metadata.len(),
        })
    }

    fn add(
        &mut self,
        id: String,
        path: PathBuf,
        format: Format,
        bytes: u64,
    ) -> Result<(), ReadError> {
        if self.files.len() >= self.walk.max_files {
            let reason = format!("there are more than {} files", self.walk.max_files);
            return Err(refused(
                &id,
                reason,
                "name fewer folders, or raise the limit",
            ));
        }
        if let Some(other) = self.files.get(&id) {
            // The same file named twice is one file.
            if other.path.canonicalize().ok() == path.canonicalize().ok() {
                return Ok(());
            }
            let reason = format!("another file has this id: {}", other.path.display());
            let hint = "name a folder that holds both, or take them in apart, each under a name of its own (`ingest --under NAME`)";
            return Err(refused(&id, reason, hint));
        }
        let found = Found {
            id: id.clone(),
            path,
            format,
            bytes,
            max_bytes: self.walk.max_bytes,
        };
        self.files.insert(id, found);
        Ok(())
    }

    fn leave_out(&mut self, why: ReadError) {
        self.walked.count_left_out += 1;
        if self.walked.left_out.len() < Walk::MOST_TOLD {
            self.walked.left_out.push(why);
        }
    }
}

fn refused(file: &str, reason: String, hint: &str) -> ReadError {
    ReadError::new(file, Place::File, reason, hint)
}

fn unreadable(file: &str, error: &io::Error) -> ReadError {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "look for a slip in its name",
        io::ErrorKind::PermissionDenied => "ask for the right to read it",
        _ => "look at the disk",
    };
    refused(file, format!("it cannot be read: {error}"), hint)
}

fn no_unicode(file: &str) -> ReadError {
    let reason = "its name is not Unicode".to_owned();
    refused(file, reason, "rename it: the name becomes the document's")
}

fn too_long(file: &str, bytes: u64, most: u64) -> ReadError {
    let reason = format!("the file has {bytes} bytes or more, and at most {most} are read");
    refused(file, reason, "divide it, or raise the limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn ids(walked: &Walked) -> Vec<&str> {
        walked.files.iter().map(|found| found.id.as_str()).collect()
    }

    #[test]
    fn files_come_in_the_order_of_their_ids() {
        let folder = folder(&[
            ("b/2.md", "two"),
            ("b/1.html", "one"),
            ("a.txt", "a"),
            (".git/x.md", "x"),
            ("b/.hidden.md", "x"),
            ("b/picture.png", "x"),
            ("b.md", "b"),
        ]);
        let walked = Walk::new().find(&[folder.path()]).unwrap();
        assert_eq!(ids(&walked), ["a.txt", "b.md", "b/1.html", "b/2.md"]);
        assert_eq!(walked.files[3].read().unwrap(), b"two");
        assert_eq!(walked.files[2].format, Format::Html);
        assert_eq!((walked.count_left_out, walked.unknown), (0, 1));
        // A file that is named has its name, also beside its folder if that gives it another.
        let both = [folder.path().join("b/2.md"), folder.path().join("b")];
        let walked = Walk::new().find(&both).unwrap();
        assert_eq!(ids(&walked), ["1.html", "2.md"]);
    }

    #[test]
    fn what_was_named_must_be_there_and_be_something() {
        let folder = folder(&[("a/x.md", "1"), ("b/x.md", "2"), ("b/y.png", "")]);
        let path = |name: &str| folder.path().join(name);
        let refused = |paths: &[PathBuf]| Walk::new().find(paths).unwrap_err().to_string();
        assert!(refused(&[path("c")]).contains("cannot be read"));
        assert!(refused(&[path("b/y.png")]).contains("nobody can tell"));
        let twice = refused(&[path("a/x.md"), path("b/x.md")]);
        assert!(
            twice.starts_with("x.md: another file has this id"),
            "{twice}"
        );
        assert!(Walk::new().find(&[path("a"), path("b")]).is_err());
    }

    #[test]
    fn sizes_numbers_and_depths_are_bounded() {
        let folder = folder(&[("a.md", "12345"), ("b/c/d.md", "1"), ("e.md", "1")]);
        let walked = Walk::new().max_bytes(4).find(&[folder.path()]).unwrap();
        assert_eq!(ids(&walked), ["b/c/d.md", "e.md"]);
        assert!(walked.left_out[0].to_string().contains("5 bytes"));
        let named = Walk::new().max_bytes(4).find(&[folder.path().join("a.md")]);
        assert!(named.is_err());
        assert!(Walk::new().max_files(2).find(&[folder.path()]).is_err());
        let walked = Walk::new().max_depth(1).find(&[folder.path()]).unwrap();
        assert_eq!(ids(&walked), ["a.md", "e.md"]);
        assert_eq!(walked.left_out[0].file, "b/c");
        // A file that grows after it was found is not read beyond the limit.
        let walked = Walk::new().max_bytes(8).find(&[folder.path()]).unwrap();
        fs::write(folder.path().join("a.md"), "123456789").unwrap();
        assert!(walked.files[0].read().is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_has_no_name_in_unicode_is_told_by_its_place_in_the_folder() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let folder = folder(&[("b/1.md", "one")]);
        let nameless = OsStr::from_bytes(b"\xff.md");
        fs::write(folder.path().join("b").join(nameless), "x").unwrap();
        let walked = Walk::new().find(&[folder.path()]).unwrap();
        assert_eq!(ids(&walked), ["b/1.md"]);
        assert_eq!(walked.left_out[0].file, "b/\u{fffd}.md");
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_nor_make_two_of_one() {
        use std::os::unix::fs::symlink;
        let outside = folder(&[("secret.md", "secret")]);
        let folder = folder(&[("a.md", "a"), (".store/hash", "blob")]);
        let path = |name: &str| folder.path().join(name);
        symlink(outside.path().join("secret.md"), path("secret.md")).unwrap();
        symlink(outside.path(), path("out")).unwrap();
        symlink(folder.path(), path("again")).unwrap();
        symlink(path("a.md"), path("also_a.md")).unwrap();
        symlink(path(".store/hash"), path("stored.md")).unwrap();
        symlink(path("nowhere"), path("broken.md")).unwrap();
        let walked = Walk::new().find(&[folder.path()]).unwrap();
        assert_eq!(ids(&walked), ["a.md", "stored.md"]);
        assert_eq!(walked.files[1].read().unwrap(), b"blob");
        let mut told: Vec<&str> = walked
            .left_out
            .iter()
            .map(|error| error.file.as_str())
            .collect();
        told.sort_unstable();
        assert_eq!(told, ["broken.md", "secret.md"]);
    }
}
