//! What an exact `SEARCH` finds beside sorting everything by its score: over random graphs with random conditions
//! before and after, among what a pattern has bound, with missing vectors, ties, deletes and changes that are not
//! committed.
//!
//! `SEARCHES_SEED` runs one seed again, `SEARCHES_ROUNDS` as many as are asked for, of a hundred queries each, and tells
//! how it went.
//!
//! Next: `plans.rs`.

use fastrand::Rng;
use std::io::Write as _;
use stratigraph::{
    Database, Effort, Error, Parameters, QueryOptions, Read as _, Rows, ScoreScale, ServedBy,
    Strategy, Value, Vector, VectorSearch, WriteTxn,
};

/// How many queries each round asks.
const QUERIES: usize = 100;
/// How many dimensions vectors have: few, so that many are equally near.
const DIMENSIONS: usize = 2;

/// An index, the property that it is on, what its scores are, and what is searched for.
struct Searched {
    index: &'static str,
    property: &'static str,
    score: &'static str,
    /// How what it is on is matched: `n` is what is found.
    pattern: &'static str,
}

const SEARCHED: &[Searched] = &[
    Searched {
        index: "by_cosine",
        property: "c",
        score: "vector.similarity.cosine",
        pattern: "(n:A)",
    },
    Searched {
        index: "by_distance",
        property: "e",
        score: "vector.similarity.euclidean",
        pattern: "(n:A)",
    },
    Searched {
        index: "by_dot",
        property: "d",
        score: "vector.dot",
        pattern: "(n)",
    },
    Searched {
        index: "between",
        property: "e",
        score: "vector.similarity.euclidean",
        pattern: "()-[n:R]->()",
    },
    Searched {
        index: "between_any",
        property: "d",
        score: "vector.dot",
        pattern: "()-[n]->()",
    },
];

const DECLARED: &[&str] = &[
    "CREATE VECTOR INDEX by_cosine FOR (n:A) ON n.c WITH [n.k] OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
    "CREATE VECTOR INDEX by_distance FOR (n:A) ON n.e \
     OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}",
    "CREATE VECTOR INDEX by_dot FOR (n) ON n.d \
     OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'dot'}}",
    "CREATE VECTOR INDEX between FOR ()-[r:R]-() ON r.e WITH [r.k] \
     OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}",
    "CREATE VECTOR INDEX between_any FOR ()-[r]-() ON r.d \
     OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'dot'}}",
];

/// Conditions on a node or a relationship `n`; `$x` is a number, `$l` a list of numbers.
const CONDITIONS: &[&str] = &[
    "true",
    "null",
    "n.k = $x",
    "n.k > $x",
    "n.k IN $l",
    "n.k IS NULL",
    "n.k <> $x OR n.j = $x",
    "n.k = $x AND n.j > 0",
    "n.k = n.j",
    "n.k % 3 = $x",
    "NOT n.k = $x",
    "id(n) IN $l",
    "id(n) > $x AND n.j >= $x",
    "$x IN [n.k, n.j]",
    "any(one IN $l WHERE one = n.j)",
];

/// Conditions on nodes alone.
const OF_NODES: &[&str] = &[
    "n:B",
    "n:B AND n.k > $x",
    "NOT n:B",
    "EXISTS { (n)-[:R]->(:B) }",
    "EXISTS { (n)-[:R]->() }",
    "(n)<-[:S]-()",
    "EXISTS { (n)-[:R]->(m) WHERE m.k = $x } AND EXISTS { (n)<-[:R]-() }",
    "NOT EXISTS { (n)--() }",
    "COUNT { (n)--() } > 1",
    "EXISTS { (n)-[:R]->(m {k: $x}) }",
    "EXISTS { (n)-[:R]-(m)-[:S]-(o) WHERE o.k = m.k }",
];

/// Conditions on relationships alone.
const OF_RELATIONSHIPS: &[&str] = &[
    "n:S",
    "n:R AND n.k = $x",
    "startNode(n).k > $x",
    "startNode(n) = endNode(n)",
    "EXISTS { (:B)-[n]->() }",
    "type(n) = 'S' OR n.k = $x",
];

fn vector(rng: &mut Rng, with_direction: bool) -> Value {
    loop {
        let numbers: Vec<f32> = (0..DIMENSIONS).map(|_| rng.i8(-2..3).into()).collect();
        if !with_direction || numbers.iter().any(|number| *number != 0.0) {
            return Value::Vector(Vector::new(numbers).unwrap());
        }
    }
}

