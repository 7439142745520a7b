//! RECOVER by the codes of a vector index beside RECOVER by the vectors themselves, on random hierarchies: the same
//! rows to the last bit, whatever was committed, is not committed, or was at an earlier commit.
//!
//! Fifteen graphs if nothing else is said; see `mod.rs` for more, or for one again.
//!
//! Next: `wording.rs`.

use super::seeds;
use fastrand::Rng;
use stratigraph::{
    Coding, Database, HierarchyOptions, Metric, NodeId, Parameters, QueryOptions, Read, ReadTxn,
    Rows, Strategy, Value, Vector, VectorIndex, WriteTxn,
};

/// How many queries each graph is asked.
const QUERIES: usize = 8;

struct Graph {
    database: Database,
    dimensions: usize,
    function: &'static str,
    centres: Vec<Vec<f32>>,
    /// Nodes of the hierarchy, level by level.
    levels: Vec<Vec<NodeId>>,
}

impl Graph {
    fn random(rng: &mut Rng) -> Self {
        let database = Database::in_memory().unwrap();
        let dimensions = rng.usize(2..40);
        let (metric, function) = rng
            .choice([
                (Metric::Cosine, "vector.cosine"),
                (Metric::Dot, "vector.dot"),
            ])
            .unwrap();
        let coding = rng
            .choice([Coding::Halves, Coding::Halves, Coding::Bytes, Coding::Whole])
            .unwrap();
        let index = match rng.u8(..4) {
            0 => VectorIndex::on_any_node("emb", dimensions),
            _ => VectorIndex::on_nodes("N", "emb", dimensions),
        };
        let index = index.metric(metric).coding(coding).named("embs");
        let any = rng.bool();
        if any {
            database.create_vector_index(index.clone()).unwrap();
        }
        let outline = HierarchyOptions::new("outline", "HAS");
        database.create_hierarchy(outline).unwrap();
        let centre = |rng: &mut Rng| (0..dimensions).map(|_| rng.f32() - 0.5).collect();
        let mut graph = Self {
            dimensions,
            function,
            centres: (0..4).map(|_| centre(rng)).collect(),
            levels: Vec::new(),
            database,
        };
        let mut txn = graph.database.write().unwrap();
        for count in [rng.usize(1..4), rng.usize(17..60), rng.usize(60..160)] {
            let level: Vec<NodeId> = (0..count)
                .map(|_| {
                    let vector = graph.embedding(rng);
                    let given = vector.map(|vector| ("emb", vector));
                    let labels = rng
                        .choice([&["N"][..], &["N"], &["N", "M"], &["M"]])
                        .unwrap();
                    txn.create_node(labels.iter().copied(), given).unwrap()
                })
                .collect();
            if let Some(above) = graph.levels.last() {
                for node in &level {
                    let parent = rng.choice(above.iter().copied()).unwrap();
                    let none = stratigraph::NO_PROPERTIES;
                    txn.create_relationship(parent, "HAS", *node, none).unwrap();
                }
            }
            graph.levels.push(level);
        }
        txn.commit().unwrap();
        if !any {
            graph.database.create_vector_index(index).unwrap();
        }
        graph
    }

    /// Near one of few centres, often the same as another's, or none.
    fn embedding(&self, rng: &mut Rng) -> Option<Value> {
        let spread = [0.0, 0.0, 0.01, 0.3][rng.usize(..4)];
        (rng.u8(..8) > 0).then(|| Value::Vector(Vector::new(self.near(rng, spread)).unwrap()))
    }

    fn near(&self, rng: &mut Rng, spread: f32) -> Vec<f32> {
        let centre = &self.centres[rng.usize(..self.centres.len())];
        let long = [1.0, 1.0, 3.0, 1e-12][rng.usize(..4)];
        centre
            .iter()
            .map(|one| (one + spread * (rng.f32() - 0.5)) * long)
            .collect()
    }

    /// Changes some embeddings and labels, and deletes some nodes.
    fn change(&self, rng: &mut Rng, txn: &mut WriteTxn) {
        for _ in 0..rng.usize(1..20) {
            let level = &self.levels[rng.usize(1..self.levels.len())];
            let node = level[rng.usize(..level.len())];
            if !txn.contains(node).unwrap() {
                continue;
            }
            match rng.u8(..8) {
                0 => txn.detach_delete_node(node).map(drop).unwrap(),
                1 => txn.remove_label(node, "N").unwrap(),
                2 => txn.add_label(node, "N").unwrap(),
                _ => {
                    let value = self.embedding(rng).unwrap_or(Value::Null);
                    txn.set_property(node, "emb", value).unwrap();
                }
            }
        }
    }

