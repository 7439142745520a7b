//! From the headings of documents down to the lowest that are about the question: `BAG-RAG`'s descent.
//!
//! A level is one search among the ids of its candidates, and recovery one more among the rest of the level. Both ask
//! the index of headings, so that a level of a hundred thousand costs a walk through that index and not as many
//! distances. (StratQL's `TRAVERSE` says the same of any graph; it compares all that a level has.)

mod found;
mod words;

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::{Direction, Effort, NodeId, Read, VectorSearch};

use super::{Desk, Item, Judge, RetrieveError, Scale, is_nought};
use crate::build::{Label, LinkKind, OUTLINE};
use crate::extract::Cost;
use found::Found;
use words::Said;

/// The headings that are about the question, level by level: those of the first level, then of each level what lies
/// in the kept of the one before, and what recovery takes of the rest of the level. What is kept on any level is given,
/// the nearest first.
///
/// ```
/// use stratigraph_rag::retrieve::Descend;
///
/// let descend = Descend::above(0.4).recover(3).recover_above(0.6);
/// let written = serde_json::to_string(&descend).unwrap();
/// assert_eq!(written, r#"{"above":0.4,"recover":3,"recover_above":0.6,"exact":false}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Descend {
    /// Only what has a greater cosine: the paper's tau.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    above: Option<f32>,
    /// At most so many of a level's candidates, the nearest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keep: Option<usize>,
    /// At most so many of the rest of each level.
    #[serde(default)]
    recover: usize,
    /// Only those of the rest that have a greater cosine than this; than `above` if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recover_above: Option<f32>,
    /// So many levels of headings count. What lies deeper belongs to the heading above it and is kept with it; without
    /// any level everything is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    levels: Option<u32>,
    /// How much it counts, beside the cosine of a heading, that what lies under it has the words of the question: so much
    /// for what lies under which the best chunk is.
    #[serde(default, skip_serializing_if = "is_nought")]
    words: f32,
    /// Whether a model says of what is near on each level which of it is about the question: the paper's relevance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    judged: bool,
    /// No near one is missed, and the answer is the same every time.
    #[serde(default)]
    exact: bool,
}

/// So many are kept on a level if nothing else is said, and given altogether of what lies below the last one.
const MOST: usize = 10_000;
/// How a way says that a section was found although what it lies in was not kept.
const RECOVERED: &str = "recovered";

/// What was kept, and what each level did for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Descent {
    /// What was kept, the nearest first. The way of each leads from its document, or from where it was recovered: that
    /// step is called `recovered`.
    pub items: Vec<Item>,
    /// Level by level.
    pub levels: Vec<DescentLevel>,
}

/// What became of the candidates of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DescentLevel {
    /// Which one: 1 has the first headings.
    pub level: u32,
    /// The sections in what was kept before.
    pub candidates: u64,
    /// How many of them were kept.
    pub kept: u64,
    /// How many were not.
    pub cut: u64,
    /// How many were taken of the rest of the level.
    pub recovered: u64,
    /// How many vectors, or codes of them, were compared.
    pub distances: u64,
}

impl Descend {
    /// Keeps what has a greater cosine than this.
    pub fn above(cosine: f32) -> Self {
        Self {
            above: Some(cosine),
            keep: None,
            recover: 0,
            recover_above: None,
            levels: None,
            words: 0.0,
            judged: false,
            exact: false,
        }
    }

    /// Keeps the so many nearest of each level.
    pub fn nearest(keep: usize) -> Self {
        Self {
            above: None,
            keep: Some(keep),
            ..Self::above(0.0)
        }
    }

    /// At most so many of a level.
    pub fn keep(mut self, keep: usize) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Takes so many of the rest of each level.
    pub fn recover(mut self, most: usize) -> Self {
        self.recover = most;
        self
    }

    /// Takes of the rest only what has a greater cosine than this.
    pub fn recover_above(mut self, cosine: f32) -> Self {
        self.recover_above = Some(cosine);
        self
    }

    /// As if there were no deeper headings than these.
    pub fn levels(mut self, levels: u32) -> Self {
        self.levels = Some(levels);
        self
    }

