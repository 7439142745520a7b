//! Our index, as somebody who embeds it would use it.

use super::set::TextSet;
use crate::measure::cpu_time::CpuTime;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stratigraph::Database;
use stratigraph::catalog::{NameId, PropertyId};
use stratigraph::index::text::{
    Analysis, OwnerId, Query, SearchOptions, TextCache, TextField, TextIndex, TextReader,
    TextSettings, TextWriter, Weight,
};

pub(super) struct Ours {
    db: Database,
    dir: PathBuf,
    index: TextIndex,
    cache: TextCache,
}

impl Ours {
    /// Builds the index, a commit for each portion; how many seconds it took.
    pub(super) fn build(dir: &Path, set: &TextSet, portion: usize) -> Result<(f64, Self)> {
        let property = PropertyId::from_number(0);
        let fields = vec![TextField {
            property,
            weight: Weight::ONE,
        }];
        let index = TextIndex::numbered(1, TextSettings::new(fields, Analysis::English)?);
        let begun = Instant::now();
        let db = Database::create(dir)?;
        for (at, texts) in set.texts.chunks(portion).enumerate() {
            let mut txn = db.key_write()?;
            let mut writer = TextWriter::new(index.clone());
            for (text, owner) in texts.iter().zip((at * portion) as u64..) {
                writer.set(OwnerId::new(owner), [(property, text.as_str())]);
            }
            writer.settle(&mut txn)?;
            txn.commit()?;
        }
        let seconds = begun.elapsed().as_secs_f64();
        Ok((
            seconds,
            Self {
                db,
                dir: dir.to_path_buf(),
                index,
                cache: TextCache::default(),
            },
        ))
    }

    /// Answers every question; how many seconds of processor time it took.
    pub(super) fn search(&self, questions: &[String], k: usize) -> Result<(f64, Vec<Vec<u64>>)> {
        let mut found = Vec::with_capacity(questions.len());
        let begun = CpuTime::now();
        for question in questions {
            // A snapshot for each, as each question of a server has.
            let read = self.db.key_read()?;
            let search = TextReader::open(&read, &self.index, &self.cache)?;
            let hits = search
                .search(&Query::term(question.as_str()), &SearchOptions::top(k))?
                .hits;
            found.push(hits.iter().map(|hit| hit.owner.get()).collect());
        }
        Ok((begun.elapsed().as_secs_f64(), found))
    }

    pub(super) fn postings_per_question(&self, questions: &[String]) -> Result<f64> {
        let read = self.db.key_read()?;
        let search = TextReader::open(&read, &self.index, &self.cache)?;
        let mut postings = 0;
        for question in questions {
            postings += search
                .search(&Query::term(question.as_str()), &SearchOptions::top(10))?
                .work
                .postings;
        }
        Ok(postings as f64 / questions.len().max(1) as f64)
    }

    /// How many bytes its files have, the log included.
    pub(super) fn bytes(&self) -> Result<u64> {
        super::peer::folder_bytes(&self.dir)
    }
}
