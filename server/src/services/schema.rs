//! `SchemaService`.

use super::Answer;
use super::declared;
use crate::caller::Caller;
use crate::databases::OpenDatabase;
use crate::failure::Failure;
use crate::shared::Shared;
use crate::work::{CancelOnDrop, Side};
use std::collections::BTreeSet;
use std::sync::Arc;
use stratigraph::index::text::TextSettings;
use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{
    Constraint, ConstraintOn, Error, HierarchyOptions, Index, Read, TextIndex, VectorIndex,
};
use stratigraph_proto::v1::index_definition::Kind;
use stratigraph_proto::v1::schema_service_server::SchemaService;
use stratigraph_proto::v1::schema_target::Entity;
use stratigraph_proto::v1::{self, ConstraintKind, VectorMetric};
use tonic::{Request, Response};

/// `SchemaService`.
pub(crate) struct Schema(pub(crate) Arc<Shared>);

/// What is declared, on a thread; gives the name of what is new.
async fn declare(
    side: &Side,
    database: Arc<OpenDatabase>,
    name: String,
    make: impl FnOnce(&OpenDatabase, &mut Watch<'_>) -> Result<(), Failure> + Send + 'static,
) -> Result<String, Failure> {
    let cancel = CancelToken::new();
    // What is half-made is taken back if the caller leaves.
    let _guard = CancelOnDrop(cancel.clone());
    side.run(move || {
        let before = names(&database)?;
        let mut silent = |_: Progress<'_>| {};
        let mut watch = Watch::new(&mut silent, cancel);
        make(&database, &mut watch)?;
        if !name.is_empty() {
            return Ok(name);
        }
        // It has made a name of what it is on. One that was there already keeps its own, which nobody asked for.
        let now = names(&database)?;
        Ok(now.difference(&before).next().cloned().unwrap_or_default())
    })
    .await
}

fn names(database: &OpenDatabase) -> Result<BTreeSet<String>, Failure> {
    let read = database.engine.read()?;
    let catalog = read.catalog();
    let indexes = catalog.indexes().map(|one| one.name.to_string());
    let vectors = catalog.vector_indexes().map(|one| one.name.to_string());
    let texts = catalog.text_indexes().map(|one| one.name.to_string());
    let constraints = catalog.constraints().map(|one| one.name.to_string());
    // The index that proves a constraint has its name: the constraint comes first.
    Ok(constraints
        .chain(indexes)
        .chain(vectors)
        .chain(texts)
        .collect())
}

/// Drops something; whether it was there.
async fn dropped(
    side: &Side,
    database: Arc<OpenDatabase>,
    name: String,
    if_exists: bool,
    drop_it: impl FnOnce(&OpenDatabase, &str) -> stratigraph::Result<()> + Send + 'static,
) -> Result<bool, Failure> {
    side.run(move || match drop_it(&database, &name) {
        Ok(()) => Ok(true),
        Err(Error::UnknownName { .. }) if if_exists => Ok(false),
        Err(error) => Err(error.into()),
    })
    .await
}

fn target(target: Option<v1::SchemaTarget>) -> Result<Entity, Failure> {
    let entity = target.and_then(|target| target.entity);
    entity.ok_or_else(|| Failure::request("definition.target", "is needed"))
}

fn no_any(what: &str) -> Failure {
    Failure::request(
        "definition.target",
        format!("{what} is on a label or a type"),
    )
}

#[tonic::async_trait]
impl SchemaService for Schema {
    async fn show_schema(
        &self,
        request: Request<v1::ShowSchemaRequest>,
    ) -> Answer<v1::ShowSchemaResponse> {
        let caller = Caller::of(&request)?;
        let database = caller.database(&self.0, &request.into_inner().database)?;
        Ok(Response::new(
            self.0.side.run(move || declared::shown(&database)).await?,
        ))
    }

    async fn create_index(
        &self,
        request: Request<v1::CreateIndexRequest>,
    ) -> Answer<v1::CreateIndexResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let database = caller.database(&self.0, &request.database)?;
        let definition = request
            .definition
            .ok_or_else(|| Failure::request("definition", "is needed"))?;
        let name = definition.name.clone();
        let if_missing = request.if_missing;
        let made = declare(&self.0.side, database, name, move |database, watch| {
            index(database, watch, definition, if_missing)
        });
        let name = made.await?;
        Ok(Response::new(v1::CreateIndexResponse { name }))
    }

    async fn drop_index(
        &self,
        request: Request<v1::DropIndexRequest>,
    ) -> Answer<v1::DropIndexResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let database = caller.database(&self.0, &request.database)?;
        let gone = dropped(
            &self.0.side,
            database,
            request.name,
            request.if_exists,
            |database, name| {
                let read = database.engine.read()?;
                let engine = &database.engine;
                if read.catalog().vector_index_named(name).is_some() {
                    engine.drop_vector_index(name)
                } else if read.catalog().text_index_named(name).is_some() {
                    engine.drop_text_index(name)
                } else {
                    engine.drop_index(name)
                }
            },
        );
        let known = gone.await?;
        Ok(Response::new(v1::DropIndexResponse { known }))
    }

    async fn create_constraint(
        &self,
        request: Request<v1::CreateConstraintRequest>,
    ) -> Answer<v1::CreateConstraintResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let database = caller.database(&self.0, &request.database)?;
        let definition = request
            .definition
            .ok_or_else(|| Failure::request("definition", "is needed"))?;
        let name = definition.name.clone();
        let if_missing = request.if_missing;
        let made = declare(&self.0.side, database, name, move |database, watch| {
            let mut constraint = constraint(definition)?;
            if if_missing {
                constraint = constraint.if_missing();
            }
            Ok(database
                .engine
                .create_constraint_watched(constraint, watch)?)
        });
        let name = made.await?;
        Ok(Response::new(v1::CreateConstraintResponse { name }))
    }

    async fn drop_constraint(
        &self,
        request: Request<v1::DropConstraintRequest>,
    ) -> Answer<v1::DropConstraintResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let database = caller.database(&self.0, &request.database)?;
        let gone = dropped(
            &self.0.side,
            database,
            request.name,
            request.if_exists,
            |database, name| database.engine.drop_constraint(name),
        );
        let known = gone.await?;
        Ok(Response::new(v1::DropConstraintResponse { known }))
    }

    async fn create_hierarchy(
        &self,
        request: Request<v1::CreateHierarchyRequest>,
    ) -> Answer<v1::CreateHierarchyResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let database = caller.database(&self.0, &request.database)?;
        let definition = request
            .definition
            .ok_or_else(|| Failure::request("definition", "is needed"))?;
        let name = definition.name.clone();
        let if_missing = request.if_missing;
        let made = declare(&self.0.side, database, name, move |database, watch| {
            let mut hierarchy =
                HierarchyOptions::new(definition.name, definition.relationship_type);
            if definition.tree {
                hierarchy = hierarchy.tree();
            }
            if if_missing {
                hierarchy = hierarchy.if_missing();
            }
            Ok(database.engine.create_hierarchy_watched(hierarchy, watch)?)
        });
        let name = made.await?;
        Ok(Response::new(v1::CreateHierarchyResponse { name }))
    }

    async fn drop_hierarchy(
        &self,
        request: Request<v1::DropHierarchyRequest>,
    ) -> Answer<v1::DropHierarchyResponse> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let database = caller.database(&self.0, &request.database)?;
        let gone = dropped(
            &self.0.side,
            database,
            request.name,
            request.if_exists,
            |database, name| database.engine.drop_hierarchy(name),
        );
        let known = gone.await?;
        Ok(Response::new(v1::DropHierarchyResponse { known }))
    }
}

