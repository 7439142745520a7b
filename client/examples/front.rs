// The example of README.md, which a test holds against this file and runs: with `stratigraph serve DIR` beside it,
// `cargo run -p stratigraph-client --example front`. (No inner documentation: the test includes this file within its own.)

use serde::Deserialize;
use stratigraph_client::{Client, Error};

#[derive(Deserialize)]
struct Account {
    owner: String,
    money: i64,
}

async fn pay(address: &str) -> Result<Vec<Account>, Error> {
    let client = Client::connect(address).await?;
    client
        .query("UNWIND $owners AS owner MERGE (a:Account {owner: owner}) SET a.money = 100")
        .param("owners", vec!["Ann", "Bob"])
        .run()
        .await?;
    // A transaction is a closure: it commits if that ends well, and is rolled back if not.
    client
        .write(async |txn| {
            txn.query("MATCH (a:Account {owner: 'Ann'}) SET a.money = a.money - 70")
                .run()
                .await?;
            txn.query("MATCH (a:Account {owner: 'Bob'}) SET a.money = a.money + 70")
                .run()
                .await
        })
        .await?;
    client
        .query("MATCH (a:Account) WHERE a.money > $least RETURN a.owner AS owner, a.money AS money ORDER BY owner")
        .param("least", 0)
        .read_only() // so it may be asked again if the connection breaks
        .all()
        .await
}

// What follows is not in README.md.
#[tokio::main]
async fn main() -> Result<(), Error> {
    for account in pay("http://localhost:7687").await? {
        println!("{}: {}", account.owner, account.money);
    }
    Ok(())
}
