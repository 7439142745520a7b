//! What is declared, as statements.

use stratigraph::catalog::{Catalog, Demand, PropertyId, Scope};
use stratigraph::exchange::named_members;
use stratigraph::index::text::TextSettings;
use stratigraph::query::quoted_name;
use stratigraph::value::ValueKind;
use stratigraph::{Coding, Metric, Read, ReadTxn};

/// The statements, and what none of them can say.
///
/// # Errors
/// Damage.
pub(super) fn statements(read: &ReadTxn) -> stratigraph::Result<(Vec<String>, Vec<String>)> {
    let catalog = read.catalog();
    let (mut all, mut left_out) = (Vec::new(), Vec::new());
    property_indexes(catalog, &mut all);
    text_indexes(catalog, &mut all, &mut left_out);
    constraints(catalog, &mut all, &mut left_out);
    hierarchies(catalog, &mut all);
    // Last: they are given indexes for their filters where no constraint has brought one, under names that are free.
    vector_indexes(catalog, &mut all);
    let mut members = 0_u64;
    named_members(read, |_, _| {
        members += 1;
        Ok(())
    })?;
    if members > 0 {
        left_out.push(format!(
            "that {members} nodes are members of a hierarchy by name"
        ));
    }
    Ok((all, left_out))
}

/// Those of their own: what a constraint looks up comes with the constraint.
fn property_indexes(catalog: &Catalog, all: &mut Vec<String>) {
    for index in catalog.indexes().filter(|index| index.owner.is_none()) {
        let on = properties(catalog, &index.properties);
        let pattern = pattern(catalog, index.scope);
        all.push(format!(
            "CREATE INDEX {} FOR {pattern} ON ({on})",
            quoted_name(&index.name)
        ));
    }
}

fn vector_indexes(catalog: &Catalog, all: &mut Vec<String>) {
    for index in catalog.vector_indexes() {
        let on = property(catalog, index.property);
        let with = match index.filters.as_slice() {
            [] => String::new(),
            filters => format!(" WITH [{}]", properties(catalog, filters)),
        };
        let metric = match index.metric {
            Metric::Cosine => "cosine",
            Metric::Dot => "dot",
            _ => "euclidean",
        };
        let coding = match index.coding {
            Coding::Halves => "`vector.quantization.type`: 'halves'",
            Coding::Bytes => "`vector.quantization.type`: 'bytes'",
            _ => "`vector.quantization.enabled`: false",
        };
        all.push(format!(
            "CREATE VECTOR INDEX {} FOR {} ON {on}{with} OPTIONS {{indexConfig: {{`vector.dimensions`: {}, \
             `vector.similarity_function`: '{metric}', `vector.hnsw.m`: {}, `vector.hnsw.ef_construction`: {}, \
             {coding}}}}}",
            quoted_name(&index.name),
            pattern(catalog, index.scope),
            index.dimensions,
            index.links,
            index.breadth,
        ));
    }
}

fn text_indexes(catalog: &Catalog, all: &mut Vec<String>, left_out: &mut Vec<String>) {
    for index in catalog.text_indexes() {
        let settings = &index.settings;
        let fields: Vec<PropertyId> = settings
            .fields()
            .iter()
            .map(|field| field.property)
            .collect();
        let analysis = serde_json::json!(settings.analysis());
        let analyzer = analysis.as_str().unwrap_or("plain");
        all.push(format!(
            "CREATE FULLTEXT INDEX {} FOR {} ON EACH [{}] OPTIONS {{indexConfig: {{`fulltext.analyzer`: '{analyzer}'}}}}",
            quoted_name(&index.name),
            pattern(catalog, index.scope),
            properties(catalog, &fields),
        ));
        let weighted = settings
            .fields()
            .iter()
            .any(|field| field.weight.get() != 1.0);
        let scored_otherwise =
            settings.k1() != TextSettings::DEFAULT_K1 || settings.b() != TextSettings::DEFAULT_B;
        if weighted || scored_otherwise {
            left_out.push(format!(
                "the weights, k1 and b of the text index {}",
                index.name
            ));
        }
    }
}

fn constraints(catalog: &Catalog, all: &mut Vec<String>, left_out: &mut Vec<String>) {
    for constraint in catalog.constraints() {
        let on = properties(catalog, &constraint.properties);
        let demand = match &constraint.demand {
            Demand::Unique => format!("({on}) IS UNIQUE"),
            Demand::Key => format!("({on}) IS KEY"),
            Demand::Exists => format!("{on} IS NOT NULL"),
            Demand::Type(kind) => match type_name(*kind) {
                Some(of) => format!("{on} IS TYPED {of}"),
                None => {
                    left_out.push(format!(
                        "the constraint {}, on the type {}",
                        constraint.name,
                        kind.name()
                    ));
                    continue;
                }
            },
            _ => {
                left_out.push(format!("the constraint {}", constraint.name));
                continue;
            }
        };
        let pattern = pattern(catalog, constraint.scope);
        all.push(format!(
            "CREATE CONSTRAINT {} FOR {pattern} REQUIRE {demand}",
            quoted_name(&constraint.name)
        ));
    }
}

fn hierarchies(catalog: &Catalog, all: &mut Vec<String>) {
    for hierarchy in catalog.hierarchies() {
        let of = catalog.types.show(hierarchy.relationship_type);
        let tree = if hierarchy.tree { " AS TREE" } else { "" };
        all.push(format!(
            "CREATE HIERARCHY {} FOR ()-[:{}]->(){tree}",
            quoted_name(&hierarchy.name),
            quoted_name(&of)
        ));
    }
}

fn pattern(catalog: &Catalog, scope: Scope) -> String {
    match scope {
        Scope::Label(_) => format!("(e:{})", quoted_name(&catalog.scope_name(scope))),
        Scope::AnyNode => "(e)".to_owned(),
        Scope::Type(_) => format!("()-[e:{}]-()", quoted_name(&catalog.scope_name(scope))),
        Scope::AnyRelationship => "()-[e]-()".to_owned(),
    }
}

fn property(catalog: &Catalog, id: PropertyId) -> String {
    format!("e.{}", quoted_name(&catalog.properties.show(id)))
}

fn properties(catalog: &Catalog, ids: &[PropertyId]) -> String {
    let all: Vec<String> = ids.iter().map(|id| property(catalog, *id)).collect();
    all.join(", ")
}

/// The language's name of a type that constraints can demand.
fn type_name(kind: ValueKind) -> Option<&'static str> {
    Some(match kind {
        ValueKind::Boolean => "BOOLEAN",
        ValueKind::Integer => "INTEGER",
        ValueKind::Float => "FLOAT",
        ValueKind::String => "STRING",
        ValueKind::Date => "DATE",
        ValueKind::Time => "ZONED TIME",
        ValueKind::LocalTime => "LOCAL TIME",
        ValueKind::DateTime => "ZONED DATETIME",
        ValueKind::LocalDateTime => "LOCAL DATETIME",
        ValueKind::Duration => "DURATION",
        _ => return None,
    })
}
