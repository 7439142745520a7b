//! What is near to the question, and what has its words.

use std::collections::HashSet;

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::index::text::Query;
use stratigraph::{Effort, NodeId, Read, TextAnswer, TextSearch, VectorSearch};

use super::{Desk, Item, RetrieveError, Scale};
use crate::build::{CHUNK_TEXTS, ENTITY_NAMES, FACT_TEXTS, Label};

/// So many domains are looked at for whether any has a summary, where none was found.
const MOST_LOOKED_AT: usize = 1000;
/// Why none was found then.
const NO_SUMMARIES: &str = "no domain has a summary yet, by which domains are found: `stratigraph summarise`, `ingest --summarise` or `CALL rag.resummarise({domains: true})` writes them, by the model or, without one, from the most central sentences";

/// What can be near to a question, or have its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layer {
    /// Pieces of documents. Those that the question is about, if it says so.
    #[default]
    Chunks,
    /// Headings.
    Sections,
    /// What headings name, each by itself.
    Instances,
    /// What documents name.
    Entities,
    /// Facts by what they say.
    Facts,
    /// Facts by what they say and by their sources.
    FactsWithSources,
    /// Summaries of domains.
    Domains,
}

impl Layer {
    fn vectors(self) -> &'static str {
        match self {
            Self::Chunks => "chunk_vectors",
            Self::Sections => "section_vectors",
            Self::Instances => "instance_vectors",
            Self::Entities => "entity_vectors",
            Self::Facts => "fact_vectors",
            Self::FactsWithSources => "fact_vectors_with_source",
            Self::Domains => "domain_summaries",
        }
    }

    /// Its full-text index, if its words are searched.
    fn texts(self) -> Option<&'static str> {
        match self {
            Self::Chunks => Some(CHUNK_TEXTS),
            Self::Entities => Some(ENTITY_NAMES),
            Self::Facts => Some(FACT_TEXTS),
            _ => None,
        }
    }

    fn is_of_facts(self) -> bool {
        matches!(self, Self::Facts | Self::FactsWithSources)
    }

    fn is_usual(&self) -> bool {
        *self == Self::default()
    }
}

/// What is nearest to the question.
///
/// ```
/// use std::sync::Arc;
/// use stratigraph::Database;
/// use stratigraph_models::Lexical;
/// use stratigraph_rag::build::Layers;
/// use stratigraph_rag::ingest::{Ingest, Recipe, System};
/// use stratigraph_rag::read::{Format, Source};
/// use stratigraph_rag::retrieve::{Desk, Layer, Question, Vector};
///
/// let db = Database::in_memory()?;
/// let recipe = Recipe::new(System::Hybrid, 256);
/// let layers = Layers::open(&db, recipe.profile(), Arc::new(Lexical::new()))?;
/// let text = "# Rocks\n\nBasalt was lava.\n\n# Rivers\n\nThey run to the sea.\n";
/// let document = Source::new("earth.md", text.as_bytes()).read(Format::Markdown);
/// Ingest::new(&layers, &recipe).run([document], &|_| ());
///
/// let (read, question) = (db.read()?, Question::new("What was basalt?")?);
/// let embedder = Lexical::new();
/// let desk = Desk::new(&read, &embedder, &question);
/// let found = Vector::new(Layer::Chunks, 1).run(&desk)?;
/// assert_eq!(found.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Vector {
    of: Layer,
    k: usize,
    /// Only what has a greater cosine, not an equal one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    above: Option<f32>,
    /// All vectors count, and the answer is the same every time.
    #[serde(default)]
    exact: bool,
    /// As many again of the chunks that the question means by the properties that it names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    narrowed: bool,
}

impl Vector {
    /// The `k` nearest of a layer.
    pub fn new(of: Layer, k: usize) -> Self {
        Self {
            of,
            k,
            above: None,
            exact: false,
            narrowed: false,
        }
    }

    /// Only what has a greater cosine than this.
    pub fn above(mut self, cosine: f32) -> Self {
        self.above = Some(cosine);
        self
    }

