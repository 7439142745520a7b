//! The graph of a database for `info`: how much there is of what, and what is declared. All of it is
//! counted already; no node or relationship is read.

use crate::output::{Reply, SHOWN, Table, count};
use serde_json::{Map, Value, json};
use stratigraph::catalog::{Catalog, Counter, NameId, Names, PropertyId, Scope};
use stratigraph::{Read, ReadTxn, Result};

/// Adds how many nodes and relationships there are to what is said first.
///
/// # Errors
/// Damage.
pub(super) fn add_facts(facts: &mut Table, read: &ReadTxn) -> Result<()> {
    facts
        .fact("nodes", &count(read.node_count(None)?))
        .fact("relationships", &count(read.relationship_count(None)?));
    Ok(())
}

/// Adds what there is of each label and type, and what is declared.
///
/// # Errors
/// Damage.
pub(super) fn add(reply: &mut Reply, read: &ReadTxn) -> Result<()> {
    reply
        .field("nodes", read.node_count(None)?)
        .field("relationships", read.relationship_count(None)?);
    let catalog = read.catalog();
    let labels = counted(read, &catalog.labels, Counter::Label)?;
    add_counted(reply, ["label", "nodes"], "labels", &labels);
    let types = counted(read, &catalog.types, Counter::Type)?;
    add_counted(reply, ["type", "relationships"], "types", &types);
    add_constraints(reply, catalog);
    add_indexes(reply, read)?;
    add_vector_indexes(reply, catalog);
    add_text_indexes(reply, catalog);
    add_hierarchies(reply, read)
}

/// The names that something has, with how many have each, most first.
fn counted<I: NameId>(
    read: &ReadTxn,
    names: &Names<I>,
    counter: impl Fn(I) -> Counter,
) -> Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    for (id, name) in names.iter() {
        match read.count(counter(id))? {
            // A name stays known when nothing has it any more.
            0 => {}
            number => found.push((name.to_string(), number)),
        }
    }
    found.sort_by(|(one, number), (other, than)| than.cmp(number).then_with(|| one.cmp(other)));
    Ok(found)
}

