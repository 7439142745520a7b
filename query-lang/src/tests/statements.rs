//! What statements mean, shown by how they are printed: in one form, with as few parentheses as it takes.

use super::assert_round_trip;
use crate::parse;

/// Statements, and how they are printed.
const STATEMENTS: &[(&str, &str)] = &[
    // Clauses.
    (
        "match (n:Person {name: 'a'}) where n.age > 3 return n",
        "MATCH (n:Person {name: 'a'}) WHERE n.age > 3 RETURN n",
    ),
    (
        "OPTIONAL MATCH (a), p = (b) RETURN *;",
        "OPTIONAL MATCH (a), p = (b) RETURN *",
    ),
    (
        "WITH DISTINCT a.b AS c, d ORDER BY c DESCENDING, d ASC OFFSET 1 LIMIT 2 WHERE c RETURN c",
        "WITH DISTINCT a.b AS c, d ORDER BY c DESC, d SKIP 1 LIMIT 2 WHERE c RETURN c",
    ),
    ("RETURN *, 1 AS one", "RETURN *, 1 AS one"),
    // ALL is what is done without DISTINCT, unless it is a name.
    (
        "WITH ALL a.b AS c, d WHERE c RETURN ALL c ORDER BY c",
        "WITH a.b AS c, d WHERE c RETURN c ORDER BY c",
    ),
    (
        "WITH ALL * MATCH (n) RETURN all *, 1 AS one",
        "WITH * MATCH (n) RETURN *, 1 AS one",
    ),
    (
        "RETURN ALL all(x IN l WHERE x), $p",
        "RETURN all(x IN l WHERE x), $p",
    ),
    ("RETURN ALL NOT `all`", "RETURN NOT `all`"),
    (
        "WITH all MATCH (n) RETURN all UNION RETURN DISTINCT all",
        "WITH `all` MATCH (n) RETURN `all` UNION RETURN DISTINCT `all`",
    ),
    ("RETURN all * 2 AS all", "RETURN `all` * 2 AS all"),
    ("RETURN all - 1", "RETURN `all` - 1"),
    ("RETURN all[0]", "RETURN `all`[0]"),
    ("RETURN all.a IN b", "RETURN `all`.a IN b"),
    ("RETURN all IS NULL", "RETURN `all` IS NULL"),
    (
        "UNWIND [1,2] AS x RETURN x UNION ALL RETURN 3 AS x",
        "UNWIND [1, 2] AS x RETURN x UNION ALL RETURN 3 AS x",
    ),
    (
        "RETURN 1 UNION DISTINCT RETURN 2",
        "RETURN 1 UNION RETURN 2",
    ),
    ("MATCH (n) FINISH", "MATCH (n) FINISH"),
    (
        "CREATE (a:A:B)-[:R {x: 1}]->(b $props)",
        "CREATE (a:A&B)-[:R {x: 1}]->(b $props)",
    ),
    (
        "MERGE (a) ON CREATE SET a.x = 1 ON MATCH SET a += {y: 2}, a:L:M",
        "MERGE (a) ON CREATE SET a.x = 1 ON MATCH SET a += {y: 2}, a:L:M",
    ),
    (
        "SET (n).x = 1, n['k'] = 2, n = m, n IS A, n:$(l):B",
        "SET n.x = 1, n['k'] = 2, n = m, n:A, n:$(l):B",
    ),
    (
        "MATCH (n) REMOVE n.x, n['k'], n:A:$(b)",
        "MATCH (n) REMOVE n.x, n['k'], n:A:$(b)",
    ),
    (
        "MATCH (n) DETACH DELETE n, n.list[0]",
        "MATCH (n) DETACH DELETE n, n.list[0]",
    ),
    (
        "FOREACH (x IN [1] | CREATE (:A {v: x}) SET n.y = x)",
        "FOREACH (x IN [1] | CREATE (:A {v: x}) SET n.y = x)",
    ),
    ("CALL db.labels", "CALL db.labels"),
    (
        "OPTIONAL CALL a.b(1, $x) YIELD c AS d, e WHERE d > 1 RETURN d",
        "OPTIONAL CALL a.b(1, $x) YIELD c AS d, e WHERE d > 1 RETURN d",
    ),
    ("CALL a() YIELD *", "CALL a() YIELD *"),
    (
        "CALL (*) { RETURN 1 AS x } RETURN x",
        "CALL (*) { RETURN 1 AS x } RETURN x",
    ),
    (
        "UNWIND $rows AS row CALL (row) { CREATE (n) } IN TRANSACTIONS OF 10 ROWS ON ERROR CONTINUE REPORT STATUS AS s",
        "UNWIND $rows AS row CALL (row) { CREATE (n) } IN TRANSACTIONS OF 10 ROWS ON ERROR CONTINUE REPORT STATUS AS s",
    ),
    (
        "MATCH (n) CALL { WITH n RETURN 1 AS x UNION RETURN 2 AS x } RETURN x",
        "MATCH (n) CALL { WITH n RETURN 1 AS x UNION RETURN 2 AS x } RETURN x",
    ),
    (
        "SHOW ALL INDEXES YIELD name AS n, type ORDER BY n SKIP 1 LIMIT 2 WHERE n = 'x' RETURN n",
        "SHOW INDEXES YIELD name AS n, type ORDER BY n SKIP 1 LIMIT 2 WHERE n = 'x' RETURN n",
    ),
    (
        "SHOW CONSTRAINTS WHERE name = $n",
        "SHOW CONSTRAINTS WHERE name = $n",
    ),
    (
        "EXPLAIN CYPHER 25 MATCH (n) RETURN n",
        "EXPLAIN MATCH (n) RETURN n",
    ),
    (
        "CYPHER 25 runtime = parallel x=1 PROFILE RETURN 1",
        "PROFILE RETURN 1",
    ),
    // Schema.
    (
        "CREATE RANGE INDEX i IF NOT EXISTS FOR (n:L) ON n.a OPTIONS {x: 1}",
        "CREATE INDEX i IF NOT EXISTS FOR (n:L) ON (n.a) OPTIONS {x: 1}",
    ),
    (
        "CREATE INDEX FOR ()-[r:T]->() ON (r.a, r.b)",
        "CREATE INDEX FOR ()-[r:T]-() ON (r.a, r.b)",
    ),
    (
        "CREATE CONSTRAINT $c FOR (n:L) REQUIRE n.a IS NODE UNIQUE",
        "CREATE CONSTRAINT $c FOR (n:L) REQUIRE (n.a) IS UNIQUE",
    ),
    (
        "CREATE CONSTRAINT FOR (n:L) REQUIRE n.a IS :: list<string not null>",
        "CREATE CONSTRAINT FOR (n:L) REQUIRE (n.a) IS TYPED LIST<STRING NOT NULL>",
    ),
    (
        "CREATE CONSTRAINT c FOR ()-[r:T]-() REQUIRE (r.a, r.b) IS RELATIONSHIP KEY",
        "CREATE CONSTRAINT c FOR ()-[r:T]-() REQUIRE (r.a, r.b) IS KEY",
    ),
    (
        "CREATE CONSTRAINT c FOR (n:L) REQUIRE n.a IS NOT NULL",
        "CREATE CONSTRAINT c FOR (n:L) REQUIRE (n.a) IS NOT NULL",
    ),
    ("DROP INDEX $i IF EXISTS", "DROP INDEX $i IF EXISTS"),
    ("DROP CONSTRAINT c", "DROP CONSTRAINT c"),
    // Patterns.
    (
        "MATCH (a)-->()<--()--()<-->(b) RETURN 1",
        "MATCH (a)-->()<--()--()--(b) RETURN 1",
    ),
    (
        "MATCH ()-[r:A|:B|C*1..3 {x: 1}]->() RETURN r",
        "MATCH ()-[r:A|B|C*1..3 {x: 1}]->() RETURN r",
    ),
    (
        "MATCH ()-[*]-()-[*2]-()-[*2..]-()-[*..3]-() RETURN 1",
        "MATCH ()-[*]-()-[*2]-()-[*2..]-()-[*..3]-() RETURN 1",
    ),
    (
        "MATCH (a) ((x)-[r]->(y) WHERE r.w > 1){1,3} (b) RETURN 1",
        "MATCH (a) ((x)-[r]->(y) WHERE r.w > 1){1,3} (b) RETURN 1",
    ),
    (
        "MATCH (a)-[:R]->+(b)-->{2}(c)--*(d)-->{,3}(e)-->{1,}(f) RETURN 1",
        "MATCH (a)-[:R]->+(b)-->{2}(c)<-->*(d)-->{0,3}(e)-->+(f) RETURN 1",
    ),
    (
        "MATCH p = ANY SHORTEST (a)-->*(b), q = ALL SHORTEST PATHS (a)-->*(b) RETURN p",
        "MATCH p = SHORTEST 1 (a)-->*(b), q = ALL SHORTEST (a)-->*(b) RETURN p",
    ),
    ("MATCH SHORTEST 2 PATH GROUPS (a)--(b) RETURN 1", ""),
    (
        "MATCH SHORTEST 2 GROUPS (a)--(b), ANY (c), ANY 3 PATHS (d), ALL PATHS (e) RETURN 1",
        "MATCH SHORTEST 2 GROUPS (a)--(b), ANY 1 (c), ANY 3 (d), ALL (e) RETURN 1",
    ),
    (
        "MATCH p = shortestPath((a)-[*]-(b)) RETURN p",
        "MATCH p = SHORTEST 1 (a)-[*]-(b) RETURN p",
    ),
    (
        "MATCH (n:A&(B|!C)|% WHERE n.x) RETURN n",
        "MATCH (n:A&(B|!C)|% WHERE n.x) RETURN n",
    ),
    (
        "MATCH (n IS A), (where WHERE where.x), (is), (is IS is) RETURN n",
        "MATCH (n:A), (`where` WHERE `where`.x), (`is`), (`is`:is) RETURN n",
    ),
    ("MATCH ((a)-->(b)) RETURN 1", "MATCH ((a)-->(b)) RETURN 1"),
    ("MATCH (n:$(x + 1)) RETURN n", "MATCH (n:$(x + 1)) RETURN n"),
    // Operators.
    (
        "RETURN 1 + 2 - 3 * 4 ^ 5 || 6",
        "RETURN 1 + 2 - 3 * 4 ^ 5 || 6",
    ),
    (
        "RETURN (1 + 2) * (3 * 4), 1 - (2 - 3), (1 + 2) + 3",
        "RETURN (1 + 2) * (3 * 4), 1 - (2 - 3), (1 + 2) + 3",
    ),
    (
        "RETURN a OR (b AND c) XOR NOT d, (a OR b) AND c",
        "RETURN a OR b AND c XOR NOT d, (a OR b) AND c",
    ),
    (
        "RETURN NOT a = b, (NOT a) = b, NOT NOT c",
        "RETURN NOT a = b, (NOT a) = b, NOT NOT c",
    ),
    (
        "RETURN a < b <= c <> d, (a < b) < c",
        "RETURN a < b <= c <> d, (a < b) < c",
    ),
    (
        "RETURN a IN b IS NULL, a IN (b IS NULL)",
        "RETURN a IN b IS NULL, a IN ((b IS NULL))",
    ),
    (
        "RETURN a STARTS WITH b + c, a ENDS WITH b, a CONTAINS b, a =~ b",
        "RETURN a STARTS WITH b + c, a ENDS WITH b, a CONTAINS b, a =~ b",
    ),
    (
        "RETURN a IS NOT NULL, a IS A|B, a:A:B",
        "RETURN a IS NOT NULL, a:(A|B), a:A&B",
    ),
    (
        "RETURN -1 ^ 2, -(1 ^ 2), - -1, +a.b",
        "RETURN -1 ^ 2, -(1 ^ 2), --1, +a.b",
    ),
    (
        "RETURN -9223372036854775808, -0x8000000000000000, 0XfF, 0o17, 1_000",
        "RETURN -9223372036854775808, -9223372036854775808, 255, 15, 1000",
    ),
    (
        "RETURN 1., .5, 1e3, 1.5E-2, 1.0f, 2e1d, Inf, nan",
        "RETURN 1.0, 0.5, 1000.0, 0.015, 1.0, 20.0, Inf, NaN",
    ),
    (
        "RETURN a.b.c[0][1..][..2][a..b], (1).x",
        "RETURN a.b.c[0][1..][..2][a..b], (1).x",
    ),
    (
        "RETURN (a)-[b]-(c), (a)--(b), (a) - [b] + (c), (a) < -(b)",
        "RETURN (a)-[b]-(c), (a)--(b), a - [b] + c, a < -b",
    ),
    (
        "RETURN (a)<-->+(b), (a)<-[:T]->{2}(b), (a)--+(b)",
        "RETURN (a)<-->+(b), (a)<-[:T]->{2}(b), a - -+b",
    ),
    (
        "RETURN (a)-->(b) < 3, size((a)--(b) - [1])",
        "RETURN ((a)-->(b)) < 3, size(((a)--(b)) - [1])",
    ),
    // Strings, names, parameters.
    (
        r#"RETURN 'it''s', "a""b", 'a\'\"\\\n\t\u00e9\U0001F600', '\uD83D\uDE00'"#,
        r#"RETURN 'it\'s', 'a"b', 'a\'"\\\n\té😀', '😀'"#,
    ),
    (
        "RETURN `a b`, `x``y`, $p, $1, $`p q`, 名字.年龄",
        "RETURN `a b`, `x``y`, $p, $1, $`p q`, 名字.年龄",
    ),
    ("RETURN 1 /* ; */ + // two\n 2", "RETURN 1 + 2"),
    // Brackets.
    (
        "RETURN [], {}, [1, 'a', [null]], {a: true, b: {c: 1}}",
        "RETURN [], {}, [1, 'a', [null]], {a: true, b: {c: 1}}",
    ),
    (
        "RETURN [x IN l], [x IN l WHERE x:A | x.y], [x IN l | x], [x IN l, 2], [(x IN l)]",
        "RETURN [x IN l], [x IN l WHERE x:A | x.y], [x IN l | x], [x IN l, 2], [(x IN l)]",
    ),
    (
        "RETURN [x IN a.case, b], [x IN CASE WHEN 1 THEN 2 END | x]",
        "RETURN [x IN a.case, b], [x IN CASE WHEN 1 THEN 2 END | x]",
    ),
    (
        "RETURN [(a)-->(b) | b.x], [p = (a)-->(b:B|C) WHERE b:D | p], [(a)-->(b), 1], [(a)-->(b) AND c]",
        "RETURN [(a)-->(b) | b.x], [p = (a)-->(b:B|C) WHERE b:D | p], [(a)-->(b), 1], [(a)-->(b) AND c]",
    ),
    (
        "RETURN [true IN l], [`null` IN l], [p = (a + b) - c], [p = (a)]",
        "RETURN [true IN l], [`null` IN l], [p = (a + b) - c], [p = a]",
    ),
    (
        "RETURN n {.*, .a, b: 1, c}, n {}, count {.a}, exists {a: 1}",
        "RETURN n {.*, .a, b: 1, c}, n {}, `count` {.a}, `exists` {a: 1}",
    ),
    (
        "RETURN all(x IN l WHERE x), any(x IN l), none(x IN l WHERE x > 1), single(x IN l WHERE x)",
        "RETURN all(x IN l WHERE x), any(x IN l), none(x IN l WHERE x > 1), single(x IN l WHERE x)",
    ),
    (
        "RETURN reduce(a = 0, x IN l | a + x)",
        "RETURN reduce(a = 0, x IN l | a + x)",
    ),
    (
        "RETURN count(*), count(DISTINCT a), f(ALL a), a.b.c(1, 2), vector.cosine(a, b)",
        "RETURN count(*), count(DISTINCT a), f(a), a.b.c(1, 2), vector.cosine(a, b)",
    ),
    (
        "RETURN CASE a WHEN 1, 2 THEN 'x' ELSE 'y' END, CASE WHEN a THEN b END, CASE (a) WHEN 1 THEN 2 END",
        "RETURN CASE a WHEN 1, 2 THEN 'x' ELSE 'y' END, CASE WHEN a THEN b END, CASE a WHEN 1 THEN 2 END",
    ),
    (
        "RETURN EXISTS { (a)-->(b) WHERE a.x }, COUNT { MATCH (a) RETURN a }, COLLECT { MATCH (a) RETURN a.x }",
        "RETURN EXISTS { (a)-->(b) WHERE a.x }, COUNT { MATCH (a) RETURN a }, COLLECT { MATCH (a) RETURN a.x }",
    ),
    (
        "RETURN exists((a)-->(b)), size((a)-->()), shortestPath((a)-[*]-(b)), allShortestPaths((a)-[*]-(b))",
        "RETURN exists((a)-->(b)), size((a)-->()), shortestPath((a)-[*]-(b)), allShortestPaths((a)-[*]-(b))",
    ),
    // Keywords are names where names may stand.
    (
        "MATCH (match:match {return: where}) RETURN match.return AS return",
        "MATCH (`match`:match {return: `where`}) RETURN `match`.return AS return",
    ),
    (
        "RETURN case, not, distinct, all, order ORDER BY desc DESC",
        "RETURN `case`, `not`, `distinct`, `all`, `order` ORDER BY `desc` DESC",
    ),
];