/// Properties of a node or a relationship: some are missing.
fn properties(rng: &mut Rng) -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("c", vector(rng, true)),
        ("d", vector(rng, false)),
        ("e", vector(rng, false)),
        ("k", Value::from(rng.i64(0..4))),
        ("j", Value::from(rng.i64(0..4))),
    ];
    all.retain(|_| rng.u8(0..5) > 0);
    all
}

/// Some random changes.
fn change(txn: &mut WriteTxn, rng: &mut Rng, changes: usize) {
    let mut nodes: Vec<_> = txn.node_ids().unwrap().map(Result::unwrap).collect();
    for _ in 0..changes {
        let one = |rng: &mut Rng| rng.choice(&nodes).copied();
        match (rng.u8(0..10), one(rng)) {
            (0..4, _) | (_, None) => {
                let labels = ["A", "B"].into_iter().filter(|_| rng.u8(0..3) > 0);
                let labels: Vec<_> = labels.collect();
                nodes.push(txn.create_node(labels, properties(rng)).unwrap());
            }
            (4..7, Some(from)) => {
                let to = one(rng).unwrap();
                let of = if rng.bool() { "R" } else { "S" };
                txn.create_relationship(from, of, to, properties(rng))
                    .unwrap();
            }
            (7, Some(node)) => {
                txn.set_property(node, "e", vector(rng, false)).unwrap();
            }
            (8, Some(node)) => txn.set_property(node, "e", Value::Null).unwrap(),
            (_, Some(node)) => {
                txn.detach_delete_node(node).unwrap();
                nodes.retain(|other| *other != node);
            }
        }
    }
}

/// The ids and scores of the rows.
fn found(rows: Result<Rows<'_>, Error>) -> Vec<(i64, f64)> {
    let rows = rows.unwrap();
    rows.map(|row| row.unwrap().to::<(i64, f64)>().unwrap())
        .collect()
}

/// Where queries are asked: in a snapshot, or in a transaction with changes of its own.
enum Asked<'a> {
    Database(&'a Database),
    Txn(&'a mut WriteTxn),
}

impl Asked<'_> {
    fn ask(&mut self, text: &str, with: &[(String, Value)], optimise: bool) -> Vec<(i64, f64)> {
        let options = QueryOptions::new().optimise(optimise);
        let with: Parameters = with.iter().cloned().collect();
        match self {
            Self::Database(database) => found(database.query_with(text, with, &options)),
            Self::Txn(txn) => found(txn.query_with(text, with, &options)),
        }
    }
}

/// What stands around a search, and around the sort that it must agree with.
struct Asking {
    before: [String; 2],
    condition: String,
    after: [String; 2],
}

/// A search by itself, with a condition on what it found, among what a pattern has bound, or joined with it.
fn asking(rng: &mut Rng, pattern: &str, condition: &str, of: &[&str]) -> Asking {
    const ENDS: &str = "RETURN id(n), score";
    let reached = match pattern.starts_with("()") {
        true => "MATCH (:B)-[n]->()",
        false => "MATCH (:B)-[:R]->(n)",
    };
    let gathered = format!("{reached} WITH collect(DISTINCT n) AS reached ");
    let both = |text: &str| [text.to_owned(), text.to_owned()];
    match rng.u8(0..4) {
        0 => {
            let conditions = if rng.bool() { CONDITIONS } else { of };
            let kept = rng.choice(conditions).unwrap();
            Asking {
                before: both(""),
                condition: condition.to_owned(),
                after: [
                    format!("WITH * WHERE {kept} {ENDS}"),
                    format!("WHERE {kept} {ENDS}"),
                ],
            }
        }
        1 => Asking {
            before: both(&gathered),
            condition: format!("n IN reached AND ({condition})"),
            after: both(ENDS),
        },
        2 => {
            let sorted = format!("{ENDS} ORDER BY score DESC, id(n)");
            Asking {
                before: [gathered, format!("{reached} WITH DISTINCT n ")],
                condition: condition.to_owned(),
                after: [format!("WITH * WHERE n IN reached {sorted}"), sorted],
            }
        }
        _ => Asking {
            before: both(""),
            condition: condition.to_owned(),
            after: both(ENDS),
        },
    }
}

