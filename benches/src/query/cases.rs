//! What is asked of both sides, in the words of each.

use super::social::Social;
use super::tree::{LEVELS, Tree};
use serde_json::{Value, json};

/// One question with many parameters.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Times the queries of the peer in a second.
    pub(super) mark: Option<f64>,
    pub(super) ours: &'static str,
    /// Ways to ask the peer; the fastest counts.
    pub(super) theirs: Vec<Asked>,
    pub(super) parameters: Vec<Value>,
    pub(super) answers: Answers,
}

/// How the peer is asked.
#[derive(Clone)]
pub(super) enum Asked {
    /// Statements one after the other, the last but `after` gives the rows. `%NAME%` is replaced by the parameter: the peer
    /// has places that take no parameters.
    Statements { all: Vec<String>, after: usize },
    /// Two statements, the second with the ids that the first has given in `$ids`.
    Then { first: String, then: String },
    /// One statement a level, each with the ids that the one before has given in `$ids`.
    Levels { each: String, levels: usize },
}

/// What must be the same on both sides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    /// All rows.
    Same,
    /// Both search an index that may miss some: the share of rows that both have is reported.
    Approximate,
}

fn plain(query: &str) -> Asked {
    Asked::Statements {
        all: vec![query.into()],
        after: 0,
    }
}

/// What is asked of the social graph from somewhere in it.
pub(super) fn local(social: &Social, random: &mut fastrand::Rng) -> Vec<Case> {
    let persons = social.size.persons as i64;
    let mut ids = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|_| json!({ "id": random.i64(0..persons) }))
            .collect()
    };
    let case = |name, mark, ours, theirs: &str, parameters| Case {
        name,
        mark: Some(mark),
        ours,
        theirs: vec![plain(theirs)],
        parameters,
        answers: Answers::Same,
    };
    vec![
        case(
            "lookup_vs_kuzu",
            3.0,
            "MATCH (p:Person {id: $id}) RETURN p.name, p.age",
            "MATCH (p:Person {id: $id}) RETURN p.name, p.age",
            ids(300),
        ),
        case(
            "hop1_vs_kuzu",
            3.0,
            "MATCH (:Person {id: $id})-[:KNOWS]->(f:Person) RETURN f.id",
            "MATCH (:Person {id: $id})-[:KNOWS]->(f:Person) RETURN f.id",
            ids(200),
        ),
        case(
            "hop2_vs_kuzu",
            2.0,
            "MATCH (:Person {id: $id})-[:KNOWS]->(:Person)-[:KNOWS]->(f:Person) RETURN count(*)",
            "MATCH (:Person {id: $id})-[:KNOWS]->(:Person)-[:KNOWS]->(f:Person) RETURN count(*)",
            ids(100),
        ),
        case(
            "hop3_vs_kuzu",
            1.0,
            "MATCH (:Person {id: $id})-[:KNOWS]->(:Person)-[:KNOWS]->(:Person)-[:KNOWS]->(f:Person) \
             RETURN count(DISTINCT f)",
            "MATCH (:Person {id: $id})-[:KNOWS]->(:Person)-[:KNOWS]->(:Person)-[:KNOWS]->(f:Person) \
             RETURN count(DISTINCT f.id)",
            ids(10),
        ),
    ]
}

/// What is asked of the whole social graph.
pub(super) fn whole() -> Vec<Case> {
    let case = |name, query: &'static str| Case {
        name,
        mark: None,
        ours: query,
        theirs: vec![plain(query)],
        parameters: vec![json!({})],
        answers: Answers::Same,
    };
    vec![
        case(
            "paths_vs_kuzu",
            "MATCH (:Person)-[:KNOWS]->(:Person)-[:KNOWS]->(:Person) RETURN count(*)",
        ),
        case(
            "triangles_vs_kuzu",
            "MATCH (a:Person)-[:KNOWS]->(b:Person)-[:KNOWS]->(c:Person), (a)-[:KNOWS]->(c) RETURN count(*)",
        ),
        case(
            "groups_vs_kuzu",
            "MATCH (:Person)-[k:KNOWS]->(:Person) RETURN k.since, count(*)",
        ),
        case(
            "degrees_vs_kuzu",
            "MATCH (p:Person)-[:KNOWS]->(:Person) RETURN p.id AS id, count(*) AS d ORDER BY d DESC, id LIMIT 10",
        ),
    ]
}

