//! Algorithms over a snapshot: a bulk load, who matters, who belongs together, and a walk from level
//! to level that keeps what is like a query.
//!
//! `cargo run --release --example communities`

use stratigraph::algo::leiden::{LeidenOptions, Undirected, leiden};
use stratigraph::algo::snapshot::{GraphSteps, Selection, VectorTable};
use stratigraph::algo::traverse::{Keep, Measure, NodeVectors, Traverse, VectorScorer, Where};
use stratigraph::algo::{PageRankOptions, pagerank, top_k};
use stratigraph::clock::SystemClock;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, Direction, NO_PROPERTIES, NodeId, Read, Value, Vector};

/// Characters of Les Misérables who appear together, by groups.
const GROUPS: [&[&str]; 4] = [
    &["Valjean", "Javert", "Fantine", "Cosette", "Myriel"],
    &[
        "Thenardier",
        "Eponine",
        "Gavroche",
        "Montparnasse",
        "Brujon",
    ],
    &[
        "Enjolras",
        "Combeferre",
        "Courfeyrac",
        "Bahorel",
        "Grantaire",
        "Joly",
    ],
    &[
        "Gillenormand",
        "Pontmercy",
        "Mlle Vaubois",
        "Lt Gillenormand",
    ],
];
/// And across them.
const ACROSS: [(&str, &str); 6] = [
    ("Valjean", "Thenardier"),
    ("Javert", "Gavroche"),
    ("Gavroche", "Enjolras"),
    ("Pontmercy", "Thenardier"),
    ("Cosette", "Gillenormand"),
    ("Javert", "Enjolras"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = Database::in_memory()?;
    let mut watch = Watch::quiet();

    // A bulk load takes any number of nodes and relationships in bounded memory, and is whole or not
    // at all. A real vector would come from an embedding model; here each group has its own corner.
    let mut load = db.bulk_load()?;
    let mut known: Vec<(&str, NodeId)> = Vec::new();
    for (group, members) in GROUPS.iter().enumerate() {
        let mut corner = [0.1_f32; 4];
        corner[group] = 1.0;
        let vector = Value::Vector(Vector::new(corner.to_vec())?);
        for name in *members {
            let properties = [("name", Value::from(*name)), ("emb", vector.clone())];
            known.push((name, load.add_node(["Character"], properties)?));
        }
    }
    let named = |name: &str| {
        known
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, node)| *node)
    };
    let within = GROUPS.iter().flat_map(|members| {
        let pairs = members.iter().enumerate();
        pairs.flat_map(|(at, one)| members[at + 1..].iter().map(move |other| (*one, *other)))
    });
    for (one, other) in within.chain(ACROSS) {
        if let (Some(one), Some(other)) = (named(one), named(other)) {
            load.add_relationship(one, "APPEARS_WITH", other, NO_PROPERTIES)?;
        }
    }
    load.finish(&mut watch)?;

    // A projection is a copy of part of one commit in flat arrays; the same one again costs nothing.
    let read = db.read()?;
    let graph = read.project(
        &Selection::all()
            .relationship_type("APPEARS_WITH")
            .undirected(),
    )?;
    let ranks = pagerank(&graph, &PageRankOptions::default(), &mut watch)?;
    println!("who matters:");
    for (place, score) in top_k(&ranks.scores, 5) {
        let Some(node) = graph.node(place) else {
            continue;
        };
        println!("  {:.3}  {}", score, read.property(node, "name")?);
    }

    let found = leiden(
        &Undirected::of(&graph)?,
        &LeidenOptions::default(),
        &mut watch,
    )?;
    println!(
        "{} communities, modularity {:.3}:",
        found.best().count,
        found.best().quality
    );
    for community in 0..found.best().count {
        let mut names = Vec::new();
        for (place, node) in graph.nodes().iter().enumerate() {
            if found.best().community[place] == community {
                names.push(read.property(*node, "name")?.to_string());
            }
        }
        println!("  {}", names.join(", "));
    }

    // From one node outwards, level by level, keeping what is like the query: here, Enjolras's friends.
    let table = VectorTable::read(&read, "emb", None)?;
    let vectors = NodeVectors::of_nodes(table.nodes(), table.rows()?).ok_or("unsorted rows")?;
    let query = [0.1, 0.1, 1.0, 0.1];
    let mut steps = GraphSteps::new(&read, Direction::Both, Some("APPEARS_WITH"))?;
    let start = named("Gavroche").ok_or("nobody of that name")?;
    let walk = Traverse::from([start])
        .unfiltered()
        .levels(0, Some(2))
        .scorer(VectorScorer::new(&vectors, &query, Measure::Cosine)?)
        .keep(Keep::all().only(Where::Above(0.5)))
        .run(&mut steps, &SystemClock::new())?;
    println!("from Gavroche towards the Friends of the ABC:");
    for row in walk.rows.iter() {
        println!(
            "  level {}: {} ({:.2})",
            row.level,
            read.property(row.node, "name")?,
            row.score.unwrap_or(f64::NAN)
        );
    }
    Ok(())
}
