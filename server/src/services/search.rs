//! `SearchService`.

use super::Answer;
use crate::caller::Caller;
use crate::convert;
use crate::databases::OpenDatabase;
use crate::failure::Failure;
use crate::recall::Sample;
use crate::shared::Shared;
use crate::work::Reading;
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph::graph::Entity;
use stratigraph::{Effort, Read, ReadTxn, TextSearch, Value, Vector, VectorSearch};
use stratigraph_proto::v1;
use stratigraph_proto::v1::search_query::Kind;
use stratigraph_proto::v1::search_service_server::SearchService;
use stratigraph_proto::v1::vector_query::Effort as AskedEffort;
use tonic::{Request, Response};

/// `SearchService`.
pub(crate) struct Search(pub(crate) Arc<Shared>);

/// The most candidates that a walk may keep.
const MAX_BREADTH: u32 = 100_000;
/// The most properties that may come with each hit.
const MAX_PROPERTIES: usize = 64;
/// The longest text that is looked for.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// A search that was looked at.
enum Wanted {
    Vectors {
        index: String,
        vector: Vector,
        k: usize,
        effort: Option<Effort>,
        threshold: Option<f32>,
        label: String,
        equal: Vec<(String, Value)>,
    },
    Text {
        index: String,
        text: String,
        k: usize,
        threshold: Option<f32>,
        label: String,
    },
}

impl Search {
    fn count(&self, k: u32, field: &str) -> Result<usize, Failure> {
        let most = self.0.config.max_search_results;
        if (1..=most).contains(&k) {
            return Ok(k as usize);
        }
        Err(Failure::request(
            field,
            format!("must lie between 1 and {most}"),
        ))
    }

    fn vectors(&self, asked: Option<v1::VectorQuery>) -> Result<Wanted, Failure> {
        let asked = asked.ok_or_else(|| Failure::request("query", "is needed"))?;
        let effort = match asked.effort {
            None => None,
            Some(AskedEffort::Breadth(breadth)) if (1..=MAX_BREADTH).contains(&breadth) => {
                Some(Effort::Breadth(breadth as usize))
            }
            Some(AskedEffort::Recall(recall)) if recall > 0.0 && recall <= 1.0 => {
                Some(Effort::Recall(recall))
            }
            Some(AskedEffort::Exact(true)) => Some(Effort::Exact),
            Some(AskedEffort::Exact(false)) => None,
            Some(AskedEffort::Breadth(_)) => {
                return Err(Failure::request(
                    "query.breadth",
                    format!("must lie between 1 and {MAX_BREADTH}"),
                ));
            }
            Some(AskedEffort::Recall(_)) => {
                return Err(Failure::request(
                    "query.recall",
                    "must be above 0 and at most 1",
                ));
            }
        };
        let equal = asked.equal.into_iter().map(|(name, value)| {
            let value = convert::value_in(value, &format!("query.equal[{name}]"))?;
            Ok((name, value))
        });
        Ok(Wanted::Vectors {
            index: asked.index,
            vector: convert::vector(asked.vector, "query.vector")?,
            k: self.count(asked.k, "query.k")?,
            effort,
            threshold: asked.threshold,
            label: asked.label,
            equal: equal.collect::<Result<_, Failure>>()?,
        })
    }

    fn text(&self, asked: Option<v1::TextQuery>) -> Result<Wanted, Failure> {
        let asked = asked.ok_or_else(|| Failure::request("query", "is needed"))?;
        if asked.text.len() > MAX_TEXT_BYTES {
            return Err(Failure::request(
                "query.text",
                format!("must have at most {MAX_TEXT_BYTES} bytes"),
            ));
        }
        Ok(Wanted::Text {
            index: asked.index,
            text: asked.text,
            k: self.count(asked.k, "query.k")?,
            threshold: asked.threshold,
            label: asked.label,
        })
    }