/// Declares an index of the kind that was asked for.
fn index(
    database: &OpenDatabase,
    watch: &mut Watch<'_>,
    definition: v1::IndexDefinition,
    if_missing: bool,
) -> Result<(), Failure> {
    let v1::IndexDefinition {
        name,
        target: on,
        properties,
        kind,
    } = definition;
    let on = target(on)?;
    macro_rules! finished {
        ($index:expr) => {{
            let mut index = $index;
            if !name.is_empty() {
                index = index.named(name);
            }
            if if_missing {
                index = index.if_missing();
            }
            index
        }};
    }
    let engine = &database.engine;
    match kind {
        None | Some(Kind::Property(_)) => {
            let index = finished!(value_index(on, properties)?);
            engine.create_index_watched(index, watch)?;
        }
        Some(Kind::Text(options)) => {
            let index = finished!(text_index(on, properties, options)?);
            engine.create_text_index_watched(index, watch)?;
        }
        Some(Kind::Vector(options)) => {
            let index = finished!(vector_index(on, properties, options)?);
            engine.create_vector_index_watched(index, watch)?;
        }
    }
    Ok(())
}

fn value_index(on: Entity, properties: Vec<String>) -> Result<Index, Failure> {
    match on {
        Entity::Label(label) => Ok(Index::on_nodes(label, properties)),
        Entity::RelationshipType(of) => Ok(Index::on_relationships(of, properties)),
        _ => Err(no_any("an index of values")),
    }
}

