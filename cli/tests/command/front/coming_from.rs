// The examples in Rust of docs/coming-from.md, each within a function. `../front.rs` includes it, so there is no inner documentation.

use stratigraph::Database;

type Done = Result<(), Box<dyn std::error::Error>>;

fn neo4j() -> Done {
    let db = Database::open("library")?; // in the same process: no server
    let friends = "MATCH (p:Person {name: $who})-[:KNOWS]->{1,2}(f) RETURN f.name AS name";
    for row in db.query(friends, [("who", "Ada")])? {
        println!("{}", row?.get::<String>("name")?);
    }
    Ok(())
}

fn kuzu() -> Done {
    let db = Database::open("people")?;
    let friends = "MATCH (a:Person)-[:KNOWS*1..2]->(b) WHERE a.name = $who RETURN b.name AS name";
    for row in db.query(friends, [("who", "Ada")])? {
        println!("{}", row?.get::<String>("name")?);
    }
    Ok(())
}
