//! wip: recall and speed of the graph over a file of f32 rows.
use stratigraph_vector::*;

fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&args[1]).unwrap();
    let dims: usize = args[2].parse().unwrap();
    let get = |name: &str, default: f64| -> f64 {
        args.iter()
            .find_map(|a| a.strip_prefix(&format!("{name}=")))
            .map_or(default, |v| v.parse().unwrap())
    };
    let all: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|c| f32::from_le_bytes(*c))
        .collect();
    let n = all.len() / dims;
    let queries = 1000;
    let (base, query) = all.split_at((n - queries) * dims);
    let n = n - queries;
    let how = Building {
        links: get("links", 31.0) as usize,
        first_links: get("first", 16.0) as usize,
        breadth: get("breadth", 128.0) as usize,
        slack: get("slack", 1.0) as f32,
        threads: get("threads", 1.0) as usize,
        seed: 1,
    };
    let begun = cpu();
    let graph = Graph::build(base, dims, Metric::Cosine, how).unwrap();
    println!(
        "built {n} in {:.2} s, {} bytes each, {:.1} links",
        (cpu() - begun),
        graph.bytes() / n,
        graph.mean_links()
    );
    let kernels = Kernels::best();
    let rows = Rows::new(base, dims).unwrap();
    let mut scores = vec![0.0; n];
    let truth: Vec<Vec<u32>> = query
        .chunks_exact(dims)
        .map(|q| {
            kernels.dot_rows(q, rows, &mut scores).unwrap();
            let mut ids: Vec<u32> = (0..n as u32).collect();
            ids.select_nth_unstable_by(9, |a, b| {
                scores[*b as usize].total_cmp(&scores[*a as usize])
            });
            ids.truncate(10);
            ids
        })
        .collect();
    let mut room = Room::default();
    let mut found = Vec::new();
    let mut exact = vec![0.0; 64];
    let only = get("ef", 0.0) as usize;
    for ef in [10, 16, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256] {
        if only != 0 && ef != only { continue; }
        let rerank = (get("rerank", 30.0) as usize).min(ef);
        let mut best = f64::MAX;
        let mut right = 0;
        let mut work = (0, 0);
        for _ in 0..get("rounds", 3.0) as usize {
            right = 0;
            let before = room.work();
            let begun = cpu();
            for (q, truth) in query.chunks_exact(dims).zip(&truth) {
                graph.near(q, ef, &mut room, &mut found).unwrap();
                found.truncate(rerank);
                let out = &mut exact[..found.len()];
                kernels.dot_gathered(q, rows, &found, out).unwrap();
                let mut order: Vec<(f32, u32)> =
                    out.iter().copied().zip(found.iter().copied()).collect();
                order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
                right += order
                    .iter()
                    .take(10)
                    .filter(|(_, id)| truth.contains(id))
                    .count();
            }
            best = best.min((cpu() - begun));
            let after = room.work();
            work = (after.0 - before.0, after.1 - before.1);
        }
        println!(
            "ef {ef:4}: recall {:.4}, {:.0} queries/s, {} distances, {} steps",
            right as f64 / 10.0 / queries as f64,
            queries as f64 / best,
            work.0 / 1000,
            work.1 / 1000
        );
    }
}
