//! Searching vector and full-text indexes without a statement.

use crate::Error;
use crate::call::unary;
use crate::client::Client;
use crate::error::Safety;
use crate::made::Made;
use crate::summary::Provenance;
use crate::value::{Value, Vector, map_from_wire, to_value, to_wire, vector_to_wire};
use serde::Serialize;
use std::collections::BTreeMap;
use stratigraph_proto::v1::{self, search_hit, search_query, vector_query};

/// Searches in indexes of a database.
///
/// ```no_run
/// # async fn example(client: stratigraph_client::Client) -> Result<(), stratigraph_client::Error> {
/// use stratigraph_client::VectorQuery;
///
/// let nearest = client
///     .search()
///     .returning(["title"])
///     .vectors(VectorQuery::new("chunks", vec![0.1, 0.2, 0.3], 10).recall(0.95))
///     .await?;
/// for hit in nearest.hits {
///     println!("{:?} {}", hit.entity, hit.score);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is searched before it is told for what"]
pub struct Search {
    client: Client,
    return_properties: Vec<String>,
}

/// What is looked for in a vector index.
#[derive(Debug, Clone)]
#[must_use]
pub struct VectorQuery(Result<v1::VectorQuery, Error>);

/// What is looked for in a full-text index.
#[derive(Debug, Clone)]
#[must_use]
pub struct TextQuery(v1::TextQuery);

/// Several searches over one snapshot.
#[derive(Debug, Clone)]
#[must_use = "nothing is searched before `run`"]
pub struct Searches {
    search: Search,
    queries: Result<Vec<v1::SearchQuery>, Error>,
}

/// What one search found.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SearchAnswer {
    /// The best first; of those that score the same, the one with the smaller id.
    pub hits: Vec<Hit>,
    /// How the answer came about.
    pub provenance: Provenance,
    /// The commit that was read.
    pub sequence: u64,
}

/// One that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Whose vector or text it is.
    pub entity: Entity,
    /// How well it fits: of vectors the cosine, the dot product or the square of the distance; of texts BM25.
    pub score: f32,
    /// The properties that were asked for and are there.
    pub properties: BTreeMap<String, Value>,
}

/// A node or a relationship.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Entity {
    /// A node, by its id.
    Node(u64),
    /// A relationship, by its id.
    Relationship(u64),
}

impl VectorQuery {
    /// The `k` that are nearest to a vector.
    pub fn new(index: impl Into<String>, vector: impl Into<Vec<f32>>, k: u32) -> Self {
        Self(Ok(v1::VectorQuery {
            index: index.into(),
            vector: Some(vector_to_wire(Vector(vector.into()))),
            k,
            ..v1::VectorQuery::default()
        }))
    }

    fn set(mut self, set: impl FnOnce(&mut v1::VectorQuery)) -> Self {
        if let Ok(query) = &mut self.0 {
            set(query);
        }
        self
    }

    /// Looks with so many candidates, known as `ef`.
    pub fn breadth(self, candidates: u32) -> Self {
        self.set(|query| query.effort = Some(vector_query::Effort::Breadth(candidates)))
    }

    /// Looks hard enough for such a share of the true nearest, between 0 and 1.
    pub fn recall(self, share: f32) -> Self {
        self.set(|query| query.effort = Some(vector_query::Effort::Recall(share)))
    }

    /// Compares all.
    pub fn exact(self) -> Self {
        self.set(|query| query.effort = Some(vector_query::Effort::Exact(true)))
    }

    /// Only what scores as well.
    pub fn threshold(self, score: f32) -> Self {
        self.set(|query| query.threshold = Some(score))
    }

    /// Only nodes with this label, or relationships of this type.
    pub fn label(self, label: impl Into<String>) -> Self {
        self.set(|query| query.label = label.into())
    }

    /// Only where a property that the index was declared to be filtered by equals this value.
    pub fn equal(mut self, property: impl Into<String>, value: impl Serialize) -> Self {
        if let Ok(query) = &mut self.0 {
            let name = property.into();
            let value = to_value(&value).map_err(|error| error.to_string());
            let value = value.and_then(|value| to_wire(value).map_err(|error| error.to_string()));
            match value {
                Ok(value) => {
                    query.equal.insert(name, value);
                }
                Err(problem) => self.0 = Err(Error::Parameter { name, problem }),
            }
        }
        self
    }
}

impl TextQuery {
    /// The `k` that match best: words of which any may be there, `"a phrase"`, `word*`, `+must` and `-not`.
    pub fn new(index: impl Into<String>, text: impl Into<String>, k: u32) -> Self {
        Self(v1::TextQuery {
            index: index.into(),
            text: text.into(),
            k,
            ..v1::TextQuery::default()
        })
    }