#[test]
fn statements_mean_what_they_say() {
    for (text, printed) in STATEMENTS {
        match parse(text) {
            Ok(statement) => assert_eq!(statement.to_string(), *printed, "{text}"),
            Err(mistake) => assert!(printed.is_empty(), "{text}\n{mistake:?}"),
        }
    }
}

#[test]
fn what_is_printed_means_the_same() {
    for (text, printed) in STATEMENTS.iter().filter(|(_, printed)| !printed.is_empty()) {
        assert_round_trip(text);
        assert_round_trip(printed);
    }
}

/// What drivers and libraries of other servers send.
const SENT_BY_CLIENTS: &[&str] = &[
    "CALL dbms.components()",
    "SHOW VECTOR INDEXES YIELD name, labelsOrTypes, properties, options WHERE name = $index_name \
     RETURN labelsOrTypes as labels, properties, options.indexConfig.`vector.dimensions` as dimensions",
    "SHOW INDEXES YIELD name, type, entityType WHERE type = 'VECTOR' AND (name = $n OR (labelsOrTypes[0] = $l \
     AND properties[0] = $p)) RETURN name",
    "CALL db.index.vector.queryNodes($name, $top_k * $ratio, $query) YIELD node, score WITH node, score LIMIT $top_k \
     RETURN node { .*, `embedding`: null } AS node, labels(node) AS nodeLabels, elementId(node) AS id, score",
    "CYPHER runtime = parallel parallelRuntimeSupport=all MATCH (node:`L`) WHERE node.`embedding` IS NOT NULL \
     AND size(node.`embedding`) = toInteger($d) AND (node.year >= $p) WITH node, vector.similarity.cosine( \
     node.`embedding`, $q) AS score ORDER BY score DESC, elementId(node) LIMIT $top_k RETURN node",
    "CALL () { CALL db.index.vector.queryNodes($i, $k, $q) YIELD node, score WITH collect({node:node, score:score}) \
     AS nodes, max(score) AS best UNWIND nodes AS n RETURN n.node AS node, (n.score / best) AS score UNION \
     CALL db.index.fulltext.queryNodes($f, $t, {limit: $k}) YIELD node, score RETURN node, score } \
     WITH node, max(score) AS score ORDER BY score DESC, elementId(node) LIMIT $k RETURN node",
    "CREATE CONSTRAINT IF NOT EXISTS FOR (n:`L`) REQUIRE n.id IS UNIQUE",
    "UNWIND $rows AS row MATCH (n) WHERE elementId(n) = row.id WITH n, row \
     CALL db.create.setNodeVectorProperty(n, $embedding_property, row.embedding) RETURN n",
    "UNWIND $data AS row CALL (row) { MERGE (c:`Chunk` {id: row.id}) WITH c, row \
     CALL db.create.setNodeVectorProperty(c, 'e', row.embedding) SET c.`text` = row.text SET c += row.metadata } \
     IN TRANSACTIONS OF 1000 ROWS",
    "MATCH (n:`Chunk`) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS;",
    "UNWIND $rows AS row CREATE (n:__KGBuilder__ {__tmp_internal_id: row.id}) SET n += row.properties \
     SET n:$(row.labels) WITH n CALL apoc.create.addLabels(n, row.labels) YIELD node RETURN elementId(n) as element_id",
    "MATCH (s:Session)-[:LAST]->(last) WITH s, last MATCH p = (last)<-[:NEXT*0..5]-() WITH p, length(p) AS length \
     ORDER BY length DESC LIMIT 1 UNWIND reverse(nodes(p)) AS node \
     RETURN {data: {content: node.content}, type: node.type} AS result",
];

