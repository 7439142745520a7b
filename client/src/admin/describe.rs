//! What the methods of [`super::Admin`] give.

use crate::made::{Made, Make};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use stratigraph_proto::v1;

/// How far long work is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done.
    pub step: String,
    /// How much of it is done.
    pub done: u64,
    /// How much there is to do; 0 if nobody knows.
    pub total: u64,
}

/// A backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backup {
    /// Its number; later backups have larger ones.
    pub number: u64,
    /// The commit that it holds.
    pub sequence: u64,
    /// When it was taken.
    pub taken_at: SystemTime,
    /// The bytes of all its files.
    pub total_bytes: u64,
    /// The bytes that it added to the folder; 0 in a list.
    pub new_bytes: u64,
}

/// What a check has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CheckReport {
    /// The commit that was checked.
    pub sequence: u64,
    /// How many pairs were read.
    pub entries: u64,
    /// What is wrong.
    pub findings: Vec<CheckFinding>,
    /// What is worth knowing and harmless.
    pub notes: Vec<CheckFinding>,
}

/// Something that a check has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CheckFinding {
    /// Where.
    pub place: String,
    /// What.
    pub what: String,
}

/// What rewriting files did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CompactReport {
    /// The bytes of files before.
    pub bytes_before: u64,
    /// The bytes of files after.
    pub bytes_after: u64,
}

/// How large a database is, and what it has done since it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// The last commit that readers see.
    pub sequence: u64,
    /// The last commit that a loss of power cannot take back.
    pub durable_sequence: u64,
    /// Its nodes.
    pub nodes: u64,
    /// Its relationships.
    pub relationships: u64,
    /// Nodes by label.
    pub nodes_by_label: BTreeMap<String, u64>,
    /// Relationships by type.
    pub relationships_by_type: BTreeMap<String, u64>,
    /// Bytes of its files.
    pub file_bytes: u64,
    /// Bytes in memory that wait to go to files.
    pub memtable_bytes: u64,
    /// Bytes of cached blocks.
    pub cache_bytes: u64,
    /// Bytes that wait to be rewritten.
    pub pending_compaction_bytes: u64,
    /// Snapshots that are held now.
    pub snapshots: u64,
    /// Why writing has stopped; `None` if it has not.
    pub failure: Option<String>,
    /// Families of keys.
    pub families: Vec<FamilyStatistics>,
}

/// How large a family of keys is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FamilyStatistics {
    /// Its name.
    pub name: String,
    /// About how many keys it has.
    pub keys: u64,
    /// Bytes of its files.
    pub file_bytes: u64,
}

/// A statement that took long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlowQuery {
    /// When it ended.
    pub ended_at: SystemTime,
    /// The id of its request.
    pub request_id: String,
    /// Its database.
    pub database: String,
    /// Its text, without parameters.
    pub text: String,
    /// How long it ran.
    pub elapsed: Duration,
    /// How many rows it gave.
    pub rows: u64,
    /// How it runs.
    pub plan: String,
    /// How it ended: the name of a gRPC status code.
    pub outcome: String,
}

/// A statement that runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RunningQuery {
    /// What it is called while it runs.
    pub query_id: String,
    /// The id of its request.
    pub request_id: String,
    /// Its database.
    pub database: String,
    /// Its text, without parameters.
    pub text: String,
    /// How long it has been running.
    pub elapsed: Duration,
    /// The name of the token that runs it; empty without one.
    pub token_name: String,
}

/// A moment of the protocol; the last one there is, if the server's clock is beyond it.
fn moment(since_1970_ms: u64) -> SystemTime {
    let since = Duration::from_millis(since_1970_ms);
    let moment = SystemTime::UNIX_EPOCH.checked_add(since);
    moment.unwrap_or(SystemTime::UNIX_EPOCH)
}

impl Made<v1::WorkProgress> for Progress {
    fn made_of(sent: v1::WorkProgress) -> Self {
        Self {
            step: sent.step,
            done: sent.done,
            total: sent.total,
        }
    }
}

impl Made<v1::BackupDescription> for Backup {
    fn made_of(sent: v1::BackupDescription) -> Self {
        Self {
            number: sent.number,
            sequence: sent.sequence,
            taken_at: moment(sent.taken_at_ms),
            total_bytes: sent.total_bytes,
            new_bytes: sent.new_bytes,
        }
    }
}

impl Made<v1::CheckFinding> for CheckFinding {
    fn made_of(sent: v1::CheckFinding) -> Self {
        Self {
            place: sent.place,
            what: sent.what,
        }
    }
}

impl Made<v1::CheckReport> for CheckReport {
    fn made_of(sent: v1::CheckReport) -> Self {
        Self {
            sequence: sent.sequence,
            entries: sent.entries,
            findings: sent.findings.into_iter().map(Make::make).collect(),
            notes: sent.notes.into_iter().map(Make::make).collect(),
        }
    }
}

impl Made<v1::CompactReport> for CompactReport {
    fn made_of(sent: v1::CompactReport) -> Self {
        Self {
            bytes_before: sent.bytes_before,
            bytes_after: sent.bytes_after,
        }
    }
}

impl Made<v1::GetStatisticsResponse> for Statistics {
    fn made_of(sent: v1::GetStatisticsResponse) -> Self {
        let families = sent.families.into_iter().map(|family| FamilyStatistics {
            name: family.name,
            keys: family.keys,
            file_bytes: family.file_bytes,
        });
        Self {
            sequence: sent.sequence,
            durable_sequence: sent.durable_sequence,
            nodes: sent.nodes,
            relationships: sent.relationships,
            nodes_by_label: sent.nodes_by_label,
            relationships_by_type: sent.relationships_by_type,
            file_bytes: sent.file_bytes,
            memtable_bytes: sent.memtable_bytes,
            cache_bytes: sent.cache_bytes,
            pending_compaction_bytes: sent.pending_compaction_bytes,
            snapshots: sent.snapshots,
            failure: Some(sent.failure).filter(|failure| !failure.is_empty()),
            families: families.collect(),
        }
    }
}

impl Made<v1::SlowQuery> for SlowQuery {
    fn made_of(sent: v1::SlowQuery) -> Self {
        Self {
            ended_at: moment(sent.ended_at_ms),
            request_id: sent.request_id,
            database: sent.database,
            text: sent.text,
            elapsed: Duration::from_micros(sent.elapsed_us),
            rows: sent.rows,
            plan: sent.plan,
            outcome: sent.outcome,
        }
    }
}

impl Made<v1::RunningQuery> for RunningQuery {
    fn made_of(sent: v1::RunningQuery) -> Self {
        Self {
            query_id: sent.query_id,
            request_id: sent.request_id,
            database: sent.database,
            text: sent.text,
            elapsed: Duration::from_micros(sent.elapsed_us),
            token_name: sent.token_name,
        }
    }
}