    fn query(&self, rng: &mut Rng) -> (String, Parameters) {
        let spread = [0.0, 0.1, 1.0][rng.usize(..3)];
        let to: Vec<Value> = self
            .near(rng, spread)
            .iter()
            .map(|one| f64::from(*one).into())
            .collect();
        let bound = |rng: &mut Rng| {
            let sign = rng.choice([">", ">="]).unwrap();
            // Some bounds are scores.
            let value = match rng.u8(..3) {
                0 => "1.0".to_owned(),
                1 => format!("{}(n0.emb, $q)", self.function),
                _ => format!("{:?}", rng.f64() * 1.5 - 0.5),
            };
            format!(" WHERE score {sign} {value}")
        };
        let mut keep = String::new();
        if rng.bool() {
            keep = format!(" TOP {}", rng.u8(..12));
        }
        if keep.is_empty() || rng.bool() {
            keep += &bound(rng);
        }
        let label = rng.choice(["", ":N", ":M"]).unwrap();
        let own = match rng.bool() {
            true => format!(" SCORE {}(m.emb, $q)", self.function),
            false => String::new(),
        };
        let emit = rng.choice(["", " EMIT CANDIDATES"]).unwrap();
        let columns = "node, level, score, status, parent, rank";
        let text = format!(
            "MATCH (n0) WHERE id(n0) = $first OPTIONAL MATCH (r) WHERE id(r) = $root \
             TRAVERSE FROM r STEP (a)-[:HAS]->(b) LEVELS 0..3 SCORE {}(b.emb, $q) KEEP WHERE score > {} \
             RECOVER (m{label} WHERE level(m, 'outline') = level){own} KEEP{keep}{emit} \
             YIELD {columns} RETURN {columns}",
            self.function,
            [0.9, -2.0][rng.usize(..2)],
        );
        let id = |node: NodeId| Value::from(i64::try_from(node.get()).unwrap());
        let parameters = Parameters::from([
            ("q", Value::from(to)),
            ("root", id(self.levels[0][0])),
            ("first", id(self.levels[1][0])),
        ]);
        (text, parameters)
    }
}

/// Rows to the last bit, how many members codes have told of and how many they have left, and the distances.
fn told(rows: stratigraph::Result<Rows<'_>>) -> (Vec<String>, (u64, u64), u64) {
    let mut rows = rows.unwrap();
    let mut found = Vec::new();
    for row in rows.by_ref() {
        let row = row.unwrap();
        let bits = row.values().iter().filter_map(Value::as_float);
        let bits: Vec<u64> = bits.map(f64::to_bits).collect();
        found.push(format!("{:?} {bits:?}", row.values()));
    }
    let summary = rows.finish().unwrap();
    let (mut compared, mut left) = (0, 0);
    for report in summary.searches() {
        assert_eq!(report.strategy, Some(Strategy::Proven));
        assert!(report.exact && &*report.index == "embs");
        compared += report.compared;
        left += report.found;
    }
    let work = summary.operators().iter().filter_map(|of| of.work());
    let distances = work.map(|work| work.distances).sum();
    (found, (compared, left), distances)
}

fn reads(txn: &ReadTxn, (text, parameters): &(String, Parameters)) -> (u64, u64) {
    let ask = |text: &str, optimise| {
        let options = QueryOptions::new().optimise(optimise);
        told(txn.query_with(text, parameters.clone(), &options))
    };
    let (rows, codes, _) = ask(text, true);
    let (plain, without, _) = ask(text, false);
    assert_eq!(rows, plain, "{text}");
    assert_eq!(without, (0, 0), "{text}");
    codes
}

#[test]
fn rows_by_codes_are_the_rows_by_vectors() {
    let (mut compared, mut left) = (0, 0);
    for seed in seeds(15) {
        println!("seed {seed}");
        let rng = &mut Rng::with_seed(seed);
        let graph = Graph::random(rng);
        let before = graph.database.read().unwrap();
        for _ in 0..rng.usize(..3) {
            let mut txn = graph.database.write().unwrap();
            graph.change(rng, &mut txn);
            txn.commit().unwrap();
        }
        let now = graph.database.read().unwrap();
        let mut txn = graph.database.write().unwrap();
        for _ in 0..QUERIES {
            let query = graph.query(rng);
            for read in [&before, &now] {
                let codes = reads(read, &query);
                compared += codes.0;
                left += codes.1;
            }
            // With changes of its own, which codes do not have.
            graph.change(rng, &mut txn);
            let (text, parameters) = &query;
            let mut ask = |optimise| {
                let options = QueryOptions::new().optimise(optimise);
                told(txn.query_with(text, parameters.clone(), &options)).0
            };
            assert_eq!(ask(true), ask(false), "{text}");
        }
    }
    println!("{compared} compared, {left} left");
    assert!(compared > 0, "codes are never asked");
    assert!(left * 2 < compared, "{left} of {compared} are left");
}

#[test]
fn as_many_distances_are_counted_with_codes_as_without() {
    let mut asked = 0;
    for seed in seeds(4) {
        let rng = &mut Rng::with_seed(seed);
        let graph = Graph::random(rng);
        for _ in 0..QUERIES {
            let (text, parameters) = graph.query(rng);
            let text = format!("PROFILE {text}");
            let read = graph.database.read().unwrap();
            let options = QueryOptions::new();
            let by_codes = told(read.query_with(&text, parameters.clone(), &options));
            // A change of its own that no member is concerned by.
            let mut txn = graph.database.write().unwrap();
            let vector = Value::Vector(Vector::new(vec![1.0; graph.dimensions]).unwrap());
            txn.create_node(["N"], [("emb", vector)]).unwrap();
            let whole = told(txn.query_with(&text, parameters, &options));
            assert_eq!(whole.1, (0, 0));
            assert_eq!(
                (by_codes.0, by_codes.2),
                (whole.0, whole.2),
                "seed {seed}: {text}"
            );
            asked += by_codes.1.0;
        }
    }
    assert!(asked > 0, "codes are never asked");
}