#[test]
fn what_clients_send_is_understood() {
    for text in SENT_BY_CLIENTS {
        assert_round_trip(text);
    }
}

#[test]
fn several_statements_are_split_at_semicolons() {
    let text = "RETURN ';' AS a; ; /* ; */ RETURN `b;`;\nRETURN 3 // ;";
    let whole = crate::parse_all(text).unwrap();
    let printed: Vec<String> = whole.iter().map(ToString::to_string).collect();
    assert_eq!(printed, ["RETURN ';' AS a", "RETURN `b;`", "RETURN 3"]);
    let parts: Vec<&str> = crate::split(text).map(|(part, _)| part).collect();
    assert_eq!(parts, ["RETURN ';' AS a", "RETURN `b;`", "RETURN 3"]);
    for (part, span) in crate::split(text) {
        assert_eq!(span.of(text), part);
    }
    assert!(parse("RETURN 1; RETURN 2").is_err());
    assert!(crate::parse_all("").unwrap().is_empty());
}

#[test]
fn the_reader_knows_whether_more_has_to_be_typed() {
    for (text, complete) in [
        ("RETURN 1;", true),
        ("RETURN 1; // done", true),
        ("RETURN 1", false),
        ("RETURN ';", false),
        ("RETURN ';';", true),
        ("RETURN `;", false),
        ("RETURN 1 /* ;", false),
        ("RETURN 1 // ;", false),
        ("CALL { RETURN 1;", false),
        ("RETURN 1; RETURN 2", false),
        ("", false),
    ] {
        assert_eq!(crate::is_complete(text), complete, "{text}");
    }
}
