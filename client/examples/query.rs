//! Statements with parameters, rows into a type of one's own, a plan.
//!
//! Run a server, and this beside it:
//!
//! ```text
//! stratigraph serve /tmp/example
//! cargo run -p stratigraph-client --example query -- http://localhost:7687
//! ```
//!
//! With TLS and a token: `STRATIGRAPH_CA=ca.pem STRATIGRAPH_TOKEN=... cargo run ... -- https://host:7687`.

use serde::Deserialize;
use std::time::Duration;
use stratigraph_client::{Client, Error, Tls};

#[derive(Debug, Deserialize)]
struct Person {
    name: String,
    born: Option<i64>,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let endpoint = std::env::args().nth(1);
    let endpoint = endpoint.unwrap_or_else(|| "http://localhost:7687".to_owned());
    let mut builder = Client::builder(endpoint).timeout(Duration::from_secs(10));
    if let Ok(token) = std::env::var("STRATIGRAPH_TOKEN") {
        builder = builder.token(token);
    }
    if let Ok(authority) = std::env::var("STRATIGRAPH_CA") {
        builder = builder.tls(Tls::new().ca_file(authority)?);
    }
    let client = builder.connect().await?;

    for (name, born) in [
        ("Ada", Some(1815)),
        ("Grace", Some(1906)),
        ("Anonymous", None),
    ] {
        client
            .query("MERGE (p:Person {name: $name}) SET p.born = $born")
            .param("name", name)
            .param("born", born)
            .run()
            .await?;
    }

    // Rows come as they are read, and a row is whatever serde makes of it.
    let mut people = client
        .query("MATCH (p:Person) RETURN p ORDER BY p.name")
        .read_only()
        .rows()
        .await?
        .deserialize::<Person>();
    while let Some(person) = people.next().await? {
        println!("{} was born in {:?}", person.name, person.born);
    }
    if let Some(summary) = people.summary() {
        println!("{summary}");
    }

    // What to do about an error is its kind; where it is, its position.
    if let Err(error) = client
        .query("MATCH (p:Person) RETURN persn.name")
        .run()
        .await
    {
        println!("{:?}: {error}", error.kind());
    }

    let profile = client
        .query("MATCH (p:Person) RETURN count(p)")
        .profile()
        .await?;
    println!("{}", profile.plan);
    Ok(())
}
