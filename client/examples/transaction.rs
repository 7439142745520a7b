//! Transactions as closures: all or nothing, and done again when the server goes away in between.
//!
//! Run a server, and this beside it:
//!
//! ```text
//! stratigraph serve /tmp/example
//! cargo run -p stratigraph-client --example transaction -- http://localhost:7687
//! ```

use anyhow::{Result, ensure};
use stratigraph_client::{Client, Error, ErrorKind};

#[tokio::main]
async fn main() -> Result<()> {
    let endpoint = std::env::args().nth(1);
    let endpoint = endpoint.unwrap_or_else(|| "http://localhost:7687".to_owned());
    let client = Client::connect(endpoint).await?;
    client
        .query("MERGE (a:Account {name: 'a'}) MERGE (b:Account {name: 'b'}) SET a.money = 100, b.money = 0")
        .run()
        .await?;

    pay(&client, 70).await?;
    println!("paid 70");
    match pay(&client, 70).await {
        Ok(()) => println!("paid 70 again"),
        Err(error) => println!("not paid: {error}"),
    }

    // Two statements over one snapshot, whatever others commit meanwhile.
    let (a, b) = client
        .read(async |txn| {
            let of = "MATCH (a:Account {name: $name}) RETURN a.money";
            let a: i64 = txn.query(of).param("name", "a").one().await?;
            let b: i64 = txn.query(of).param("name", "b").one().await?;
            Ok::<_, Error>((a, b))
        })
        .await?;
    println!("a has {a}, b has {b}");
    ensure!(a + b == 100, "money was made");
    Ok(())
}

/// Takes money from one account and gives it to another.
async fn pay(client: &Client, amount: i64) -> Result<()> {
    let paid = client
        .write(async |txn| {
            let left: i64 = txn
                .query(
                    "MATCH (a:Account {name: 'a'}) SET a.money = a.money - $amount RETURN a.money",
                )
                .param("amount", amount)
                .one()
                .await?;
            // An `Err` rolls all of it back.
            ensure!(left >= 0, "there is not enough");
            txn.query("MATCH (b:Account {name: 'b'}) SET b.money = b.money + $amount")
                .param("amount", amount)
                .run()
                .await?;
            Ok(())
        })
        .await;
    if let Err(error) = &paid
        && let Some(error) = error.downcast_ref::<Error>()
        && error.kind() == ErrorKind::OutcomeUnknown
    {
        println!("look whether it was paid before paying again");
    }
    paid
}