    /// Only what scores at least so much.
    pub fn threshold(mut self, score: f32) -> Self {
        self.0.threshold = Some(score);
        self
    }

    /// Only nodes with this label, or relationships of this type.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.0.label = label.into();
        self
    }
}

impl Client {
    /// Searches in indexes of the database.
    pub fn search(&self) -> Search {
        Search {
            client: self.clone(),
            return_properties: Vec::new(),
        }
    }
}

impl Search {
    /// The properties that come with each hit.
    pub fn returning<P>(mut self, properties: P) -> Self
    where
        P: IntoIterator,
        P::Item: Into<String>,
    {
        self.return_properties = properties.into_iter().map(Into::into).collect();
        self
    }

    /// Finds what is nearest to a vector.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn vectors(self, query: VectorQuery) -> Result<SearchAnswer, Error> {
        let request = v1::SearchVectorsRequest {
            database: self.client.database.to_string(),
            query: Some(query.0?),
            return_properties: self.return_properties,
        };
        let told: v1::SearchVectorsResponse = unary!(
            &self.client,
            Safety::Reads,
            search_service_client::SearchServiceClient,
            search_vectors,
            request
        )?;
        answer(told.answer.unwrap_or_default(), told.sequence)
    }

    /// Finds what matches words best.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn text(self, query: TextQuery) -> Result<SearchAnswer, Error> {
        let request = v1::SearchTextRequest {
            database: self.client.database.to_string(),
            query: Some(query.0),
            return_properties: self.return_properties,
        };
        let told: v1::SearchTextResponse = unary!(
            &self.client,
            Safety::Reads,
            search_service_client::SearchServiceClient,
            search_text,
            request
        )?;
        answer(told.answer.unwrap_or_default(), told.sequence)
    }

    /// Several searches over one snapshot, in one call.
    pub fn batch(self) -> Searches {
        Searches {
            search: self,
            queries: Ok(Vec::new()),
        }
    }
}

impl Searches {
    /// Looks for what is nearest to a vector, too.
    pub fn vectors(mut self, query: VectorQuery) -> Self {
        match (&mut self.queries, query.0) {
            (Ok(queries), Ok(query)) => queries.push(v1::SearchQuery {
                kind: Some(search_query::Kind::Vectors(query)),
            }),
            (Ok(_), Err(error)) => self.queries = Err(error),
            (Err(_), _) => {}
        }
        self
    }

    /// Looks for what matches words best, too.
    pub fn text(mut self, query: TextQuery) -> Self {
        if let Ok(queries) = &mut self.queries {
            queries.push(v1::SearchQuery {
                kind: Some(search_query::Kind::Text(query.0)),
            });
        }
        self
    }

    /// Makes the searches, and gives an answer to each, in their order.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn run(self) -> Result<Vec<SearchAnswer>, Error> {
        let client = self.search.client;
        let request = v1::SearchBatchRequest {
            database: client.database.to_string(),
            queries: self.queries?,
            return_properties: self.search.return_properties,
        };
        let wanted = request.queries.len();
        let told: v1::SearchBatchResponse = unary!(
            &client,
            Safety::Reads,
            search_service_client::SearchServiceClient,
            search_batch,
            request
        )?;
        if told.answers.len() != wanted {
            return Err(Error::protocol("more or fewer answers than searches"));
        }
        let answers = told.answers.into_iter();
        answers.map(|one| answer(one, told.sequence)).collect()
    }
}

fn answer(sent: v1::SearchAnswer, sequence: u64) -> Result<SearchAnswer, Error> {
    Ok(SearchAnswer {
        hits: sent.hits.into_iter().map(hit).collect::<Result<_, _>>()?,
        provenance: sent.provenance.map(Provenance::made_of).unwrap_or_default(),
        sequence,
    })
}

fn hit(sent: v1::SearchHit) -> Result<Hit, Error> {
    let entity = match sent.entity {
        Some(search_hit::Entity::NodeId(id)) => Entity::Node(id),
        Some(search_hit::Entity::RelationshipId(id)) => Entity::Relationship(id),
        None => {
            return Err(Error::protocol(
                "a hit that is neither a node nor a relationship",
            ));
        }
    };
    let properties = map_from_wire(sent.properties);
    Ok(Hit {
        entity,
        score: sent.score,
        properties: properties.map_err(|error| Error::protocol(error.to_string()))?,
    })
}
