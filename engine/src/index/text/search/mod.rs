//! Searching: the best k of a snapshot for a query.
//!
//! ```text
//! statistics (1 read) -> segments (cached) -> plan -> each term's list in each segment -> df, idf -> walk
//! ```
//! [`TextReader::open`] reads what the snapshot knows, [`TextReader::search`] answers queries from it. Words only are
//! walked in windows (`window.rs`), everything else document by document (`node.rs`); a filter that allows few
//! leads the walk itself. Which way is taken changes what is read, never what is found.

mod accept;
mod answer;
mod build;
pub(super) mod cursor;
mod expand;
mod located;
mod node;
pub(super) mod score;
mod top;
mod window;

use super::cache::TextCache;
use super::keys::DocumentsKey;
use super::query::plan::{Plan, Planned, Prefix, plan};
use super::query::{Query, QueryLimits};
use super::segment::view::{Reader, SegmentView, damaged, damaged_postings, statistics};
use super::statistics::Statistics;
use super::write::StoredDocument;
use super::{OwnerId, TermCount, TextIndex};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use accept::{Accept, Owners, lead, walk};
pub use answer::{Found, Hit, SearchOptions, Work};
use build::Build;
use cursor::Steps;
use expand::Expanded;
use located::Located;
use roaring::RoaringTreemap;
use score::Lengths;
use top::Top;
use window::Sums;

/// Reading an allowed owner's document costs as much as scoring so many postings.
const POSTINGS_PER_OWNER: u64 = 500;
/// More allowed owners than this never lead the walk.
const MAX_LEADING: u64 = 4096;

/// An index as one transaction sees it.
pub struct TextReader<'a, K> {
    index: &'a TextIndex,
    reader: Reader<'a, K>,
    statistics: Statistics,
    /// The longest first: they raise the threshold for the others.
    segments: Vec<SegmentView>,
}

impl<'a, K: KeyRead> TextReader<'a, K> {
    /// Reads what the transaction knows of the index. In a write transaction the writer has to be settled before.
    ///
    /// # Errors
    /// Damage in what is stored.
    pub fn open(keys: &'a K, index: &'a TextIndex, cache: &'a TextCache) -> Result<Self> {
        let statistics = statistics(keys, index.id())?;
        let reader = Reader {
            keys,
            index: index.id(),
            cache,
        };
        let views = statistics
            .segments
            .iter()
            .map(|record| reader.view(*record));
        let mut segments = views.collect::<Result<Vec<_>>>()?;
        segments.sort_by_key(|segment| std::cmp::Reverse(segment.record.span));
        Ok(Self {
            index,
            reader,
            statistics,
            segments,
        })
    }

    /// How many documents there are.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.statistics.live
    }

    /// In how many segments they lie.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// The best hits of a query.
    ///
    /// # Errors
    /// [`Error::TooMany`] and the like for a query beyond [`QueryLimits::DEFAULT`], damage in
    /// what is stored, [`Error::Cancelled`].
    pub fn search(&self, query: &Query, options: &SearchOptions<'_>) -> Result<Found> {
        query.check(QueryLimits::DEFAULT)?;
        if options.min_score.is_nan() {
            return Err(Error::BadDeclaration {
                what: "text search",
                reason: "a threshold is a number",
            });
        }
        if options.k == 0 || self.statistics.live == 0 {
            return Ok(Found::default());
        }
        let analysis = self.index.settings().analysis();
        let planned = plan(query, analysis, QueryLimits::DEFAULT)?;
        let Planned {
            plan,
            terms,
            prefixes,
        } = planned;
        let mut work = Work {
            segments: self.segments.len() as u64,
            ..Work::default()
        };
        let mut run = Run {
            search: self,
            lengths: Lengths::new(self.index.settings(), &self.statistics),
            located: Vec::with_capacity(self.segments.len()),
            counted: vec![0; terms.len()],
            uses: vec![0; terms.len()],
            expanded: Vec::new(),
        };
        run.locate(&terms)?;
        run.expand(&prefixes, &mut work)?;
        let most = run.prepare(&plan);
        run.lengths.expect_at_most(most);
        let mut top = Top::new(options.k, options.min_score);
        let leading = self.leading(options.among, &run)?;
        let mut sums = Sums::default();
        let owners = options.among.filter(|_| leading.is_none());
        let owners = owners.map(|owners| Owners::of(owners, run.postings()));
        // Where nothing may be found the counts are all that is asked for.
        let nothing = leading.as_ref().is_some_and(Vec::is_empty);
        let walked = if nothing { 0 } else { self.segments.len() };
        for at in 0..walked {
            let mut accept = Accept {
                top: &mut top,
                among: owners.as_ref(),
            };
            run.segment(
                at,
                &plan,
                leading.as_deref(),
                &mut sums,
                &mut accept,
                &mut work,
            )?;
        }
        let hits = top.finish().map(|(owner, score)| Hit {
            owner,
            score: score as f32,
        });
        let counted = terms.into_iter().zip(&run.counted);
        let terms = counted.map(|(term, count)| TermCount {
            term: String::from_utf8_lossy(&term).into_owned(),
            documents: count.unsigned_abs(),
        });
        Ok(Found {
            hits: hits.collect(),
            documents: self.statistics.live,
            terms: terms.collect(),
            work,
        })
    }

    /// The documents of the owners that may be found, if they are so few that it is better to walk over them.
    fn leading(
        &self,
        among: Option<&RoaringTreemap>,
        run: &Run<'_, K>,
    ) -> Result<Option<Vec<u32>>> {
        let Some(owners) = among else {
            return Ok(None);
        };
        let count = owners.len();
        if count > MAX_LEADING || count * POSTINGS_PER_OWNER > run.postings() {
            return Ok(None);
        }
        let mut documents = Vec::with_capacity(count as usize);
        for owner in owners {
            let key = DocumentsKey::Document(OwnerId::new(owner)).encode(self.index.id());
            let number = self.reader.keys.get_with(
                Family::TextDocuments,
                &key,
                StoredDocument::decode_number,
            )?;
            documents.extend(number.transpose().map_err(damaged)?);
        }
        documents.sort_unstable();
        Ok(Some(documents))
    }
}

