//! `get_vs_raw` and `unique_vs_raw`: a node with labels and small properties, by id and by a unique
//! property, everything in the cache. Raw is one pinned read of the same record by its key.

use super::content::{Content, email};
use crate::measure::Setup;
use crate::measure::allocations;
use crate::measure::cpu_time::CpuTime;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Context, Result};
use rocksdb::ReadOptions;
use std::time::Duration;
use stratigraph::storage::family::Family;
use stratigraph::{Entity, NodeId, Read, Value};

pub(super) fn measure(setup: &Setup, content: &Content, report: &mut Report) -> Result<()> {
    let (rounds, reads) = setup.choose((41, 10_000_u32), (101, 20_000));
    println!("get        {rounds} rounds of {reads} random nodes, by id and by unique property");
    let all: Vec<u64> = (0..content.nodes).collect();
    let emails: Vec<(Value, u64)> = all.iter().map(|id| (email(*id).into(), *id)).collect();
    setup.progress("get: warm up");
    by_id(content, &all)?;
    by_email(content, &emails)?;
    raw(content, &all)?;
    let choose = |round: usize| {
        let mut random = fastrand::Rng::with_seed(setup.seed ^ (round as u64) << 32);
        Ok((0..reads)
            .map(|_| random.u64(..content.nodes))
            .collect::<Vec<_>>())
    };
    let nanoseconds = |seconds: f64| seconds * 1e9 / f64::from(reads);

    setup.progress("get: by id");
    let mut made = 0;
    let measured = Rounds::run(
        rounds,
        choose,
        |ids| {
            let before = allocations::so_far();
            let time = by_id(content, ids)?;
            made = allocations::so_far() - before;
            Ok(time)
        },
        |ids| raw(content, ids),
    )?;
    let mark = Some(Mark::AtMost(1.5));
    report.compare("get_vs_raw", &measured.map(nanoseconds), "ns CPU", mark);
    let made = made as f64 / f64::from(reads);
    report.count("get_allocations", made, None, "per get", None);

    setup.progress("get: by unique property");
    let measured = Rounds::run(
        rounds,
        |round| {
            let ids = choose(round)?;
            let emails = ids.iter().map(|id| (email(*id).into(), *id));
            Ok((emails.collect::<Vec<_>>(), ids))
        },
        |(emails, _)| by_email(content, emails),
        |(_, ids)| raw(content, ids),
    )?;
    let mark = Some(Mark::AtMost(2.5));
    report.compare("unique_vs_raw", &measured.map(nanoseconds), "ns CPU", mark);
    Ok(())
}

fn by_id(content: &Content, ids: &[u64]) -> Result<Duration> {
    let read = content.ours.read()?;
    let begun = CpuTime::now();
    let mut seen = 0;
    for id in ids {
        let node = read.node(NodeId::new(*id))?.context("a node is missing")?;
        seen += node.label_ids().len() + node.property_ids().len();
    }
    let took = begun.elapsed();
    anyhow::ensure!(seen == ids.len() * 6, "labels or properties are missing");
    Ok(took)
}

fn by_email(content: &Content, emails: &[(Value, u64)]) -> Result<Duration> {
    let read = content.ours.read()?;
    let begun = CpuTime::now();
    let index = read.index("email")?;
    for (email, id) in emails {
        let found = index.equal(std::slice::from_ref(email))?.next();
        let Some(Entity::Node(node)) = found.transpose()? else {
            anyhow::bail!("{email} was not found");
        };
        let node = read.node(node)?.context("a node is missing")?;
        anyhow::ensure!(node.id().get() == *id, "{email} has led to another node");
    }
    Ok(begun.elapsed())
}

fn raw(content: &Content, ids: &[u64]) -> Result<Duration> {
    let nodes = content.raw.family(Family::Nodes)?;
    let options = ReadOptions::default();
    let begun = CpuTime::now();
    let mut sum = 0;
    for id in ids {
        let value = content
            .raw
            .db
            .get_pinned_cf_opt(nodes, id.to_be_bytes(), &options)?;
        sum += value.map_or(0, |value| value.len());
    }
    let took = begun.elapsed();
    anyhow::ensure!(sum > 0, "raw has read nothing");
    Ok(took)
}
