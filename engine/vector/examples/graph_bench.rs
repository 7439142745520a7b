//! wip: recall and speed of the index over a file of f32 rows.
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
    drop(bytes);
    let n = all.len() / dims;
    let queries = 1000;
    let (base, query) = all.split_at((n - queries) * dims);
    let n = n - queries;
    let coding = match get("coding", 0.0) as u32 {
        0 => Coding::Halves,
        1 => Coding::Bytes,
        _ => Coding::Whole,
    };
    let mut settings = Settings::new(dims, Metric::Cosine)
        .coding(coding)
        .breadth(get("breadth", 128.0) as usize)
        .threads(get("threads", 1.0) as usize)
        .memory_limit(16 << 30);
    if get("file", 0.0) > 0.0 {
        settings = settings.rerank(Rerank::File("/work/vecdata/rerank.bin".into()));
    }
    let index = settings.build().unwrap();
    let begun = cpu();
    for (id, row) in base.chunks_exact(dims).enumerate() {
        index.insert(1, id as u64, row).unwrap();
    }
    let inserted = cpu();
    index.tend(1);
    let memory = index.memory();
    println!(
        "built {n} in {:.2} + {:.2} s, {} bytes each, {memory:?}",
        inserted - begun,
        cpu() - inserted,
        (memory.total() - memory.originals) / n,
    );
    let kernels = Kernels::best();
    let rows = Rows::new(base, dims).unwrap();
    let mut scores = vec![0.0; n];
    let truth: Vec<Vec<u64>> = query
        .chunks_exact(dims)
        .map(|q| {
            kernels.dot_rows(q, rows, &mut scores).unwrap();
            let mut ids: Vec<u64> = (0..n as u64).collect();
            ids.select_nth_unstable_by(9, |a, b| {
                scores[*b as usize].total_cmp(&scores[*a as usize])
            });
            ids.truncate(10);
            ids
        })
        .collect();
    let begun = cpu();
    index.calibrate().unwrap();
    println!("calibrated in {:.2} s", cpu() - begun);
    let only = get("ef", 0.0) as usize;
    for ef in [10, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 192, 256] {
        if only != 0 && ef != only {
            continue;
        }
        let mut best = f64::MAX;
        let mut right = 0;
        let (mut compared, mut steps, mut estimate) = (0, 0, 0.0);
        for _ in 0..get("rounds", 3.0) as usize {
            right = 0;
            (compared, steps) = (0, 0);
            let begun = cpu();
            for (q, truth) in query.chunks_exact(dims).zip(&truth) {
                let answer = index
                    .search(&Query::new(q, 10).effort(Effort::Breadth(ef)))
                    .unwrap();
                right += answer
                    .hits
                    .iter()
                    .filter(|hit| truth.contains(&hit.id))
                    .count();
                compared += answer.compared;
                steps += answer.steps;
                estimate = answer.estimated_recall.unwrap();
            }
            best = best.min(cpu() - begun);
        }
        println!(
            "ef {ef:4}: recall {:.4} (estimated {estimate:.4}), {:.0} queries/s, {} compared, {} steps",
            right as f64 / 10.0 / queries as f64,
            queries as f64 / best,
            compared / 1000,
            steps / 1000
        );
    }
}