    /// Counts the words of the question in what lies under a heading, with this weight.
    pub fn words(mut self, weight: f32) -> Self {
        self.words = weight;
        self
    }

    /// Has a model say which of what is near on each level is about the question. It is asked of as many as would be kept
    /// and recovered without it.
    pub fn judged(mut self) -> Self {
        self.judged = true;
        self
    }

    pub(crate) fn is_judged(&self) -> bool {
        self.judged
    }

    /// Misses nothing.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Descends.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(&self, desk: &Desk<'_, R>) -> Result<Vec<Item>, RetrieveError> {
        Ok(self.run_traced(desk)?.items)
    }

    /// Descends, and says what each level did.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run_traced<R: Read>(&self, desk: &Desk<'_, R>) -> Result<Descent, RetrieveError> {
        Ok(self.run_as_set(desk, false)?.0)
    }

    /// Descends, and has a model judge each level if it is set to, with what that was paid. Without a model that is an
    /// error, unless there `may_be_nobody`: then what is near is kept.
    pub(super) fn run_as_set<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        may_be_nobody: bool,
    ) -> Result<(Descent, Option<Cost>), RetrieveError> {
        if self.judged && self.keep.is_none() {
            return Err(RetrieveError::Setting {
                operator: "descend",
                reason: "`judged` needs `keep`: a model is asked of so many a level".to_owned(),
            });
        }
        let relevance = match desk.relevance("descend") {
            Ok(relevance) if self.judged => relevance,
            Err(error) if self.judged && !may_be_nobody => return Err(error),
            _ => return Ok((self.run_judged(desk, &mut Ok)?, None)),
        };
        // All that is near is asked of: `keep` and `recover` say how much that is.
        let (judge, mut cost) = (Judge::new(usize::MAX), Cost::default());
        let descent = self.run_judged(desk, &mut |near: Vec<Item>| {
            let (kept, paid) = judge.run(desk, relevance, near)?;
            cost += paid;
            Ok(kept)
        })?;
        Ok((descent, Some(cost)))
    }

    /// Descends, and asks of what is near on each level which of it to keep: `BAG-RAG` asks a model. What is near is
    /// what would be kept if nobody was asked, so `keep` and `recover` say about how many.
    ///
    /// # Errors
    /// See [`RetrieveError`]; what the judge says.
    pub fn run_judged<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        judge: &mut dyn FnMut(Vec<Item>) -> Result<Vec<Item>, RetrieveError>,
    ) -> Result<Descent, RetrieveError> {
        if self.above.is_none() && self.keep.is_none() {
            return Err(RetrieveError::Setting {
                operator: "descend",
                reason: "it needs `above`, a cosine, or `keep`, a number of each level".to_owned(),
            });
        }
        let read = desk.read();
        let outline = read.hierarchy(OUTLINE)?;
        let mut sections = read.nodes_with_label(Label::Section.name())?;
        let about = match desk.allowed()? {
            Some(chunks) => Some(what_has(read, chunks)?),
            None => None,
        };
        if let Some(about) = &about {
            sections &= about;
        }
        let deepest = outline.depth()?.saturating_sub(1);
        let last = self.levels.unwrap_or(deepest).min(deepest);
        let said = Said::of(desk, &sections, self.words)?;
        let mut found = Found::default();
        for level in 1..=last {
            let rest = match level == 1 || self.recover > 0 {
                true => outline.members(level)? & &sections,
                false => RoaringTreemap::new(),
            };
            let candidates = match level {
                1 => rest.clone(),
                _ => children(read, &found.edge)? & &sections,
            };
            // Headings lie in headings: where none are, there are none below.
            if candidates.is_empty() && rest.is_empty() {
                break;
            }
            let level = Level {
                level,
                candidates,
                rest,
            };
            self.descend_to(level, desk, &said, judge, &mut found)?;
        }
        if self.levels == Some(0) {
            let documents = read.nodes_with_label(Label::Document.name())?;
            let documents = about.map_or(documents.clone(), |about| documents & about);
            for document in documents.iter().take(MOST) {
                let none = Scale::Cosine.score(0.0);
                found.add(NodeId::new(document).into(), None, "", none);
            }
        }
        if last < deepest {
            found.all_below(read, &sections)?;
        }
        // They have no cosine, so none that is above a bound.
        if self.levels != Some(0) && self.above.is_none() {
            for document in judge(said.bare(self.keep.unwrap_or(MOST)))? {
                found.add(document.entity, None, "", document.score);
            }
        }
        Ok(found.descent())
    }

    /// Descends to a level: keeps what is near of its candidates, and recovers what is near of its rest, as far as the
    /// judge says yes to it.
    fn descend_to<R: Read>(
        &self,
        level: Level,
        desk: &Desk<'_, R>,
        said: &Said,
        judge: &mut dyn FnMut(Vec<Item>) -> Result<Vec<Item>, RetrieveError>,
        found: &mut Found,
    ) -> Result<(), RetrieveError> {
        let Level {
            level,
            candidates,
            mut rest,
        } = level;
        let mut trace = DescentLevel {
            level,
            candidates: candidates.len(),
            ..DescentLevel::default()
        };
        let most = self.keep.unwrap_or(MOST);
        let near = self.search(desk, (&candidates, said), (self.above, most), &mut trace)?;
        // What is said no to is not overlooked: nobody is asked of it again.
        rest -= near
            .iter()
            .map(|item| item.entity.number())
            .collect::<RoaringTreemap>();
        let kept = judge(near)?;
        let bound = self.recover_above.or(self.above);
        let recovered = self.search(desk, (&rest, said), (bound, self.recover), &mut trace)?;
        let recovered = judge(recovered)?;
        trace.kept = kept.len() as u64;
        trace.cut = trace.candidates - trace.kept;
        trace.recovered = recovered.len() as u64;
        found.add_level(desk.read(), kept, recovered)?;
        found.levels.push(trace);
        Ok(())
    }

    /// The nearest of these; those that are not far enough above the bound are not among them.
    fn search<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        (among, said): (&RoaringTreemap, &Said),
        (above, most): (Option<f32>, usize),
        trace: &mut DescentLevel,
    ) -> Result<Vec<Item>, RetrieveError> {
        let most = most.min(usize::try_from(among.len()).unwrap_or(usize::MAX));
        if most == 0 {
            return Ok(Vec::new());
        }
        let mut search = VectorSearch::new(desk.vector()?, most).among(among);
        if self.exact {
            search = search.effort(Effort::Proven);
        }
        if let Some(cosine) = above {
            search = search.threshold(cosine);
        }
        let answer = desk.search_vectors("section_vectors", &search)?;
        trace.distances += answer.compared;
        let hits = answer.hits.iter();
        let hits = hits.filter(|hit| above.is_none_or(|cosine| hit.score > cosine));
        let near = hits.map(|hit| Item::found(hit.entity, Scale::Cosine.score(hit.score)));
        said.join(desk, (near.collect(), among), (above, most))
    }
}

