//! Ten times as many questions as there can be answers, in little memory.
//!
//! First as many clients as there are places ask one thing after the other: what they get done is what the server
//! can do. Then questions come at ten times that rate, whether or not those before them were answered.

use super::clients::{Client, Ending, client, request, run as ask};
use super::{Found, RunArgs};
use crate::serving::{PATIENCE, Served};
use anyhow::{Result, ensure};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// What is asked: some processor time, and some memory for rows, both by `$n`.
const SORT: &str = "UNWIND range(1, $n) AS i WITH toString(i * 7919 % 1000003) AS s ORDER BY s DESC RETURN count(s) AS n";
/// So many rows take some ten milliseconds.
const ROWS: i64 = 20_000;
/// One in so many questions is for much more memory.
const ONE_IN: u64 = 50;
const MANY_ROWS: i64 = 150_000;
const WRITE: &str = "UNWIND range(1, 10) AS i CREATE (:Row {i: i, n: $n})";
const PLACES: usize = 8;
const CONNECTIONS: usize = 32;
const TIMES: f64 = 10.0;
/// More calls than these at a time would only fill our own memory.
const MOST_UNDER_WAY: usize = 20_000;

const LIMITED: &str = "max_queries = 8\nmax_queued = 32\nmax_queue_wait = \"500ms\"\nmax_write_queue_wait = \"500ms\"\n\
    max_query_memory = \"32MiB\"\nmax_total_memory = \"512MiB\"\ncache_size = \"64MiB\"\n";
/// What a server without limits would be: everybody gets a thread and all the memory that he wants.
const UNLIMITED: &str = "max_queries = 4096\nmax_queued = 100000\nmax_queue_wait = \"600s\"\nmax_write_queue_wait = \"600s\"\n\
    max_query_time = \"600s\"\nmax_query_memory = \"4GiB\"\nmax_total_memory = \"65536GiB\"\ncache_size = \"64MiB\"\n";

#[derive(Debug, Default)]
struct Count {
    answered: u64,
    shed: u64,
    /// Kept away from the server by ourselves.
    held_back: u64,
    wrong: Vec<String>,
}

impl Count {
    fn add(&mut self, ending: Ending) {
        match ending {
            Ending::Answered => self.answered += 1,
            Ending::Shed => self.shed += 1,
            Ending::Wrong(what) => self.wrong.push(what),
        }
    }
}

pub(super) async fn run(args: &RunArgs, seed: u64, folder: &Path) -> Result<Found> {
    let settings = if args.unlimited { UNLIMITED } else { LIMITED };
    let mut server = Served::start(folder, settings)?;
    let mut found = Found::default();
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        clients.push(client(&server.address).await?);
    }
    let calm = Duration::from_secs((args.seconds / 4).clamp(2, 30));
    let peak = capacity(&clients, calm).await?;
    ensure!(peak > 0.0, "nothing was answered");
    let length = Duration::from_secs(args.seconds.max(2));
    let flooded = flood(&clients, peak * TIMES, seed, length).await;
    // Before anything is asked of a server that may be gone.
    if let Err(why) = server.memory_is_fine() {
        found.wrong.push(why);
        return Ok(found);
    }
    let calm_again = recover(&server, &mut clients[0]).await?;
    let goodput = flooded.answered as f64 / length.as_secs_f64() / peak;
    let most = server.memory_use()?.most;
    found.figure("peak_per_s", format!("{peak:.0}"));
    found.figure("answered", flooded.answered);
    found.figure("shed", flooded.shed);
    found.figure("held_back", flooded.held_back);
    found.figure("goodput", format!("{goodput:.2}"));
    found.figure("calm_after_s", format!("{:.1}", calm_again.as_secs_f64()));
    found.figure("memory_mib", most >> 20);
    found.figure("limit_enforced", server.memory_is_limited());
    found.require(flooded.wrong.is_empty(), || {
        format!(
            "{} calls ended in another way, such as {}",
            flooded.wrong.len(),
            flooded.wrong[0]
        )
    });
    found.require(flooded.shed > 0, || {
        "this proves nothing: nothing was refused".to_owned()
    });
    found.require(goodput >= args.least_goodput, || {
        format!(
            "goodput is {goodput:.2} of what it was, and {} is the least",
            args.least_goodput
        )
    });
    Ok(found)
}

/// How many answers there are in a second when nobody has to wait.
async fn capacity(clients: &[Client], length: Duration) -> Result<f64> {
    let began = Instant::now();
    let mut asking = JoinSet::new();
    for client in clients.iter().take(PLACES) {
        let mut client = client.clone();
        asking.spawn(async move {
            let mut count = 0_u64;
            while began.elapsed() < length {
                ask(&mut client, request(SORT, ROWS)).await?;
                count += 1;
            }
            Ok::<_, tonic::Status>(count)
        });
    }
    let mut count = 0;
    while let Some(asked) = asking.join_next().await {
        count += asked??;
    }
    Ok(count as f64 / began.elapsed().as_secs_f64())
}

/// Asks so often in a second, for so long, and waits for what is still under way.
async fn flood(clients: &[Client], per_second: f64, seed: u64, length: Duration) -> Count {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut count = Count::default();
    let mut asking = JoinSet::new();
    let began = Instant::now();
    let mut asked = 0_u64;
    let mut every = tokio::time::interval(Duration::from_millis(5));
    while began.elapsed() < length {
        every.tick().await;
        let due = (began.elapsed().as_secs_f64() * per_second) as u64;
        for number in asked..due {
            if asking.len() >= MOST_UNDER_WAY {
                count.held_back += 1;
                continue;
            }
            let mut client = clients[random.usize(..clients.len())].clone();
            let what = match number % ONE_IN {
                0 => request(SORT, MANY_ROWS),
                1..5 => request(WRITE, number as i64),
                _ => request(SORT, ROWS),
            };
            asking.spawn(async move { Ending::of(&ask(&mut client, what).await) });
        }
        asked = due.max(asked);
        while let Some(ended) = asking.try_join_next() {
            count.add(ended.unwrap_or_else(|error| Ending::Wrong(error.to_string())));
        }
    }
    while let Some(ended) = asking.join_next().await {
        count.add(ended.unwrap_or_else(|error| Ending::Wrong(error.to_string())));
    }
    count
}

/// How long it takes until nobody waits and a question is answered.
async fn recover(server: &Served, client: &mut Client) -> Result<Duration> {
    let began = Instant::now();
    server
        .until("nothing runs any more", |now| {
            now.running + now.waiting + now.writers == 0
        })
        .await?;
    while ask(client, request(SORT, ROWS)).await.is_err() {
        ensure!(began.elapsed() < PATIENCE, "it answers nothing any more");
    }
    Ok(began.elapsed())
}
