//! Named queries: statements that a database keeps under names, in a file of its folder. The engine knows nothing of it;
//! backups that the server takes have a copy beside them.

use crate::failure::Failure;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The file, in the folder of a database.
pub(super) const NAMED_QUERIES: &str = "queries.json";
/// How many a database may have: all of them are written whenever one changes.
const MOST: usize = 1024;
/// The longest text of one, and of its description.
const MAX_TEXT_BYTES: usize = 64 << 10;

/// A statement with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedQuery {
    /// Its text.
    pub(crate) text: String,
    /// What it is for.
    #[serde(default)]
    pub(crate) description: String,
}

/// The named queries of a database.
pub(crate) struct NamedQueries {
    file: PathBuf,
    queries: Mutex<BTreeMap<String, NamedQuery>>,
}

impl NamedQueries {
    /// Those in a file, which may be missing.
    pub(super) fn read(file: PathBuf) -> std::io::Result<Self> {
        let queries = match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error),
        };
        Ok(Self {
            file,
            queries: Mutex::new(queries),
        })
    }

    /// All of them, by name.
    pub(crate) fn all(&self) -> Vec<(String, NamedQuery)> {
        let queries = self.queries.lock();
        queries
            .iter()
            .map(|(name, query)| (name.clone(), query.clone()))
            .collect()
    }

    /// The text of one.
    pub(crate) fn text(&self, name: &str) -> Result<String, Failure> {
        let queries = self.queries.lock();
        let query = queries.get(name).ok_or_else(|| Failure::Unknown {
            what: "named query",
            name: name.chars().take(64).collect(),
            hint: "ListNamedQueries says which there are",
        })?;
        Ok(query.text.clone())
    }

    /// Keeps one, in the place of another of that name. It is on disk when this returns.
    pub(crate) fn save(&self, name: &str, query: NamedQuery) -> Result<(), Failure> {
        if !is_query_name(name) {
            let problem = "a letter, then letters, digits, `_` and `-`, at most 64";
            return Err(Failure::request("query.name", problem));
        }
        if query.text.len() + query.description.len() > MAX_TEXT_BYTES {
            return Err(Failure::request(
                "query",
                "text and description have at most 64 KiB",
            ));
        }
        let mut queries = self.queries.lock();
        if queries.len() >= MOST && !queries.contains_key(name) {
            return Err(Failure::Limit {
                what: "the number of named queries",
                limit: MOST.to_string(),
                hint: "drop one first",
            });
        }
        let mut changed = queries.clone();
        changed.insert(name.to_owned(), query);
        self.write(&changed)?;
        *queries = changed;
        Ok(())
    }

    /// Removes one; whether it was there.
    pub(crate) fn drop_one(&self, name: &str) -> Result<bool, Failure> {
        let mut queries = self.queries.lock();
        let mut changed = queries.clone();
        let known = changed.remove(name).is_some();
        if known {
            self.write(&changed)?;
            *queries = changed;
        }
        Ok(known)
    }

    /// Writes all of them to another file as well; none if there are none.
    pub(crate) fn copy_to(&self, file: &Path) -> Result<(), Failure> {
        let queries = self.queries.lock().clone();
        if queries.is_empty() {
            return Ok(());
        }
        Self::write_to(file, &queries)
    }

    /// Gives a database that was restored the queries that were taken along with its backup. That they cannot be had
    /// is no reason to have no database.
    pub(crate) fn take_along(file: &Path, database: &Path) {
        let Err(error) = fs::copy(file, database.join(NAMED_QUERIES)) else {
            return;
        };
        if error.kind() != std::io::ErrorKind::NotFound {
            tracing::error!(%error, file = %file.display(), "named queries could not be restored");
        }
    }

    /// Removes the queries of a backup that is gone. That they are left lying is no reason for the next one to fail.
    pub(crate) fn forget(file: &Path) {
        let Err(error) = fs::remove_file(file) else {
            return;
        };
        if error.kind() != std::io::ErrorKind::NotFound {
            tracing::error!(%error, file = %file.display(), "named queries of an old backup could not be removed");
        }
    }

    fn write(&self, queries: &BTreeMap<String, NamedQuery>) -> Result<(), Failure> {
        Self::write_to(&self.file, queries)
    }

    fn write_to(to: &Path, queries: &BTreeMap<String, NamedQuery>) -> Result<(), Failure> {
        let write = || -> std::io::Result<()> {
            let beside = to.with_extension("new");
            let mut file = fs::File::create(&beside)?;
            file.write_all(&serde_json::to_vec_pretty(queries)?)?;
            file.sync_all()?;
            fs::rename(&beside, to)
        };
        write().map_err(|error| {
            tracing::error!(%error, file = %to.display(), "named queries could not be written");
            Failure::State {
                code: "NamedQueriesNotWritten",
                problem: "the server cannot write its named queries; its log says why".to_owned(),
            }
        })
    }
}

fn is_query_name(name: &str) -> bool {
    let inner = |one: char| one.is_ascii_alphanumeric() || one == '_' || one == '-';
    name.len() <= 64
        && name.starts_with(|one: char| one.is_ascii_alphabetic())
        && name.chars().all(inner)
}