    /// Misses nothing.
    pub fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Also as many of the chunks that the question means by the [properties that it names](super::Narrow).
    pub fn narrowed(mut self) -> Self {
        self.narrowed = true;
        self
    }

    /// Searches.
    ///
    /// # Errors
    /// See [`RetrieveError`]; [`stratigraph::Error::UnknownName`] where the profile has no such layer.
    pub fn run<R: Read>(&self, desk: &Desk<'_, R>) -> Result<Vec<Item>, RetrieveError> {
        self.near(desk, desk.vector()?)
    }

    /// The same with another vector than the question's.
    pub(super) fn near<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        vector: &[f32],
    ) -> Result<Vec<Item>, RetrieveError> {
        if self.of != Layer::Chunks {
            return self.near_in_the_graph(desk, vector);
        }
        let found = self.near_among(desk, vector, self.k, desk.allowed()?)?;
        if self.narrowed
            && let Some(meant) = desk.meant()?
        {
            let more = self.near_among(desk, vector, self.k, Some(meant))?;
            return Ok(merged(found, more));
        }
        Ok(found)
    }

    /// Of things that have no metadata of their own.
    fn near_in_the_graph<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        vector: &[f32],
    ) -> Result<Vec<Item>, RetrieveError> {
        if self.of.is_of_facts()
            && let Some(facts) = desk.chosen_facts()?
        {
            return self.near_among(desk, vector, self.k, Some(facts));
        }
        desk.enough_allowed(self.k, |k| self.near_among(desk, vector, k, None))
    }

    /// Why it has found nothing, where that may say nothing of the question: all is below `above`; domains are found by their
    /// summaries, and none has one.
    pub(super) fn why_nothing<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        found: &[Item],
    ) -> Result<Option<String>, RetrieveError> {
        if !found.is_empty() {
            return Ok(None);
        }
        let below = self.why_none_is_above(desk, [desk.vector()?])?;
        if below.is_some() || self.of != Layer::Domains {
            return Ok(below);
        }
        let domains = desk.read().nodes_with_label(Label::DomainTag.name())?;
        if domains.len() > MOST_LOOKED_AT as u64 {
            return Ok(None);
        }
        for domain in &domains {
            let domain = NodeId::new(domain);
            if !desk.read().property(domain, "summary_inputs")?.is_null() {
                return Ok(None);
            }
        }
        Ok((!domains.is_empty()).then(|| NO_SUMMARIES.to_owned()))
    }

    /// Why nothing is near enough to any of these vectors, if there is something: how near that is.
    pub(super) fn why_none_is_above<'v, R: Read>(
        &self,
        desk: &Desk<'_, R>,
        vectors: impl IntoIterator<Item = &'v [f32]>,
    ) -> Result<Option<String>, RetrieveError> {
        let Some(above) = self.above else {
            return Ok(None);
        };
        let all = Self {
            k: 1,
            above: None,
            ..*self
        };
        let mut nearest: Option<f32> = None;
        for vector in vectors {
            let found = all.near(desk, vector)?;
            let near = found.first().map(|item| item.score.value);
            nearest = near.into_iter().chain(nearest).reduce(f32::max);
        }
        Ok(nearest.map(|nearest| not_above(nearest, Scale::Cosine, above)))
    }

    fn near_among<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        vector: &[f32],
        k: usize,
        among: Option<&RoaringTreemap>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let mut search = VectorSearch::new(vector, k);
        if self.exact {
            search = search.effort(Effort::Proven);
        }
        if let Some(cosine) = self.above {
            search = search.threshold(cosine);
        }
        if let Some(among) = among {
            search = search.among(among);
        }
        let answer = desk.search_vectors(self.of.vectors(), &search)?;
        let hits = answer.hits.iter();
        let hits = hits.filter(|hit| self.above.is_none_or(|cosine| hit.score > cosine));
        Ok(hits
            .map(|hit| Item::found(hit.entity, Scale::Cosine.score(hit.score)))
            .collect())
    }
}