    /// Makes searches over one snapshot; their answers, and the commit.
    async fn answers(
        &self,
        caller: Caller,
        database: Arc<OpenDatabase>,
        wanted: Vec<Wanted>,
        properties: Vec<String>,
    ) -> Result<Found, Failure> {
        if properties.len() > MAX_PROPERTIES {
            return Err(Failure::request(
                "return_properties",
                format!("at most {MAX_PROPERTIES}"),
            ));
        }
        let shown: Vec<String> = wanted.iter().map(Wanted::shown).collect();
        let reading = Reading::new(&self.0, (caller, database), "search", shown.join("\n"))?;
        let found = reading.run(move |reading| find(reading, &wanted, &properties));
        found.await
    }
}

/// The properties that come with the hits of a request.
struct Returned<'n> {
    names: &'n [String],
    /// What those of all hits so far take.
    bytes: usize,
    most_bytes: usize,
}

/// Something that was found, and how well it fits.
type Scored = (Entity, f32);

/// What is found in one snapshot, with its commit.
type Found = (Vec<v1::SearchAnswer>, u64);

fn find(
    reading: &Reading,
    wanted: &[Wanted],
    properties: &[String],
) -> Result<(Found, u64), Failure> {
    let read = reading.read()?;
    let shared = &reading.shared;
    let mut returned = Returned {
        names: properties,
        bytes: 0,
        most_bytes: shared.config.max_response_size.bytes(),
    };
    let mut hits = 0;
    let mut answers = Vec::with_capacity(wanted.len());
    for one in wanted {
        reading.check()?;
        let answer = one.answer(&read, &mut returned)?;
        if let Some(sample) = one.sample(&answer)
            && shared.recall.wants()
        {
            shared.recall.take(shared, &reading.database, sample);
        }
        hits += answer.hits.len() as u64;
        answers.push(answer);
    }
    Ok(((answers, read.commit_seq().get()), hits))
}

impl Wanted {
    /// What stands among the statements that run. What is looked for is data, and is not told.
    fn shown(&self) -> String {
        match self {
            Self::Vectors { index, k, .. } => format!("search of {k} in the vector index {index}"),
            Self::Text { index, k, .. } => format!("search of {k} in the full-text index {index}"),
        }
    }

    /// What it takes to see how well it was answered; none if the answer is exact.
    fn sample(&self, answer: &v1::SearchAnswer) -> Option<Sample> {
        let Self::Vectors {
            index,
            vector,
            k,
            effort: _,
            threshold,
            label,
            equal,
        } = self
        else {
            return None;
        };
        let provenance = answer.provenance.as_ref()?;
        (!provenance.exact).then(|| Sample {
            index: index.clone(),
            vector: vector.clone(),
            k: *k,
            threshold: *threshold,
            label: label.clone(),
            equal: equal.clone(),
            scores: answer.hits.iter().map(|hit| hit.score).collect(),
        })
    }

    /// What is found, with scores, and how it was.
    fn found(&self, read: &ReadTxn) -> Result<(Vec<Scored>, v1::SearchProvenance), Failure> {
        match self {
            Self::Vectors {
                index,
                vector,
                k,
                effort,
                threshold,
                label,
                equal,
            } => {
                let mut search = VectorSearch::new(vector.as_slice(), *k);
                if let Some(effort) = effort {
                    search = search.effort(*effort);
                }
                if let Some(threshold) = threshold {
                    search = search.threshold(*threshold);
                }
                if !label.is_empty() {
                    search = search.labelled(label);
                }
                for (property, value) in equal {
                    search = search.where_equal(property, value.clone());
                }
                let answer = read.search_vectors(index, &search)?;
                let hits = answer.hits.iter().map(|hit| (hit.entity, hit.score));
                let provenance = convert::vector_provenance(index, &answer);
                Ok((hits.collect(), provenance))
            }
            Self::Text {
                index,
                text,
                k,
                threshold,
                label,
            } => {
                let mut search = TextSearch::new(text, *k);
                if let Some(threshold) = threshold {
                    search = search.threshold(*threshold);
                }
                if !label.is_empty() {
                    search = search.labelled(label);
                }
                let answer = read.search_text(index, &search)?;
                let hits = answer.hits.iter().map(|hit| (hit.entity, hit.score));
                let provenance = convert::text_provenance(index, &answer);
                Ok((hits.collect(), provenance))
            }
        }
    }