/// One search while it runs.
struct Run<'s, K> {
    search: &'s TextReader<'s, K>,
    lengths: Lengths,
    /// By segment and term.
    located: Vec<Vec<Option<Located>>>,
    /// How many live documents each term has.
    counted: Vec<i64>,
    /// How often the plan names each term.
    uses: Vec<u32>,
    /// The prefixes of the plan.
    expanded: Vec<Expanded>,
}

impl<'s, K: KeyRead> Run<'s, K> {
    /// Finds every term in every segment, and counts its documents.
    fn locate(&mut self, terms: &[Vec<u8>]) -> Result<()> {
        for segment in &self.search.segments {
            let mut located = Vec::with_capacity(terms.len());
            for (term, counted) in terms.iter().zip(&mut self.counted) {
                let found = Located::find(&self.search.reader, segment, term)?;
                *counted += found.as_ref().map_or(0, |found| found.list().counted());
                located.push(found);
            }
            self.located.push(located);
        }
        if self.counted.iter().any(|counted| *counted < 0) {
            return Err(damaged_postings(CodecError::NotCanonical {
                what: "count of documents",
                at: 0,
            }));
        }
        Ok(())
    }

    /// How many postings all terms have.
    fn postings(&self) -> u64 {
        self.counted.iter().sum::<i64>().max(0).unsigned_abs()
    }

    /// Finds the terms of prefixes.
    fn expand(&mut self, prefixes: &[Prefix], work: &mut Work) -> Result<()> {
        let mut room = expand::MAX_TERMS_OF_ALL;
        for prefix in prefixes {
            let segments = &self.search.segments;
            let expanded = expand::expand(&self.search.reader, segments, prefix, room)?;
            room = room.saturating_sub(expanded.terms.len());
            work.prefixes_cut += u64::from(expanded.is_cut);
            self.expanded.push(expanded);
        }
        Ok(())
    }

    /// Counts how often each term is named; returns what the plan scores at most.
    fn prepare(&mut self, plan: &Plan) -> f64 {
        match plan {
            Plan::Nothing => 0.0,
            Plan::Term(term, boost) => self.name(*term, *boost),
            Plan::Phrase { terms, boost } => {
                let terms = terms.iter();
                terms.map(|(term, _)| self.name(*term, *boost)).sum()
            }
            Plan::Any(parts) => parts.iter().map(|part| self.prepare(part)).sum(),
            Plan::All { must, should, not } => {
                let parts = must.iter().chain(should).chain(not);
                parts.map(|part| self.prepare(part)).sum()
            }
            Plan::Prefix(_, boost) => f64::from(*boost),
        }
    }

    fn name(&mut self, term: usize, boost: f32) -> f64 {
        if let Some(uses) = self.uses.get_mut(term) {
            *uses += 1;
        }
        f64::from(self.weight(term, boost))
    }

    /// What a term scores at most.
    fn weight(&self, term: usize, boost: f32) -> f32 {
        let counted = self.counted.get(term).copied().unwrap_or_default();
        let live = self.search.statistics.live;
        self.lengths.weight(live, counted.unsigned_abs(), boost)
    }

    /// Searches one segment.
    fn segment(
        &mut self,
        at: usize,
        plan: &Plan,
        leading: Option<&[u32]>,
        sums: &mut Sums,
        accept: &mut Accept<'_>,
        work: &mut Work,
    ) -> Result<()> {
        let Some(segment) = self.search.segments.get(at) else {
            return Ok(());
        };
        let mut located = self
            .located
            .get_mut(at)
            .map(std::mem::take)
            .unwrap_or_default();
        let mut uses = self.uses.clone();
        let mut build = Build {
            run: self,
            segment,
            located: &mut located,
            uses: &mut uses,
            listed: vec![None; self.expanded.len()],
        };
        let mut steps = Steps::default();
        if leading.is_none()
            && let Some(mut cursors) = build.words(plan)?
        {
            window::search(segment, &mut cursors, &self.lengths, sums, accept, work)?;
            for cursor in &cursors {
                steps.blocks += cursor.steps.blocks;
                steps.postings += cursor.steps.postings;
                work.postings_of_terms += cursor.postings();
            }
        } else {
            let mut node = build.node(plan)?;
            match leading {
                Some(documents) => {
                    lead(segment, documents, &mut node, &self.lengths, accept, work)?;
                }
                None => {
                    let keys = self.search.reader.keys;
                    walk(keys, segment, &mut node, &self.lengths, accept, work)?;
                }
            }
            node.count(&mut steps, &mut work.postings_of_terms);
        }
        work.blocks += steps.blocks;
        work.postings += steps.postings;
        Ok(())
    }
}