fn text_index(
    on: Entity,
    properties: Vec<String>,
    mut options: v1::TextIndexOptions,
) -> Result<TextIndex, Failure> {
    let none = std::iter::empty::<String>();
    let mut index = match on {
        Entity::Label(label) => TextIndex::on_nodes(label, none),
        Entity::RelationshipType(of) => TextIndex::on_relationships(of, none),
        Entity::AnyNode(_) => TextIndex::on_any_node(none),
        Entity::AnyRelationship(_) => TextIndex::on_any_relationship(none),
    };
    index = index.analysis(declared::analysis(&options.analysis)?);
    for property in properties {
        let weight = options.weights.remove(&property).unwrap_or(1.0);
        index = index.weighted(property, weight);
    }
    // Who weighs a property means that it is on it, and in one order whoever asks.
    let mut others: Vec<(String, f32)> = options.weights.into_iter().collect();
    others.sort_by(|one, other| one.0.cmp(&other.0));
    for (property, weight) in others {
        index = index.weighted(property, weight);
    }
    if options.k1.is_some() || options.b.is_some() {
        let k1 = options.k1.unwrap_or(TextSettings::DEFAULT_K1);
        let b = options.b.unwrap_or(TextSettings::DEFAULT_B);
        index = index.parameters(k1, b);
    }
    Ok(index)
}

fn vector_index(
    on: Entity,
    properties: Vec<String>,
    options: v1::VectorIndexOptions,
) -> Result<VectorIndex, Failure> {
    let [property] = <[String; 1]>::try_from(properties).map_err(|_| {
        Failure::request("definition.properties", "a vector index is on one property")
    })?;
    let dimensions = options.dimensions as usize;
    let mut index = match on {
        Entity::Label(label) => VectorIndex::on_nodes(label, property, dimensions),
        Entity::RelationshipType(of) => VectorIndex::on_relationships(of, property, dimensions),
        Entity::AnyNode(_) => VectorIndex::on_any_node(property, dimensions),
        Entity::AnyRelationship(_) => VectorIndex::on_any_relationship(property, dimensions),
    };
    let metric = VectorMetric::try_from(options.metric).map_err(|_| {
        Failure::request("definition.vector.metric", "this server does not know it")
    })?;
    index = index
        .metric(declared::metric_in(metric))
        .filterable(options.filterable);
    if !options.coding.is_empty() {
        index = index.coding(declared::coding(&options.coding)?);
    }
    if let Some(links) = options.links {
        index = index.links(links as usize);
    }
    if let Some(breadth) = options.build_breadth {
        index = index.breadth(breadth as usize);
    }
    Ok(index)
}

fn constraint(definition: v1::ConstraintDefinition) -> Result<Constraint, Failure> {
    let v1::ConstraintDefinition {
        name,
        target: on,
        properties,
        kind,
        value_type,
    } = definition;
    let on: ConstraintOn = match target(on)? {
        Entity::Label(label) => Constraint::on_nodes(label),
        Entity::RelationshipType(of) => Constraint::on_relationships(of),
        _ => return Err(no_any("a constraint")),
    };
    let single = |properties: Vec<String>| {
        let single = <[String; 1]>::try_from(properties).map(|[property]| property);
        single.map_err(|_| {
            Failure::request(
                "definition.properties",
                "this constraint is on one property",
            )
        })
    };
    let kind = ConstraintKind::try_from(kind).unwrap_or(ConstraintKind::Unspecified);
    let constraint = match kind {
        ConstraintKind::Unique => on.unique(properties),
        ConstraintKind::Key => on.key(properties),
        ConstraintKind::Exists => on.exists(single(properties)?),
        ConstraintKind::Type => on.kind(single(properties)?, declared::value_kind(&value_type)?),
        ConstraintKind::Unspecified => {
            return Err(Failure::request("definition.kind", "say what it demands"));
        }
    };
    Ok(if name.is_empty() {
        constraint
    } else {
        constraint.named(name)
    })
}
