//! Opening, creating and dropping databases by name.

use super::is_name;
use super::leaving::Leaving;
use super::named::{NAMED_QUERIES, NamedQueries};
use super::open::OpenDatabase;
use crate::config::Config;
use crate::failure::Failure;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use stratigraph::Database;
use stratigraph_rag::door::Equipment;

/// The file that says that a folder is a database.
const HEADER: &str = "STRATIGRAPH";

/// How the folder of a database that is being dropped is called until it is gone.
const DROPPED: &str = ".dropped-";

/// How often it is looked whether those who read a dropped database have left, until its name is left taken.
const LOOKS: u32 = 100;
/// How long it is between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Why the databases of a folder cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A database cannot be opened.
    #[error("database {name}: {source}")]
    Database {
        /// Its name.
        name: String,
        /// Why not.
        source: stratigraph::Error,
    },
    /// A folder cannot be read or made.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// There are more than there may be.
    #[error("{} has {count} databases, and max_databases is {limit}", path.display())]
    TooMany {
        /// The folder.
        path: PathBuf,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: u32,
    },
}

/// The databases of a server.
pub(crate) struct Databases {
    config: Arc<Config>,
    /// The models for documents.
    equipment: Equipment,
    /// Where databases are made; nowhere for a server of one existing database.
    root: Option<PathBuf>,
    open: RwLock<BTreeMap<String, Arc<OpenDatabase>>>,
    /// Held while a database is made or dropped.
    changing: Mutex<Leaving>,
    /// Where they are served, once they are.
    address: OnceLock<String>,
}