/// Vectors together with the social graph.
pub(super) fn searches(social: &Social, random: &mut fastrand::Rng) -> Vec<Case> {
    let persons = social.size.persons as i64;
    let both: Vec<Value> = (0..30)
        .map(|_| json!({ "id": random.i64(0..persons), "q": social.question(random) }))
        .collect();
    let questions: Vec<Value> = (0..30)
        .map(|_| json!({ "q": social.question(random) }))
        .collect();
    let width = super::social::DIMENSIONS;
    vec![
        Case {
            name: "filtered_search_vs_kuzu",
            mark: Some(3.0),
            ours: "MATCH (:Person {id: $id})-[:KNOWS]->(:Person)-[:WROTE]->(w:Post) WITH collect(DISTINCT w) AS theirs \
                   MATCH (n) SEARCH n IN (VECTOR INDEX about FOR $q WHERE n IN theirs LIMIT 10) RETURN n.id",
            theirs: vec![
                Asked::Statements {
                    all: vec![
                        "CALL PROJECT_GRAPH_CYPHER('near', 'MATCH (:Person {id: %id%})-[:KNOWS]->(:Person)-[:WROTE]->(n:Post) \
                         RETURN DISTINCT n')"
                            .into(),
                        "CALL QUERY_VECTOR_INDEX('near', 'about', $q, 10) RETURN node.id".into(),
                        "CALL DROP_PROJECTED_GRAPH('near')".into(),
                    ],
                    after: 1,
                },
                plain(&format!(
                    "MATCH (:Person {{id: $id}})-[:KNOWS]->(:Person)-[:WROTE]->(n:Post) WITH DISTINCT n \
                     RETURN n.id ORDER BY array_cosine_similarity(n.about, CAST($q AS FLOAT[{width}])) DESC LIMIT 10"
                )),
            ],
            parameters: both,
            answers: Answers::Approximate,
        },
        Case {
            name: "hit_and_hops_vs_kuzu",
            mark: Some(3.0),
            ours: "MATCH (n) SEARCH n IN (VECTOR INDEX about FOR $q LIMIT 10) \
                   MATCH (n)<-[:WROTE]-(:Person)-[:KNOWS]->(f:Person) RETURN count(DISTINCT f)",
            theirs: vec![
                Asked::Then {
                    first: "CALL QUERY_VECTOR_INDEX('Post', 'about', $q, 10) RETURN node.id".into(),
                    then: "MATCH (n:Post)<-[:WROTE]-(:Person)-[:KNOWS]->(f:Person) WHERE n.id IN $ids \
                           RETURN count(DISTINCT f.id)"
                        .into(),
                },
                plain(
                    "CALL QUERY_VECTOR_INDEX('Post', 'about', $q, 10) WITH node AS n \
                     MATCH (n)<-[:WROTE]-(:Person)-[:KNOWS]->(f:Person) RETURN count(DISTINCT f.id)",
                ),
            ],
            parameters: questions,
            answers: Answers::Approximate,
        },
    ]
}

/// Level by level down the tree of headings.
pub(super) fn descents(tree: &Tree, random: &mut fastrand::Rng) -> Vec<Case> {
    let parameters: Vec<Value> = (0..5)
        .map(|_| {
            let question = tree.question(random);
            // Three in ten: some tens of sections on the second level, thousands on the last.
            let tau = tree.threshold(&question, 30);
            json!({ "q": question, "tau": tau })
        })
        .collect();
    let width = super::social::DIMENSIONS;
    let near = |name: &str| {
        format!("array_cosine_similarity({name}.about, CAST($q AS FLOAT[{width}])) > $tau")
    };
    let below = LEVELS - 1;
    vec![Case {
        name: "traverse_vs_kuzu",
        mark: Some(5.0),
        ours: "MATCH (r:Section {id: 0}) \
               TRAVERSE FROM r UNFILTERED STEP (a)-[:CHILD]->(b:Section) LEVELS 0..4 \
               SCORE vector.cosine(b.about, $q) KEEP WHERE score > $tau YIELD level \
               WITH level WHERE level > 0 RETURN level, count(*)",
        theirs: vec![
            plain(&format!(
                "MATCH (:Section {{id: 0}})-[e:CHILD*1..{below} (r, n | WHERE {})]->(d:Section) WHERE {} \
                 RETURN length(e), count(*)",
                near("n"),
                near("d"),
            )),
            Asked::Levels {
                each: format!(
                    "MATCH (p:Section)-[:CHILD]->(c:Section) WHERE p.id IN $ids AND {} RETURN c.id",
                    near("c")
                ),
                levels: below,
            },
        ],
        parameters,
        answers: Answers::Same,
    }]
}
