//! The first steps: nodes, relationships, a unique constraint, an index, and reading it all back.
//!
//! `cargo run --example people`

use stratigraph::{Constraint, Database, Direction, Entity, Error, Index, Read, Result, Value};

/// Name, year of birth, field; and who was taught by whom.
const PEOPLE: [(&str, i64, &str); 6] = [
    ("Emmy Noether", 1882, "algebra"),
    ("David Hilbert", 1862, "foundations"),
    ("Hermann Weyl", 1885, "physics"),
    ("Grete Hermann", 1901, "physics"),
    ("Kurt Mahler", 1903, "number theory"),
    ("Ferdinand Lindemann", 1852, "geometry"),
];
const TAUGHT: [(&str, &str); 4] = [
    ("Ferdinand Lindemann", "David Hilbert"),
    ("David Hilbert", "Hermann Weyl"),
    ("Emmy Noether", "Grete Hermann"),
    ("Emmy Noether", "Kurt Mahler"),
];

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("stratigraph-people-{}", std::process::id()));
    let db = Database::create(&folder)?;

    // Declared once, kept by every writer from then on. The constraint brings its index along.
    db.create_constraint(
        Constraint::on_nodes("Person")
            .unique(["name"])
            .named("by_name"),
    )?;
    db.create_index(Index::on_nodes("Person", ["born"]).named("by_birth"))?;

    let mut txn = db.write()?;
    for (name, born, field) in PEOPLE {
        let person = txn.create_node(["Person"], [("name", name), ("field", field)])?;
        txn.set_property(person, "born", born)?;
    }
    for (teacher, student) in TAUGHT {
        let (teacher, student) = (named(&txn, teacher)?, named(&txn, student)?);
        txn.create_relationship(teacher, "TAUGHT", student, [("place", "Göttingen")])?;
    }
    txn.commit()?; // durable, and visible to readers, once it returns

    let read = db.read()?; // one moment of the database, for as long as it is held
    println!("born after 1880, oldest first:");
    for found in read.index("by_birth")?.range(Value::from(1881)..)? {
        let Entity::Node(person) = found? else {
            continue;
        };
        println!("  {}", text(&read.property(person, "name")?));
    }
    let hilbert = named(&read, "David Hilbert")?;
    for (said, direction) in [
        ("was taught by", Direction::Incoming),
        ("taught", Direction::Outgoing),
    ] {
        for neighbour in read.neighbours(hilbert, direction, Some("TAUGHT"))? {
            let other = read.property(neighbour?.node, "name")?;
            println!("David Hilbert {said} {}", text(&other));
        }
    }

    // What breaks a constraint is refused by name, and the transaction goes on without it.
    let mut txn = db.write()?;
    match txn.create_node(["Person"], [("name", "Emmy Noether")]) {
        Err(Error::ConstraintViolation(violation)) => println!("refused: {violation}"),
        Err(error) => return Err(error),
        Ok(_) => println!("a second Emmy Noether, and nobody minds"),
    }
    txn.rollback();

    db.close()?;
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    Ok(())
}

/// A string without the quotes that values are shown with.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("(no name)")
}

/// The person of a name, through the constraint's own index.
fn named(read: &impl Read, name: &str) -> Result<stratigraph::NodeId> {
    let found = read
        .index("by_name")?
        .equal(&[name.into()])?
        .next()
        .transpose()?;
    match found {
        Some(Entity::Node(person)) => Ok(person),
        _ => panic!("nobody is called {name}"),
    }
}