    fn answer(
        &self,
        read: &ReadTxn,
        returned: &mut Returned<'_>,
    ) -> Result<v1::SearchAnswer, Failure> {
        let (found, provenance) = self.found(read)?;
        let hits = found.into_iter().map(|(entity, score)| {
            let properties = returned.of(read, entity)?;
            let entity = match entity {
                Entity::Node(node) => v1::search_hit::Entity::NodeId(node.get()),
                Entity::Relationship(one) => v1::search_hit::Entity::RelationshipId(one.get()),
            };
            Ok(v1::SearchHit {
                entity: Some(entity),
                score,
                properties,
            })
        });
        Ok(v1::SearchAnswer {
            hits: hits.collect::<Result<_, Failure>>()?,
            provenance: Some(provenance),
        })
    }
}

impl Returned<'_> {
    /// Those that an entity has.
    fn of(
        &mut self,
        read: &ReadTxn,
        entity: Entity,
    ) -> Result<BTreeMap<String, v1::Value>, Failure> {
        let mut held = Vec::new();
        for name in self.names {
            let value = read.property(entity, name)?;
            if !matches!(value, Value::Null) {
                held.push((name.as_str(), value));
            }
        }
        for (name, value) in &held {
            self.bytes += convert::entry_bytes(name, value)?;
        }
        if self.bytes > self.most_bytes {
            return Err(Failure::Limit {
                what: "the size of the answer",
                limit: format!("{} bytes", self.most_bytes),
                hint: "ask for fewer hits or properties",
            });
        }
        convert::entries_out(held.iter().map(|(name, value)| (*name, value)))
    }
}

#[tonic::async_trait]
impl SearchService for Search {
    async fn search_vectors(
        &self,
        request: Request<v1::SearchVectorsRequest>,
    ) -> Answer<v1::SearchVectorsResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let wanted = vec![self.vectors(request.query)?];
        let (mut answers, sequence) = self
            .answers(caller, database, wanted, request.return_properties)
            .await?;
        let answer = answers.pop();
        Ok(Response::new(v1::SearchVectorsResponse {
            answer,
            sequence,
        }))
    }

    async fn search_text(
        &self,
        request: Request<v1::SearchTextRequest>,
    ) -> Answer<v1::SearchTextResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let wanted = vec![self.text(request.query)?];
        let (mut answers, sequence) = self
            .answers(caller, database, wanted, request.return_properties)
            .await?;
        let answer = answers.pop();
        Ok(Response::new(v1::SearchTextResponse { answer, sequence }))
    }

    async fn search_batch(
        &self,
        request: Request<v1::SearchBatchRequest>,
    ) -> Answer<v1::SearchBatchResponse> {
        let (caller, request, database) = Caller::asks(&self.0, request, |asked| &asked.database)?;
        let most = self.0.config.max_batch_searches as usize;
        if request.queries.is_empty() || request.queries.len() > most {
            return Err(Failure::request("queries", format!("must be 1 to {most}")).into());
        }
        let wanted = request.queries.into_iter().map(|query| match query.kind {
            Some(Kind::Vectors(query)) => self.vectors(Some(query)),
            Some(Kind::Text(query)) => self.text(Some(query)),
            None => Err(Failure::request("queries", "each says what it looks for")),
        });
        let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
        let (answers, sequence) = self
            .answers(caller, database, wanted, request.return_properties)
            .await?;
        Ok(Response::new(v1::SearchBatchResponse { answers, sequence }))
    }
}