impl Databases {
    /// Opens what is in `folder`: itself if it is a database, else every database in it; the default one is made if it
    /// is not there.
    pub(crate) fn open(
        folder: &Path,
        config: &Arc<Config>,
        equipment: &Equipment,
    ) -> Result<Self, StartError> {
        let io = |source| StartError::Io {
            path: folder.to_path_buf(),
            source,
        };
        if folder.join(HEADER).is_file() {
            let databases = Self::of(config, equipment, None);
            databases.take_in(&config.default_database, folder)?;
            return Ok(databases);
        }
        std::fs::create_dir_all(folder).map_err(io)?;
        let mut names = Vec::new();
        for entry in folder.read_dir().map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(DROPPED) {
                // What a crash has left of a database that was being dropped.
                std::fs::remove_dir_all(entry.path()).map_err(io)?;
                continue;
            }
            if is_name(&name) && entry.path().join(HEADER).is_file() {
                names.push(name);
            }
        }
        if !names.contains(&config.default_database) {
            names.push(config.default_database.clone());
        }
        if names.len() > config.max_databases as usize {
            return Err(StartError::TooMany {
                path: folder.to_path_buf(),
                count: names.len(),
                limit: config.max_databases,
            });
        }
        let databases = Self::of(config, equipment, Some(folder.to_path_buf()));
        for name in names {
            databases.take_in(&name, &folder.join(&name))?;
        }
        Ok(databases)
    }

    fn of(config: &Arc<Config>, equipment: &Equipment, root: Option<PathBuf>) -> Self {
        Self {
            config: Arc::clone(config),
            equipment: equipment.clone(),
            root,
            open: RwLock::default(),
            changing: Mutex::default(),
            address: OnceLock::new(),
        }
    }

    fn take_in(&self, name: &str, folder: &Path) -> Result<Arc<OpenDatabase>, StartError> {
        let config = &self.config;
        let engine = Database::builder()
            .create_if_missing(true)
            .cache_bytes(config.cache_size.bytes())
            .write_buffer_bytes(config.write_buffer_size.bytes())
            .text_cache_bytes(config.text_cache_size.bytes())
            .projection_cache_bytes(config.projection_cache_size.0)
            .vector_index_bytes(config.vector_index_size.0)
            .write_queue_timeout(config.max_write_queue_wait.0)
            // The threads of transactions keep these too; a bulk write is one long transaction.
            .transaction_idle_limit(config.max_transaction_idle.0.max(config.max_bulk_time.0))
            .transaction_time_limit(config.max_transaction_time.0.max(config.max_bulk_time.0))
            .transaction_bytes(config.max_transaction_size.0)
            .open(folder)
            .map_err(|source| StartError::Database {
                name: name.to_owned(),
                source,
            })?;
        let file = folder.join(NAMED_QUERIES);
        let named = NamedQueries::read(file.clone());
        let named = named.map_err(|source| StartError::Io { path: file, source })?;
        if let Some(address) = self.address.get() {
            engine.announce(&self.address_of(name, address));
        }
        let database = OpenDatabase::new(name, engine, named, config, &self.equipment);
        let database = database.map_err(|source| StartError::Database {
            name: name.to_owned(),
            source,
        })?;
        let database = Arc::new(database);
        self.open
            .write()
            .insert(name.to_owned(), Arc::clone(&database));
        Ok(database)
    }

    /// Whoever finds one of them open learns that it is served there.
    pub(crate) fn announce(&self, address: String) {
        let address = self.address.get_or_init(|| address);
        for database in self.all() {
            database
                .engine
                .announce(&self.address_of(&database.name, address));
        }
    }

    /// What leads to a database of this name; the default one needs no name.
    fn address_of(&self, name: &str, address: &str) -> String {
        if name == self.config.default_database {
            address.to_owned()
        } else {
            format!("{address}/{name}")
        }
    }

    /// The database of a name.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<OpenDatabase>> {
        self.open.read().get(name).cloned()
    }

    /// All of them, by name.
    pub(crate) fn all(&self) -> Vec<Arc<OpenDatabase>> {
        self.open.read().values().cloned().collect()
    }

    /// A new database, and whether it was made just now. Blocks.
    pub(crate) fn create(
        &self,
        name: &str,
        if_missing: bool,
    ) -> Result<(Arc<OpenDatabase>, bool), Failure> {
        let mut leaving = self.changing.lock();
        if let Some(known) = self.get(name) {
            return if if_missing {
                Ok((known, false))
            } else {
                Err(Failure::DatabaseExists {
                    name: name.to_owned(),
                })
            };
        }
        let folder = self.free_folder(name, &mut leaving)?;
        Ok((self.opened(name, &folder)?, true))
    }

    /// A database that `fill` makes in a folder that does not exist yet. Blocks.
    pub(crate) fn create_with<T>(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> stratigraph::Result<T>,
    ) -> Result<T, Failure> {
        let mut leaving = self.changing.lock();
        if self.get(name).is_some() {
            return Err(Failure::DatabaseExists {
                name: name.to_owned(),
            });
        }
        let folder = self.free_folder(name, &mut leaving)?;
        let filled = fill(&folder)?;
        self.opened(name, &folder)?;
        Ok(filled)
    }

    fn opened(&self, name: &str, folder: &Path) -> Result<Arc<OpenDatabase>, Failure> {
        self.take_in(name, folder).map_err(|error| match error {
            StartError::Database { source, .. } => source.into(),
            other => {
                tracing::error!(error = %other, "a database could not be opened");
                Failure::State {
                    code: "DatabaseNotOpened",
                    problem: "the server cannot open that database; its log says why".to_owned(),
                }
            }
        })
    }

    /// Where a database of that name can be made.
    fn free_folder(&self, name: &str, leaving: &mut Leaving) -> Result<PathBuf, Failure> {
        if !is_name(name) {
            return Err(bad_name("database"));
        }
        let root = self.root.as_ref().ok_or_else(single)?;
        if self.open.read().len() >= self.config.max_databases as usize {
            return Err(Failure::Limit {
                what: "the number of databases",
                limit: self.config.max_databases.to_string(),
                hint: "drop one, or raise max_databases",
            });
        }
        if !leaving.is_gone(name) {
            return Err(Failure::State {
                code: "DatabaseBeingDropped",
                problem: format!(
                    "database {name} was dropped, and somebody still reads it: try again in a while, or take another name"
                ),
            });
        }
        let folder = root.join(name);
        // Also what only looks like a folder: a link could lead anywhere.
        if folder.symlink_metadata().is_ok() {
            return Err(Failure::State {
                code: "FolderInTheWay",
                problem: format!("the server has a folder {name} already that it does not serve"),
            });
        }
        Ok(folder)
    }

    /// Drops a database with all that is in it; whether there was one. `stop` cancels what reads it; whoever would
    /// lose work is asked for first. Blocks.
    pub(crate) fn drop_one(&self, name: &str, stop: impl Fn()) -> Result<bool, Failure> {
        let mut leaving = self.changing.lock();
        if name == self.config.default_database {
            return Err(Failure::State {
                code: "DefaultDatabase",
                problem: "the default database cannot be dropped".to_owned(),
            });
        }
        let root = self.root.as_ref().ok_or_else(single)?;
        let Some(database) = self.get(name) else {
            return Ok(false);
        };
        let aside = root.join(format!("{DROPPED}{}", crate::ids::random_id()?));
        database.close_for_dropping()?;
        self.open.write().remove(name);
        stop();
        if let Err(error) = database.engine.clone().close() {
            tracing::warn!(%error, name, "a database did not close cleanly before it was dropped");
        }
        drop(database);
        // From here on it is dropped, whatever happens: a crash leaves a folder that the next start removes.
        if let Err(error) = std::fs::rename(root.join(name), &aside) {
            tracing::error!(%error, name, "the folder of a dropped database could not be moved");
        }
        leaving.add(name, &aside);
        for _ in 0..LOOKS {
            if leaving.is_gone(name) {
                break;
            }
            // What had just begun.
            stop();
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Ok(true)
    }

    /// Closes all of them: whatever runs goes on with its snapshot, and nothing begins.
    pub(crate) fn close(&self) {
        let all = std::mem::take(&mut *self.open.write());
        for (name, database) in all {
            database.begin_closing();
            if let Err(error) = database.engine.clone().close() {
                tracing::error!(%error, name, "a database did not close cleanly");
            }
        }
    }
}

fn single() -> Failure {
    Failure::State {
        code: "SingleDatabase",
        problem:
            "this server serves one existing database, and none can be made or dropped beside it"
                .to_owned(),
    }
}

pub(crate) fn bad_name(field: &str) -> Failure {
    let problem =
        "a name is a lower-case letter and then up to 63 lower-case letters, digits, `_` and `-`";
    Failure::request(field, problem)
}

#[cfg(test)]
mod tests;