/// What there is to keep on a level.
struct Level {
    /// Which one: 1 has the first headings.
    level: u32,
    /// The sections in what was kept before.
    candidates: RoaringTreemap,
    /// Those that recovery takes from, with the candidates among them; none if nothing is to be recovered.
    rest: RoaringTreemap,
}

/// Each of these with each that it lies in.
fn parents<R: Read>(read: &R, of: &RoaringTreemap) -> Result<Vec<(NodeId, NodeId)>, RetrieveError> {
    Ok(read.neighbour_pairs(of, Direction::Incoming, Some(LinkKind::HasChild.name()))?)
}

fn children<R: Read>(read: &R, of: &RoaringTreemap) -> Result<RoaringTreemap, RetrieveError> {
    Ok(read.neighbour_set(of, Direction::Outgoing, Some(LinkKind::HasChild.name()))?)
}

/// All that any of these chunks lies in.
fn what_has<R: Read>(read: &R, chunks: &RoaringTreemap) -> Result<RoaringTreemap, RetrieveError> {
    let mut all = RoaringTreemap::new();
    let mut edge = chunks.clone();
    while !edge.is_empty() {
        edge = read.neighbour_set(&edge, Direction::Incoming, Some(LinkKind::HasChild.name()))?;
        edge -= &all;
        all |= &edge;
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