fn compare(asked: &mut Asked<'_>, rng: &mut Rng, seed: u64) {
    let searched = rng.choice(SEARCHED).unwrap();
    let of = match searched.pattern.starts_with("()") {
        true => OF_RELATIONSHIPS,
        false => OF_NODES,
    };
    let condition = match rng.bool() {
        true => rng.choice(CONDITIONS).unwrap(),
        false => rng.choice(of).unwrap(),
    };
    let number = |rng: &mut Rng| Value::from(rng.i64(0..5));
    let list: Vec<Value> = (0..rng.usize(0..8))
        .map(|_| Value::from(rng.i64(0..40)))
        .collect();
    let with = [
        ("x".to_owned(), number(rng)),
        ("l".to_owned(), Value::from(list)),
        ("q".to_owned(), vector(rng, true)),
        ("limit".to_owned(), Value::from(rng.i64(0..12))),
    ];
    let Searched {
        index,
        property,
        score,
        pattern,
    } = searched;
    let Asking {
        before: [sorted_before, search_before],
        condition,
        after: [sorted_after, search_after],
    } = asking(rng, pattern, condition, of);
    let sorted = format!(
        "{sorted_before}MATCH {pattern} WHERE n.{property} IS NOT NULL AND ({condition}) \
         WITH *, {score}(n.{property}, $q) AS score ORDER BY score DESC, id(n) LIMIT $limit {sorted_after}"
    );
    let search = format!(
        "{search_before}MATCH {pattern} SEARCH n IN (VECTOR INDEX {index} FOR $q WHERE {condition} LIMIT $limit EXACT) \
         SCORE AS score {search_after}"
    );
    let wanted = asked.ask(&sorted, &with, true);
    for optimise in [true, false] {
        let found = asked.ask(&search, &with, optimise);
        let rules = if optimise { "with" } else { "without" };
        assert_eq!(
            found, wanted,
            "seed {seed}, {rules} the rules: {search}\n{with:?}"
        );
    }
}

