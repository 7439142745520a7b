//! What each database says of itself when somebody asks: its sequence, its files, its indexes.

use super::whole;
use crate::databases::OpenDatabase;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::Arc;
use stratigraph::{DatabaseInfo, VectorIndexInfo, VectorIndexState};

/// What is read from a database.
type Read<S> = fn(&S, &OpenDatabase) -> u64;

/// Gauges of a database.
const GAUGES: &[(&str, &str, Read<DatabaseInfo>)] = &[
    ("commit_sequence", "The last commit", |info, _| {
        info.commit.get()
    }),
    (
        "durable_sequence",
        "The last commit that no loss of power takes",
        |info, _| info.durable.get(),
    ),
    (
        "file_bytes",
        "Bytes of the files of RocksDB that the current state needs",
        |info, _| info.store.live_file_bytes,
    ),
    (
        "files",
        "Files of RocksDB that the current state needs",
        |info, _| info.store.live_files,
    ),
    (
        "memtable_bytes",
        "Bytes in RocksDB's memory tables",
        |info, _| info.store.memtable_bytes,
    ),
    (
        "block_cache_bytes",
        "Bytes in the cache of stored blocks",
        |info, _| info.store.block_cache_bytes,
    ),
    (
        "text_cache_bytes",
        "Bytes of text indexes that are kept decoded",
        |info, _| info.text_cache_bytes,
    ),
    (
        "value_set_bytes",
        "Bytes of sets that are kept, of what has one value",
        |info, _| info.value_set_bytes,
    ),
    (
        "projection_cache_bytes",
        "Bytes of projections that are kept",
        |info, _| info.projection_cache_bytes,
    ),
    (
        "pending_compaction_bytes",
        "Bytes that wait for compaction",
        |info, _| info.store.pending_compaction_bytes,
    ),
    ("snapshots", "Snapshots that are held", |info, _| {
        info.store.snapshots
    }),
    (
        "open_transactions",
        "Transactions that are open",
        |_, of| of.transactions.count() as u64,
    ),
    ("writers", "Who writes and who waits to", |_, of| {
        of.writers() as u64
    }),
    ("failed", "1 if it cannot be written any more", |info, _| {
        info.failure.is_some().into()
    }),
];

/// Counters of a database, which begin again when it is opened.
const COUNTERS: &[(&str, &str, Read<DatabaseInfo>)] = &[
    ("log_syncs", "Syncs of the log", |info, _| {
        info.store.log_syncs
    }),
    ("batches", "Batches that were written", |info, _| {
        info.store.batches
    }),
];

/// Gauges of a vector index.
const VECTOR_INDEXES: &[(&str, &str, Read<VectorIndexInfo>)] = &[
    ("vectors", "Vectors in the index", |info, _| info.vectors),
    (
        "memory_bytes",
        "Memory of the index, the file of its vectors apart",
        |info, _| info.memory_bytes,
    ),
    (
        "journaled_changes",
        "Changes that an open would have to look at",
        |info, _| info.journaled,
    ),
    ("ready", "1 if it answers searches", |info, _| {
        matches!(info.state, VectorIndexState::Ready).into()
    }),
];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Of {
    database: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfFamily {
    database: String,
    family: &'static str,
}

/// An index of a database.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(super) struct OfIndex {
    pub(super) database: String,
    pub(super) index: String,
}

/// What each database says of itself.
pub(super) struct DatabaseMetrics {
    gauges: Vec<Family<Of, Gauge>>,
    counters: Vec<Family<Of, Counter>>,
    vector_indexes: Vec<Family<OfIndex, Gauge>>,
    family_keys: Family<OfFamily, Gauge>,
    family_bytes: Family<OfFamily, Gauge>,
}

impl DatabaseMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let of_database = registry.sub_registry_with_prefix("database");
        let gauges = GAUGES.iter().map(|(name, help, _)| {
            let family = Family::default();
            of_database.register(*name, *help, family.clone());
            family
        });
        let gauges = gauges.collect();
        let counters = COUNTERS.iter().map(|(name, help, _)| {
            let family = Family::default();
            of_database.register(*name, *help, family.clone());
            family
        });
        let counters = counters.collect();
        let (family_keys, family_bytes) = (Family::default(), Family::default());
        of_database.register(
            "family_keys",
            "About how many keys a family has: nodes, relationships, each kind of index",
            family_keys.clone(),
        );
        of_database.register(
            "family_file_bytes",
            "Bytes of the files of a family",
            family_bytes.clone(),
        );
        let of_vectors = registry.sub_registry_with_prefix("vector_index");
        let vector_indexes = VECTOR_INDEXES.iter().map(|(name, help, _)| {
            let family = Family::default();
            of_vectors.register(*name, *help, family.clone());
            family
        });
        Self {
            gauges,
            counters,
            vector_indexes: vector_indexes.collect(),
            family_keys,
            family_bytes,
        }
    }

    /// Asks all of them.
    pub(super) fn read(&self, databases: &[Arc<OpenDatabase>]) {
        // Those of databases and indexes that are gone would stay.
        self.gauges.iter().for_each(Family::clear);
        self.counters.iter().for_each(Family::clear);
        self.vector_indexes.iter().for_each(Family::clear);
        self.family_keys.clear();
        self.family_bytes.clear();
        for database in databases {
            self.read_one(database);
        }
    }

    fn read_one(&self, database: &OpenDatabase) {
        let info = database.engine.info();
        let name = || database.name.to_string();
        for (family, (.., read)) in self.gauges.iter().zip(GAUGES) {
            let labels = Of { database: name() };
            family
                .get_or_create(&labels)
                .set(whole(read(&info, database)));
        }
        for (family, (.., read)) in self.counters.iter().zip(COUNTERS) {
            let labels = Of { database: name() };
            family.get_or_create(&labels).inc_by(read(&info, database));
        }
        for family in &info.store.families {
            let labels = OfFamily {
                database: name(),
                family: family.name,
            };
            self.family_keys
                .get_or_create(&labels)
                .set(whole(family.keys));
            self.family_bytes
                .get_or_create(&labels)
                .set(whole(family.file_bytes));
        }
        // One that is being closed says nothing of its indexes.
        for index in database.engine.vector_indexes().unwrap_or_default() {
            let labels = OfIndex {
                database: name(),
                index: index.definition.name.to_string(),
            };
            for (family, (.., read)) in self.vector_indexes.iter().zip(VECTOR_INDEXES) {
                family
                    .get_or_create(&labels)
                    .set(whole(read(&index, database)));
            }
        }
    }
}
