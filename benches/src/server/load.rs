//! Clients that ask one thing after the other, each over a connection of its own.

use super::content::{client, point, prepare};
use anyhow::{Result, ensure};
use std::time::{Duration, Instant};
use stratigraph_proto::v1::query_service_client::QueryServiceClient;
use tonic::transport::Channel;

/// Clients of one server.
pub(super) struct Clients {
    all: Vec<QueryServiceClient<Channel>>,
    prepared: String,
    people: usize,
}

/// What a round has given.
pub(super) struct Answered {
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) per_second: f64,
    pub(super) calls: usize,
}

impl Clients {
    /// So many, connected.
    pub(super) async fn connect(address: &str, connections: usize, people: usize) -> Result<Self> {
        let mut all = Vec::new();
        for _ in 0..connections {
            all.push(client(address).await?);
        }
        let prepared = prepare(&mut all[0]).await?;
        Ok(Self {
            all,
            prepared,
            people,
        })
    }

    /// All of them ask for so long; an answer that fails, or is not whole, ends it.
    pub(super) async fn ask(&self, seed: u64, length: Duration) -> Result<Answered> {
        let begun = Instant::now();
        let until = begun + length;
        let mut tasks = Vec::new();
        for (number, client) in self.all.iter().enumerate() {
            let (mut client, prepared) = (client.clone(), self.prepared.clone());
            let (people, mut random) = (
                self.people,
                fastrand::Rng::with_seed(seed.wrapping_add(number as u64)),
            );
            tasks.push(tokio::spawn(async move {
                let mut took = Vec::new();
                loop {
                    let begun = Instant::now();
                    if begun >= until {
                        return Ok::<_, anyhow::Error>(took);
                    }
                    let request = point(&prepared, random.usize(..people));
                    let mut parts = client.query(request).await?.into_inner();
                    let mut count = 0;
                    while parts.message().await?.is_some() {
                        count += 1;
                    }
                    ensure!(count == 3, "{count} messages instead of 3");
                    took.push(begun.elapsed().as_nanos() as f64 / 1000.0);
                }
            }));
        }
        let mut took = Vec::new();
        for task in tasks {
            took.extend(task.await??);
        }
        let elapsed = begun.elapsed().as_secs_f64();
        took.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize];
        Ok(Answered {
            p50: at(0.5),
            p99: at(0.99),
            per_second: took.len() as f64 / elapsed,
            calls: took.len(),
        })
    }
}
