//! A document as a hierarchy: headings below headings, a level for each, and a part that moves.
//!
//! `cargo run --example outline`, or with a folder that does not exist yet, to keep the database

use stratigraph::{
    Database, Direction, Error, HierarchyOptions, NO_PROPERTIES, NodeId, Read, Result,
};

/// Depth and heading, in reading order; of the Rust Reference, more or less.
const HEADINGS: [(usize, &str); 10] = [
    (0, "The Rust Reference"),
    (1, "Lexical structure"),
    (2, "Tokens"),
    (3, "Literals"),
    (2, "Whitespace"),
    (1, "Items"),
    (2, "Functions"),
    (2, "Traits"),
    (1, "Type system"),
    (2, "Lifetimes"),
];

fn main() -> Result<()> {
    let db = match std::env::args_os().nth(1) {
        Some(folder) => Database::create(folder)?,
        None => Database::in_memory()?,
    };
    db.create_hierarchy(HierarchyOptions::new("outline", "HAS_CHILD").tree())?;

    let mut txn = db.write()?;
    let mut path: Vec<NodeId> = Vec::new();
    let mut sections = Vec::new();
    for (depth, heading) in HEADINGS {
        let section = txn.create_node(["Section"], [("heading", heading)])?;
        path.truncate(depth);
        if let Some(parent) = path.last() {
            txn.create_relationship(*parent, "HAS_CHILD", section, NO_PROPERTIES)?;
        }
        path.push(section);
        sections.push(section);
    }
    txn.commit()?;
    show(&db)?;

    // Tokens, with everything below it, moves one level down. One transaction: nobody ever sees it
    // without a parent.
    let (tokens, whitespace) = (sections[2], sections[4]);
    let mut txn = db.write()?;
    let up = txn
        .neighbours(tokens, Direction::Incoming, Some("HAS_CHILD"))?
        .next();
    if let Some(up) = up.transpose()? {
        txn.delete_relationship(up.relationship)?;
    }
    txn.create_relationship(whitespace, "HAS_CHILD", tokens, NO_PROPERTIES)?;

    // The hierarchy stays one: a cycle is refused, and the message shows it.
    match txn.create_relationship(sections[3], "HAS_CHILD", sections[0], NO_PROPERTIES) {
        Err(refused @ Error::HierarchyCycle { .. }) => println!("refused: {refused}\n"),
        other => println!("{other:?}"),
    }
    txn.commit()?;
    show(&db)?;
    db.close()
}

/// Level by level, from the roots down.
fn show(db: &Database) -> Result<()> {
    let read = db.read()?;
    let outline = read.hierarchy("outline")?;
    for level in 0..outline.depth()? {
        let mut headings = Vec::new();
        for section in &outline.members(level)? {
            headings.push(read.property(NodeId::new(section), "heading")?.to_string());
        }
        println!("level {level}: {}", headings.join(", "));
    }
    println!();
    Ok(())
}