#[test]
fn an_exact_search_is_the_beginning_of_everything_sorted_by_score() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seeds = match (number("SEARCHES_SEED"), number("SEARCHES_ROUNDS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, rounds) => 0..rounds.unwrap_or(6),
    };
    for seed in seeds.clone() {
        let mut rng = Rng::with_seed(seed);
        let database = crate::database(DECLARED);
        for _ in 0..3 {
            let mut txn = database.write().unwrap();
            change(&mut txn, &mut rng, 25);
            txn.commit().unwrap();
        }
        for _ in 0..QUERIES / 2 {
            compare(&mut Asked::Database(&database), &mut rng, seed);
        }
        let mut txn = database.write().unwrap();
        change(&mut txn, &mut rng, 15);
        for _ in 0..QUERIES / 2 {
            compare(&mut Asked::Txn(&mut txn), &mut rng, seed);
        }
        txn.rollback();
    }
    if number("SEARCHES_ROUNDS").is_some() {
        // Not through `println!`, which is not shown of tests that pass.
        let queries = (seeds.end - seeds.start) * QUERIES as u64;
        let line = format!("exact searches queries={queries} differences=0\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// The numbers of what a query gives, in its order, and their scores.
fn numbered(txn: &mut WriteTxn, text: &str) -> Vec<(i64, f64)> {
    let rows = txn.query(text, ()).unwrap();
    rows.map(|row| row.unwrap().to().unwrap()).collect()
}

#[test]
fn scores_that_are_the_same_on_the_scale_are_in_the_order_of_ids() {
    let options = |metric: &str| {
        format!(
            "OPTIONS {{indexConfig: {{`vector.dimensions`: 2, \
             `vector.similarity_function`: '{metric}'}}}}"
        )
    };
    for (metric, function) in [
        ("cosine", "vector.similarity.cosine"),
        ("euclidean", "vector.similarity.euclidean"),
        ("dot", "vector.dot"),
    ] {
        // The smaller the id, the worse the raw score; on the scale many are the same.
        let (vector, query) = match metric {
            "euclidean" => ("[1e-7 + (100 - i) * 1e-11, 0]", "[0, 0]"),
            _ => ("[1e-13 + i * 1e-17, 1]", "[1, 0]"),
        };
        let database = crate::database(&[
            &format!("UNWIND range(1, 100) AS i CREATE (:A {{v: vector({vector})}})"),
            &format!(
                "CREATE VECTOR INDEX near FOR (n:A) ON n.v {}",
                options(metric)
            ),
        ]);
        let mut txn = database.write().unwrap();
        for changed in [false, true] {
            if changed {
                let change = "MATCH (n:A) WHERE id(n) % 3 = 0 SET n.v = n.v";
                numbered(&mut txn, change);
            }
            for k in [1, 3, 5, 17, 50, 99, 100, 120] {
                let sorted = format!(
                    "MATCH (n:A) WITH id(n) AS id, {function}(n.v, {query}) AS score \
                     ORDER BY score DESC, id LIMIT {k} RETURN id, score"
                );
                let wanted = numbered(&mut txn, &sorted);
                let tied = wanted.windows(2).any(|two| two[0].1 == two[1].1);
                assert!(tied || k < 5 || metric == "dot", "{metric}: {wanted:?}");
                let search = format!(
                    "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR {query} LIMIT {k} EXACT) \
                     SCORE AS score RETURN id(n) AS id, score"
                );
                assert_eq!(
                    numbered(&mut txn, &search),
                    wanted,
                    "{metric} {k} {changed}"
                );
            }
        }
    }
}

#[test]
fn what_may_be_found_is_looked_for_once_where_only_the_vector_differs() {
    let database = crate::database(&[
        "UNWIND range(1, 40) AS i CREATE (:A {k: i % 4, e: vector([i, 1])})",
        "CREATE VECTOR INDEX near FOR (n:A) ON n.e OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
    ]);
    // How many rows the conditions went through, and how often the index was asked.
    let looked = |condition: &str| {
        let text = format!(
            "PROFILE UNWIND range(1, 10) AS i MATCH (n) \
             SEARCH n IN (VECTOR INDEX near FOR [i, 2] WHERE {condition} LIMIT 3) RETURN n"
        );
        let summary = database.query(&text, ()).unwrap().finish().unwrap();
        let scans = summary.operators().iter();
        let mut scans = scans.filter(|one| one.text().contains("Nodes"));
        let rows = scans.next().unwrap().work().unwrap().rows;
        (rows, summary.searches()[0].runs)
    };
    assert_eq!(looked("n.k = 1"), (40, 10));
    // Only three of the rows find anything, and the index is not asked for nothing.
    assert_eq!(looked("n.k = i"), (400, 3));
    assert_eq!(looked("n.k = toInteger(rand() * 4)"), (400, 10));
}

#[test]
fn searches_of_different_texts_are_told_apart() {
    let database = crate::database(&[
        "UNWIND range(1, 4) AS i CREATE (a:A {k: i, e: vector([i, 1]), f: vector([i, 1])})-[:R]->(:B {k: i})",
        "CREATE VECTOR INDEX one FOR (n:A) ON n.e OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE VECTOR INDEX two FOR (n:A) ON n.f OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
    ]);
    let step = |index: &str| {
        format!(
            "(a)-[:R]->(b WHERE EXISTS {{ MATCH (n) \
             SEARCH n IN (VECTOR INDEX {index} FOR [1, 1] LIMIT 2) }})"
        )
    };
    let text = format!(
        "MATCH (r:A) WITH collect(r) AS roots \
         CALL rag.traverse(roots, {{step: '{}'}}) YIELD node WITH roots, count(node) AS first \
         CALL rag.traverse(roots, {{step: '{}'}}) YIELD node RETURN first, count(node) AS second",
        step("one"),
        step("two")
    );
    let summary = database.query(&text, ()).unwrap().finish().unwrap();
    let told = summary.searches().iter();
    let told: Vec<&str> = told.map(|search| &*search.index).collect();
    assert_eq!(told, ["one", "two"]);
}

#[test]
fn a_query_may_be_asked_to_miss_nothing() {
    let database = crate::database(&[
        "CREATE VECTOR INDEX near FOR (n:A) ON n.e OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "UNWIND range(1, 50) AS i CREATE (:A {e: vector([i, 1])})",
    ]);
    let search = |exact: &str| {
        format!("MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [9, 1] LIMIT 1{exact}) RETURN n")
    };
    let procedure = "CALL db.index.vector.queryNodes('near', 1, [9, 1]) YIELD node RETURN node";
    let told = |text: &str, options: &QueryOptions| {
        let rows = database.query_with(text, (), options).unwrap();
        let summary = rows.finish().unwrap();
        let [near] = summary.searches() else {
            panic!("{:?}", summary.searches());
        };
        (near.exact, near.strategy, near.breadth)
    };
    let (any, exact) = (QueryOptions::new(), QueryOptions::new().exact(true));
    // What a bound does not rule out is compared whole: nothing is missed, and that is told.
    let missing_nothing = (true, Some(Strategy::Proven), None);
    for text in [&*search(""), procedure] {
        // The codes of fifty are compared, and then the vectors of a few.
        assert!(!told(text, &any).0, "{text}");
        assert_eq!(told(text, &exact), missing_nothing, "{text}");
    }
    assert_eq!(told(&search(" EXACT"), &any), missing_nothing);
}

#[test]
fn a_summary_tells_also_what_procedures_have_searched() {
    let database = crate::database(&[
        "CREATE VECTOR INDEX near FOR (n:A) ON n.e OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE VECTOR INDEX by FOR ()-[r:R]-() ON r.e OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
        "CREATE FULLTEXT INDEX said FOR (n:A) ON EACH [n.text]",
        "UNWIND range(1, 50) AS i \
         CREATE (:A {e: vector([i, 1]), text: 'word'})-[:R {e: vector([1, i])}]->(:B)",
    ]);
    let text = "UNWIND [[9, 1], [1, 9]] AS q \
         CALL db.index.vector.queryNodes('near', 3, q) YIELD node \
         CALL db.index.vector.queryRelationships('by', 1, q) YIELD relationship \
         CALL db.index.fulltext.queryNodes('said', 'word', {limit: 1}) YIELD node AS said RETURN count(*)";
    let summary = database.query(text, ()).unwrap().finish().unwrap();
    let told = summary.searches().iter();
    let told: Vec<_> = told
        .map(|search| (&*search.index, search.fulltext, search.runs, search.found))
        .collect();
    assert_eq!(
        told,
        [
            ("near", false, 2, 6),
            ("by", false, 6, 6),
            ("said", true, 6, 6)
        ]
    );
    let scales = summary.searches().iter().map(|search| search.scale);
    let scales: Vec<ScoreScale> = scales.collect();
    let half = ScoreScale::HalfOfOnePlusCosine;
    assert_eq!(scales, [half, half, ScoreScale::Bm25]);
}

#[test]
fn a_summary_tells_how_each_search_was_answered() {
    let database = crate::database(&[
        "CREATE VECTOR INDEX near FOR (n:A) ON n.e \
         OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}",
        "CREATE FULLTEXT INDEX said FOR (n:A) ON EACH [n.text]",
        "UNWIND range(1, 50) AS i CREATE (:A {k: i % 5, e: vector([i, 0]), text: 'word' + i})",
    ]);
    let sequence = database.read().unwrap().commit_seq();
    let summary = |text: &str| database.query(text, ()).unwrap().finish().unwrap();
    let told = summary(
        "UNWIND [1, 2, 3] AS i MATCH (n) \
         SEARCH n IN (VECTOR INDEX near FOR [0, 0] WHERE n.k = 0 LIMIT 4 EXACT) \
         OPTIONAL MATCH (m) SEARCH m IN (FULLTEXT INDEX said FOR 'word' + i LIMIT 9) RETURN n, m",
    );
    assert_eq!(told.sequence(), Some(sequence));
    let [near, said] = told.searches() else {
        panic!("{:?}", told.searches());
    };
    assert_eq!((&*near.index, near.fulltext), ("near", false));
    assert!(near.exact, "{near:?}");
    assert_eq!(near.runs, 1, "three rows ask for the same");
    assert_eq!((near.found, near.among), (4, Some(10)));
    assert_eq!(near.served_by, Some(ServedBy::Index));
    assert_eq!(near.compared, 10, "{near:?}");
    assert_eq!((&*said.index, said.fulltext, said.runs), ("said", true, 3));
    assert_eq!((said.found, said.among), (3, None));
    assert_eq!(near.scale, ScoreScale::OneByOnePlusSquaredDistance);
    assert_eq!(said.scale.to_string(), "BM25");
    // What an answer says of itself is what the index says.
    let read = database.read().unwrap();
    let plain = VectorSearch::new(&[0.0, 0.0], 4).effort(Effort::Breadth(64));
    let plain = read.search_vectors("near", &plain).unwrap();
    let told = summary("MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [0, 0] LIMIT 4) RETURN n");
    let [near] = told.searches() else {
        panic!("{:?}", told.searches());
    };
    assert_eq!(near.strategy, Some(plain.strategy));
    assert_eq!(near.compared, plain.compared);
    assert_eq!(near.estimated_recall, plain.estimated_recall);
    assert!(summary("RETURN 1").searches().is_empty());
    assert_eq!(summary("EXPLAIN RETURN 1").sequence(), None);
}

#[test]
fn a_plan_ends_with_the_indexes_that_it_names() {
    let database = crate::database(&[
        "CREATE (:A {e: vector([1, 0])})",
        "CREATE VECTOR INDEX near FOR (n:A) ON n.e OPTIONS {indexConfig: {`vector.dimensions`: 2}}",
    ]);
    let search = "MATCH (n) SEARCH n IN (VECTOR INDEX near FOR [1, 0] LIMIT 4) RETURN count(*)";
    let prepared = database.prepare(search).unwrap();
    assert_eq!(crate::one(&database, search), 1);
    database
        .query("DROP INDEX near", ())
        .unwrap()
        .finish()
        .unwrap();
    let refused = database.query(search, ()).unwrap_err().to_string();
    assert!(refused.contains("VectorIndexNotFound"), "{refused}");
    assert!(prepared.query(()).is_err());
}
