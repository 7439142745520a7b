//! Holds vector indexes against ones that are made anew from the stored vectors. That text indexes are what
//! is stored, and that vector indexes have the right rows, `Database::check` tells.

use stratigraph::catalog::{Catalog, Scope, VectorIndexDef};
use stratigraph::storage::cancel::Watch;
use stratigraph::value::{NodeId, RelationshipId};
use stratigraph::{Database, Effort, Entity, Read, ReadTxn, Result, Value, Vector, VectorSearch};
use stratigraph_vector::{Index, IndexError, Query, Settings};

/// As many are looked for.
const K: usize = 10;
/// With the vectors of so many.
const QUERIES: usize = 4;
/// What two ways of adding up differ by.
const ROUNDING: f32 = 1e-5;

/// Whether that is where `check` finds what is wrong with an index on vectors or texts.
#[must_use]
pub fn is_of_index(place: &str) -> bool {
    place.starts_with("vector index") || place.starts_with("text index")
}

/// Waits until every vector index answers, and tells where one finds something else than an index that is
/// made of what is stored now.
///
/// # Errors
/// Damage, and why an index cannot be made ready.
pub fn differences(db: &Database) -> Result<Vec<String>> {
    let mut differences = Vec::new();
    for index in db.vector_indexes()? {
        let definition = &index.definition;
        let mut watch = Watch::quiet();
        db.wait_for_vector_index(&definition.name, &mut watch)?;
        let read = db.read()?;
        let stored = stored(&read, definition)?;
        let anew = match made_of(&stored, definition) {
            Ok(anew) => anew,
            Err(error) => {
                differences.push(format!("{} cannot be made anew: {error}", definition.name));
                continue;
            }
        };
        for (_, vector) in stored.iter().take(QUERIES) {
            let found = search(&read, definition, vector)?;
            let expected = search_anew(&anew, definition, vector);
            if !are_alike(&found, &expected) {
                differences.push(format!(
                    "vector index {} finds {found:?}, and {expected:?} when it is made anew",
                    definition.name
                ));
            }
        }
    }
    Ok(differences)
}

/// What is found: whose vectors, and how near they are.
type Found = Vec<(Entity, f32)>;

fn stored(read: &ReadTxn, definition: &VectorIndexDef) -> Result<Vec<(Entity, Vector)>> {
    let catalog = read.catalog();
    let property = catalog.properties.show(definition.property);
    let mut stored = Vec::new();
    for entity in entities(read, catalog, definition.scope)? {
        if let Value::Vector(vector) = read.property(entity, &property)? {
            stored.push((entity, vector));
        }
    }
    Ok(stored)
}

fn entities(read: &ReadTxn, catalog: &Catalog, scope: Scope) -> Result<Vec<Entity>> {
    let name = catalog.scope_name(scope);
    Ok(match scope {
        Scope::Label(_) => {
            let nodes = read.nodes_with_label(&name)?.into_iter();
            nodes.map(|id| NodeId::new(id).into()).collect()
        }
        Scope::Type(_) => {
            let links = read.relationships_of_type(&name)?.into_iter();
            links.map(|id| RelationshipId::new(id).into()).collect()
        }
        Scope::AnyNode => {
            let nodes = read.node_ids()?;
            nodes.map(|id| Ok(id?.into())).collect::<Result<_>>()?
        }
        Scope::AnyRelationship => {
            let links = read.relationship_ids()?;
            links.map(|id| Ok(id?.into())).collect::<Result<_>>()?
        }
    })
}

fn made_of(
    stored: &[(Entity, Vector)],
    definition: &VectorIndexDef,
) -> std::result::Result<Index, IndexError> {
    let settings = Settings::new(definition.dimensions as usize, definition.metric);
    let index = settings.coding(definition.coding).build()?;
    for (entity, vector) in stored {
        index.insert(1, entity.number(), vector.as_slice())?;
    }
    index.tend(1);
    Ok(index)
}

fn search(read: &ReadTxn, definition: &VectorIndexDef, vector: &Vector) -> Result<Found> {
    let search = VectorSearch::new(vector.as_slice(), K).effort(Effort::Exact);
    let answer = read.search_vectors(&definition.name, &search)?;
    let hits = answer.hits.into_iter();
    Ok(hits.map(|hit| (hit.entity, hit.score)).collect())
}

fn search_anew(index: &Index, definition: &VectorIndexDef, vector: &Vector) -> Found {
    let query = Query::new(vector.as_slice(), K).effort(Effort::Exact);
    let hits = index.search(&query).map(|answer| answer.hits);
    let entity = |id| match definition.scope.is_node() {
        true => Entity::Node(NodeId::new(id)),
        false => Entity::Relationship(RelationshipId::new(id)),
    };
    let hits = hits.unwrap_or_default().into_iter();
    hits.map(|hit| (entity(hit.id), hit.score)).collect()
}

fn are_alike(found: &Found, expected: &Found) -> bool {
    let alike = |(one, other): (&(Entity, f32), &(Entity, f32))| {
        one.0 == other.0 && (one.1 - other.1).abs() <= ROUNDING
    };
    found.len() == expected.len() && found.iter().zip(expected).all(alike)
}