fn add_counted(
    reply: &mut Reply,
    headings: [&'static str; 2],
    field: &str,
    counted: &[(String, u64)],
) {
    let mut table = Table::of_numbers(headings);
    for (name, number) in counted.iter().take(SHOWN) {
        table.row([name.clone(), count(*number)]);
    }
    reply.first_rows(&table, counted.len());
    let (name, number) = ("name", headings[1]);
    let all = counted
        .iter()
        .map(|(of, found)| json!({ name: of, number: found }));
    reply.field(field, all.collect::<Value>());
}

fn add_constraints(reply: &mut Reply, catalog: &Catalog) {
    let mut table = Table::of_facts();
    table.row(["constraint", "on", "demand", "readiness"].map(str::to_owned));
    let mut all = Vec::new();
    for constraint in catalog.constraints() {
        let (scope, properties) = (constraint.scope, &constraint.properties);
        let mut object = declared(catalog, &constraint.name, scope, properties);
        object.insert("demand".into(), constraint.demand.to_string().into());
        object.insert("readiness".into(), constraint.readiness.to_string().into());
        if all.len() < SHOWN {
            table.row([
                constraint.name.to_string(),
                place(catalog, scope, properties),
                constraint.demand.to_string(),
                constraint.readiness.to_string(),
            ]);
        }
        all.push(object);
    }
    reply.first_rows(&table, all.len());
    reply.field("constraints", all);
}

fn add_indexes(reply: &mut Reply, read: &ReadTxn) -> Result<()> {
    let catalog = read.catalog();
    let mut table = Table::of_facts();
    table.row(["index", "on", "entries", "readiness"].map(str::to_owned));
    let mut all = Vec::new();
    for index in catalog.indexes() {
        let entries = read.count(Counter::Entries(index.id))?;
        let mut object = declared(catalog, &index.name, index.scope, &index.properties);
        object.insert("entries".into(), entries.into());
        object.insert("readiness".into(), index.readiness.to_string().into());
        if let Some(constraint) = index.owner.and_then(|id| catalog.constraint(id)) {
            object.insert("constraint".into(), (*constraint.name).into());
        }
        if let Some(owner) = index.owner.and_then(|id| catalog.vector_index(id)) {
            object.insert("vector_index".into(), (*owner.name).into());
        }
        if all.len() < SHOWN {
            table.row([
                index.name.to_string(),
                place(catalog, index.scope, &index.properties),
                count(entries),
                index.readiness.to_string(),
            ]);
        }
        all.push(object);
    }
    reply.first_rows(&table, all.len());
    reply.field("indexes", all);
    Ok(())
}

fn add_vector_indexes(reply: &mut Reply, catalog: &Catalog) {
    let mut table = Table::of_facts();
    table.row(["vector index", "on", "dimensions", "metric"].map(str::to_owned));
    let mut all = Vec::new();
    for index in catalog.vector_indexes() {
        let filters = index.filters.iter().map(|id| catalog.properties.show(*id));
        let metric = json!(index.metric);
        let word = metric.as_str().unwrap_or_default().to_owned();
        let mut object = declared(catalog, &index.name, index.scope, &[index.property]);
        object.insert("dimensions".into(), index.dimensions.into());
        object.insert("metric".into(), metric);
        object.insert("coding".into(), json!(index.coding));
        object.insert("links".into(), index.links.into());
        object.insert("breadth".into(), index.breadth.into());
        object.insert("filters".into(), filters.collect());
        if all.len() < SHOWN {
            table.row([
                index.name.to_string(),
                place(catalog, index.scope, &[index.property]),
                count(index.dimensions.into()),
                word,
            ]);
        }
        all.push(object);
    }
    reply.first_rows(&table, all.len());
    reply.field("vector_indexes", all);
}

fn add_text_indexes(reply: &mut Reply, catalog: &Catalog) {
    let mut table = Table::of_facts();
    table.row(["text index", "on", "analysis", "readiness"].map(str::to_owned));
    let mut all = Vec::new();
    for index in catalog.text_indexes() {
        let fields = index.settings.fields();
        let properties: Vec<_> = fields.iter().map(|field| field.property).collect();
        let weights: Vec<_> = fields
            .iter()
            .map(|field| decimal(field.weight.get()))
            .collect();
        let analysis = json!(index.settings.analysis());
        let word = analysis.as_str().unwrap_or_default().to_owned();
        let mut object = declared(catalog, &index.name, index.scope, &properties);
        object.insert("weights".into(), weights.into());
        object.insert("analysis".into(), analysis);
        object.insert("k1".into(), decimal(index.settings.k1()));
        object.insert("b".into(), decimal(index.settings.b()));
        object.insert("readiness".into(), index.readiness.to_string().into());
        if all.len() < SHOWN {
            table.row([
                index.name.to_string(),
                place(catalog, index.scope, &properties),
                word,
                index.readiness.to_string(),
            ]);
        }
        all.push(object);
    }
    reply.first_rows(&table, all.len());
    reply.field("text_indexes", all);
}

fn add_hierarchies(reply: &mut Reply, read: &ReadTxn) -> Result<()> {
    let catalog = read.catalog();
    let mut table = Table::of_facts();
    table.row(["hierarchy", "on", "members", "depth"].map(str::to_owned));
    let mut all = Vec::new();
    for definition in catalog.hierarchies() {
        let hierarchy = read.hierarchy(&definition.name)?;
        let (members, depth) = (hierarchy.member_count()?, hierarchy.depth()?);
        let scope = Scope::Type(definition.relationship_type);
        if all.len() < SHOWN {
            table.row([
                definition.name.to_string(),
                place(catalog, scope, &[]),
                count(members),
                count(depth.into()),
            ]);
        }
        all.push(json!({
            "name": *definition.name,
            "type": catalog.scope_name(scope),
            "tree": definition.tree,
            "members": members,
            "depth": depth,
        }));
    }
    reply.first_rows(&table, all.len());
    reply.field("hierarchies", all);
    Ok(())
}

/// What every declaration has, for programs.
fn declared(
    catalog: &Catalog,
    name: &str,
    scope: Scope,
    properties: &[PropertyId],
) -> Map<String, Value> {
    let properties = properties.iter().map(|id| catalog.properties.show(*id));
    let on = if scope.is_node() { "label" } else { "type" };
    let of = match scope {
        Scope::AnyNode | Scope::AnyRelationship => Value::Null,
        Scope::Label(_) | Scope::Type(_) => catalog.scope_name(scope).into(),
    };
    Map::from_iter([
        ("name".to_owned(), name.into()),
        (on.to_owned(), of),
        ("properties".to_owned(), properties.collect()),
    ])
}

/// What a declaration is on, for people: `:Book(title)`, `[:WROTE](year)`.
fn place(catalog: &Catalog, scope: Scope, properties: &[PropertyId]) -> String {
    let name = catalog.scope_name(scope);
    let on = match scope {
        Scope::Label(_) => format!(":{name}"),
        Scope::Type(_) => format!("[:{name}]"),
        Scope::AnyNode | Scope::AnyRelationship => name,
    };
    if properties.is_empty() {
        return on;
    }
    let properties = properties.iter().map(|id| catalog.properties.show(*id));
    format!("{on}({})", properties.collect::<Vec<_>>().join(", "))
}

/// A number with as few digits as tell it from its neighbours: in twice as many bits it would have more.
fn decimal(number: f32) -> Value {
    let digits = format!("{number:?}");
    serde_json::from_str(&digits).unwrap_or(Value::String(digits))
}
