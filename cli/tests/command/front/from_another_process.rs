// The example of README.md, word for word but for these lines. `../front.rs` includes it, so there is no inner documentation.

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