/// What has the question's words: chunks in their headings and texts, entities in their names, facts in what they state and in
/// their sources.
///
/// ```
/// use stratigraph_rag::retrieve::{Bm25, Layer};
///
/// let facts = Bm25::new(50).of(Layer::Facts);
/// assert_eq!(facts, serde_json::from_str(r#"{"of": "facts", "k": 50}"#).unwrap());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Bm25 {
    #[serde(default, skip_serializing_if = "Layer::is_usual")]
    of: Layer,
    k: usize,
    /// As many again of the chunks that the question means by the properties that it names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    narrowed: bool,
}

impl Bm25 {
    /// The `k` best chunks.
    pub fn new(k: usize) -> Self {
        Self {
            of: Layer::Chunks,
            k,
            narrowed: false,
        }
    }

    /// Those of another layer.
    pub fn of(mut self, layer: Layer) -> Self {
        self.of = layer;
        self
    }

    /// Also as many of the chunks that the question means by the [properties that it names](super::Narrow).
    pub fn narrowed(mut self) -> Self {
        self.narrowed = true;
        self
    }

    /// Searches. The question's words are words: no sign of it is an instruction to the search.
    ///
    /// # Errors
    /// See [`RetrieveError`]; [`stratigraph::Error::UnknownName`] where the profile has no such layer.
    pub fn run<R: Read>(&self, desk: &Desk<'_, R>) -> Result<Vec<Item>, RetrieveError> {
        let (found, answer) = self.having(desk, desk.text())?;
        if self.of == Layer::Chunks {
            desk.has_counted(answer);
        }
        Ok(found)
    }

    /// The same with another text than the question, and what the search has said of its words.
    pub(super) fn having<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        text: &str,
    ) -> Result<(Vec<Item>, TextAnswer), RetrieveError> {
        let index = self.of.texts().ok_or_else(|| RetrieveError::Setting {
            operator: "bm25",
            reason: "words are searched `of` chunks, entities or facts".to_owned(),
        })?;
        let search = |k: usize, among: Option<&RoaringTreemap>| {
            let mut search = TextSearch::of(Query::term(text), k);
            if let Some(among) = among {
                search = search.among(among);
            }
            let answer = desk.read().search_text(index, &search)?;
            let hits = answer.hits.iter();
            let found = hits.map(|hit| Item::found(hit.entity, Scale::Bm25.score(hit.score)));
            Ok::<_, RetrieveError>((found.collect::<Vec<_>>(), answer))
        };
        if self.of.is_of_facts()
            && let Some(facts) = desk.chosen_facts()?
        {
            return search(self.k, Some(facts));
        }
        if self.of != Layer::Chunks {
            let (found, answer) = search(self.k, None)?;
            let mut first = Some(found);
            let found = desk.enough_allowed(self.k, |k| match first.take() {
                Some(found) => Ok(found),
                None => Ok(search(k, None)?.0),
            })?;
            return Ok((found, answer));
        }
        let (mut found, answer) = search(self.k, desk.allowed()?)?;
        if self.narrowed
            && let Some(meant) = desk.meant()?
        {
            found = merged(found, search(self.k, Some(meant))?.0);
        }
        Ok((found, answer))
    }
}

/// Why nothing is left of what was found, of which this is the best: a bound that is right for one embedder leaves nothing of
/// what another one finds.
pub(super) fn not_above(best: f32, scale: Scale, above: f32) -> String {
    let scale = scale.name();
    format!(
        "the best has {best:.3} ({scale}), and `above` is {above}, which is for another embedder or question"
    )
}

/// What two searches of one index have found, each once, the best first.
fn merged(mut found: Vec<Item>, more: Vec<Item>) -> Vec<Item> {
    let known: HashSet<Entity> = found.iter().map(|item| item.entity).collect();
    found.extend(
        more.into_iter()
            .filter(|item| !known.contains(&item.entity)),
    );
    found.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
    found
}
