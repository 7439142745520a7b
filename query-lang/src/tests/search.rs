//! `SEARCH`, `TRAVERSE`, and the declarations of what they use: what they mean, and where their parts stand.

use super::assert_round_trip;
use crate::ParseErrorKind::*;
use crate::ast::{Body, Clause, Match, Roots, Statement, Traverse};
use crate::lex::Keyword;
use crate::{MAX_DEPTH, parse};

/// Statements, and how they are printed; nothing if they are printed as they are.
const STATEMENTS: &[(&str, &str)] = &[
    // SEARCH.
    (
        "match (n:L) search n in (vector index i for $q limit 5)",
        "MATCH (n:L) SEARCH n IN (VECTOR INDEX i FOR $q LIMIT 5)",
    ),
    (
        "MATCH ()-[t]->() WHERE t.x SEARCH t IN (VECTOR INDEX `a b` FOR [1, 2] WHERE t.y = 1 LIMIT $k * 2 EXACT) SCORE AS s \
         RETURN t, s",
        "MATCH ()-[t]->() SEARCH t IN (VECTOR INDEX `a b` FOR [1, 2] WHERE t.y = 1 LIMIT $k * 2 EXACT) SCORE AS s \
         WHERE t.x RETURN t, s",
    ),
    (
        "OPTIONAL MATCH (n) SEARCH n IN (FULLTEXT INDEX $i FOR 'graph' LIMIT 3) SCORE AS score WHERE score > 1 RETURN n",
        "",
    ),
    (
        "MATCH (search) SEARCH search IN (VECTOR INDEX for FOR for LIMIT exact EXACT) SCORE AS limit RETURN 1",
        "MATCH (search) SEARCH search IN (VECTOR INDEX `for` FOR `for` LIMIT exact EXACT) SCORE AS limit RETURN 1",
    ),
    // TRAVERSE.
    (
        "TRAVERSE FROM (s:Section {level: 1}) STEP (a)-[:HAS_CHILD]->(b:Section) LEVELS 0..3 \
         SCORE vector.cosine(b.emb, $q) KEEP TOP 8 WHERE score > $tau \
         RECOVER (m:Section {level: level + 1}) KEEP TOP 3 WHERE score > $tau_miss \
         YIELD node, level, score, status",
        "",
    ),
    (
        "traverse from tags unfiltered step (c)<-[:HAS_SUBDOMAIN]-(p:DomainTag) levels 0.. yield node, level as l, roots \
         where l > 0 return node",
        "TRAVERSE FROM tags UNFILTERED STEP (c)<-[:HAS_SUBDOMAIN]-(p:DomainTag) LEVELS 0.. YIELD node, level AS l, roots \
         WHERE l > 0 RETURN node",
    ),
    (
        "OPTIONAL TRAVERSE FROM [a, b] STEP (x)--(y)-[r WHERE r.w > 1]->(z) YIELD node",
        "",
    ),
    (
        "TRAVERSE FROM a STEP (x)-->(y) BUDGET 10 NODES EMIT CANDIDATES RECOVER (m) SCORE m.s KEEP WHERE score > 1 \
         KEEP TOP 3 PER PARENT SCORE y.s AS s LEVELS $from..$to AS l YIELD node",
        "TRAVERSE FROM a STEP (x)-->(y) LEVELS $from..$to AS l SCORE y.s AS s KEEP TOP 3 PER PARENT \
         RECOVER (m) SCORE m.s KEEP WHERE score > 1 EMIT CANDIDATES BUDGET 10 NODES YIELD node",
    ),
    (
        "TRAVERSE FROM a STEP (x)-->(y) EMIT KEPT BUDGET $b MILLISECONDS ON EXCEED ERROR YIELD node",
        "TRAVERSE FROM a STEP (x)-->(y) EMIT KEPT BUDGET $b MILLISECONDS YIELD node",
    ),
    (
        "TRAVERSE FROM a STEP (x)-->(y) BUDGET 1 + 1 EDGES ON EXCEED STOP YIELD node",
        "",
    ),
    // After RECOVER and its KEEP, the others are those of the traversal.
    (
        "TRAVERSE FROM a STEP (x)-->(y) LEVELS ..2 RECOVER (m) KEEP TOP 1 KEEP TOP 2 SCORE y.s YIELD node",
        "TRAVERSE FROM a STEP (x)-->(y) LEVELS ..2 SCORE y.s KEEP TOP 2 RECOVER (m) KEEP TOP 1 YIELD node",
    ),
    (
        "TRAVERSE FROM (nodes)[0] STEP (a)-->(b) YIELD node",
        "TRAVERSE FROM nodes[0] STEP (a)-->(b) YIELD node",
    ),
    (
        "TRAVERSE FROM 1.x STEP (a)-->(b) YIELD node",
        "TRAVERSE FROM (1).x STEP (a)-->(b) YIELD node",
    ),
    (
        "TRAVERSE FROM (a + b)[..2] UNFILTERED STEP (a)-->(b) YIELD node",
        "",
    ),
    (
        "MATCH (a) TRAVERSE FROM a STEP (a)-->(b) YIELD node WITH node TRAVERSE FROM node STEP (b)-->(c) YIELD node AS n \
         RETURN n UNION TRAVERSE FROM $x STEP (a)-->(b) YIELD node AS n RETURN n",
        "",
    ),
    (
        "CALL { TRAVERSE FROM a STEP (x)-->(y) YIELD node RETURN node } RETURN EXISTS { TRAVERSE FROM a STEP (x)-->(y) \
         YIELD node RETURN node }",
        "",
    ),
    (
        "PROFILE TRAVERSE FROM a STEP (x)-->(y) YIELD node RETURN node",
        "",
    ),
    // Declarations.
    (
        "create vector index i if not exists for (n:L) on n.e",
        "CREATE VECTOR INDEX i IF NOT EXISTS FOR (n:L) ON (n.e)",
    ),
    (
        "CREATE VECTOR INDEX $i FOR (n:A|B) ON (n.e) WITH [n.a, n.`b c`] OPTIONS {indexConfig: {`vector.dimensions`: 3}}",
        "",
    ),
    (
        "CREATE VECTOR INDEX FOR ()<-[r:T]-() ON (r.e)",
        "CREATE VECTOR INDEX FOR ()-[r:T]-() ON (r.e)",
    ),
    (
        "CREATE VECTOR INDEX triple FOR ()-[t]-() ON t.emb OPTIONS {}",
        "CREATE VECTOR INDEX triple FOR ()-[t]-() ON (t.emb) OPTIONS {}",
    ),
    ("CREATE VECTOR INDEX FOR (n) ON (n.e)", ""),
    (
        "CREATE FULLTEXT INDEX IF NOT EXISTS FOR (n:A|B) ON EACH [n.p, n.q] OPTIONS {a: 1}",
        "",
    ),
    (
        "CREATE FULLTEXT INDEX each FOR ()-[each:T|U]->() ON EACH [each.each]",
        "CREATE FULLTEXT INDEX each FOR ()-[each:T|U]-() ON EACH [each.each]",
    ),
    ("CREATE HIERARCHY outline FOR ()-[:HAS_CHILD]->()", ""),
    (
        "CREATE HIERARCHY $h IF NOT EXISTS FOR ()<-[:A|B]-() AS TREE",
        "",
    ),
    ("DROP HIERARCHY outline", ""),
    ("DROP HIERARCHY $h IF EXISTS", ""),
    ("SHOW HIERARCHY", "SHOW HIERARCHIES"),
    (
        "SHOW VECTOR INDEXES YIELD name, options WHERE name = $n RETURN name",
        "",
    ),
    ("SHOW FULLTEXT INDEX", "SHOW FULLTEXT INDEXES"),
    // What only looks like a declaration.
    ("CREATE vector = (a)-->(b)", ""),
    ("CREATE hierarchy = (a)", ""),
];

#[test]
fn they_mean_what_they_say() {
    for (text, printed) in STATEMENTS {
        let statement = parse(text).unwrap_or_else(|mistake| panic!("{text}\n{mistake:?}"));
        let printed = if printed.is_empty() { text } else { printed };
        assert_eq!(statement.to_string(), *printed, "{text}");
        assert_round_trip(text);
        assert_round_trip(printed);
    }
}

/// All of the options, each once; RECOVER brings a SCORE and a KEEP of its own.
const OPTIONS: [&str; 6] = [
    "LEVELS 1..3 AS l",
    "SCORE b.s AS s",
    "KEEP TOP 3 PER PARENT WHERE s > 1",
    "RECOVER (m:M) SCORE m.s KEEP TOP 2",
    "EMIT CANDIDATES",
    "BUDGET 9 EDGES ON EXCEED STOP",
];

fn with_options(options: &[&str]) -> String {
    let options = options.join(" ");
    format!("TRAVERSE FROM a STEP (a)-->(b) {options} YIELD node")
}

#[test]
fn options_stand_in_any_order() {
    let in_order = with_options(&OPTIONS);
    assert_eq!(parse(&in_order).unwrap().to_string(), in_order);
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let mut options = OPTIONS;
        random.shuffle(&mut options);
        let text = with_options(&options);
        assert_eq!(parse(&text).unwrap().to_string(), in_order, "{text}");
    }
}

#[test]
fn no_option_stands_twice() {
    for option in OPTIONS {
        let mut options = OPTIONS.to_vec();
        options.push(option);
        let text = with_options(&options);
        let mistake = parse(&text).expect_err(&text);
        assert_eq!(mistake.kind, DuplicateSubclause, "{text}");
        let word = option.split(' ').next().unwrap();
        assert_eq!(mistake.span.of(&text), word);
        assert_eq!(mistake.span.start as usize, text.rfind(option).unwrap());
        assert_eq!(mistake.message, format!("TRAVERSE has one {word} only"));
        assert!(mistake.hint.is_some());
    }
}

fn clauses(statement: &Statement) -> &[Clause] {
    match &statement.body {
        Body::Query(query) => &query.parts[0].clauses,
        Body::Schema(_) => panic!("{statement} is no query"),
    }
}

fn traverse(statement: &Statement) -> &Traverse {
    match clauses(statement) {
        [Clause::Traverse(traverse), ..] => traverse,
        other => panic!("no traversal: {other:?}"),
    }
}

#[test]
fn every_part_of_a_traversal_has_its_place() {
    let text = "OPTIONAL TRAVERSE FROM (r:Root) UNFILTERED STEP (a)-[:T]->(b) LEVELS 0..$last AS l SCORE b.s AS s \
                KEEP TOP 8 PER PARENT WHERE s > 1 RECOVER (m {l: l}) SCORE m.s KEEP TOP 3 EMIT KEPT \
                BUDGET 9 NODES ON EXCEED STOP YIELD node AS n, level WHERE n.x RETURN n";
    let statement = parse(text).unwrap();
    let clause = traverse(&statement);
    assert!(clause.optional);
    let (levels, score) = (
        clause.levels.as_ref().unwrap(),
        clause.score.as_ref().unwrap(),
    );
    let (keep, recover) = (
        clause.keep.as_ref().unwrap(),
        clause.recover.as_ref().unwrap(),
    );
    let top = keep.top.as_ref().unwrap();
    let budget = clause.budget.as_ref().unwrap();
    for (span, stands) in [
        (clause.span, text.strip_suffix(" RETURN n").unwrap()),
        (clause.roots.span(), "(r:Root)"),
        (clause.unfiltered.unwrap(), "UNFILTERED"),
        (clause.step.span, "(a)-[:T]->(b)"),
        (levels.span, "LEVELS 0..$last AS l"),
        (levels.from.as_ref().unwrap().span, "0"),
        (levels.to.as_ref().unwrap().span, "$last"),
        (levels.alias.as_ref().unwrap().span, "l"),
        (score.span, "SCORE b.s AS s"),
        (score.expression.span, "b.s"),
        (keep.span, "KEEP TOP 8 PER PARENT WHERE s > 1"),
        (top.span, "TOP 8 PER PARENT"),
        (top.count.span, "8"),
        (top.per_parent.unwrap(), "PER PARENT"),
        (keep.filter.as_ref().unwrap().span, "s > 1"),
        (recover.span, "RECOVER (m {l: l}) SCORE m.s KEEP TOP 3"),
        (recover.node.span, "(m {l: l})"),
        (recover.keep.span, "KEEP TOP 3"),
        (clause.emit.unwrap().span, "EMIT KEPT"),
        (budget.span, "BUDGET 9 NODES ON EXCEED STOP"),
        (clause.yields[0].span, "node AS n"),
        (clause.yields[1].span, "level"),
        (clause.filter.as_ref().unwrap().span, "n.x"),
    ] {
        assert_eq!(span.of(text), stands);
    }
}

#[test]
fn every_part_of_a_search_has_its_place() {
    let text = "MATCH (n) WHERE n.x SEARCH n IN (VECTOR INDEX $i FOR $q WHERE n.y LIMIT 5 EXACT) SCORE AS s RETURN n";
    let statement = parse(text).unwrap();
    let Clause::Match(Match {
        search,
        filter,
        span,
        ..
    }) = &clauses(&statement)[0]
    else {
        panic!("no MATCH");
    };
    let search = search.as_ref().unwrap();
    for (span, stands) in [
        (*span, text.strip_suffix(" RETURN n").unwrap()),
        (filter.as_ref().unwrap().span, "n.x"),
        (
            search.span,
            "SEARCH n IN (VECTOR INDEX $i FOR $q WHERE n.y LIMIT 5 EXACT) SCORE AS s",
        ),
        (search.variable.span, "n"),
        (search.query.span, "$q"),
        (search.filter.as_ref().unwrap().span, "n.y"),
        (search.limit.span, "5"),
        (search.exact.unwrap(), "EXACT"),
        (search.score.as_ref().unwrap().span, "s"),
    ] {
        assert_eq!(span.of(text), stands);
    }
}

#[test]
fn roots_in_parentheses_are_nodes() {
    for (roots, is_node) in [
        ("(n)", true),
        ("()", true),
        ("(:A)", true),
        ("n", false),
        ("[n]", false),
        ("$n", false),
        ("(n).list", false),
        ("(n)[0]", false),
    ] {
        for rest in ["UNFILTERED STEP", "STEP"] {
            let text = format!("TRAVERSE FROM {roots} {rest} (a)-->(b) YIELD node");
            let statement = parse(&text).unwrap_or_else(|mistake| panic!("{text}\n{mistake:?}"));
            let found = matches!(traverse(&statement).roots, Roots::Pattern(_));
            assert_eq!(found, is_node, "{text}");
        }
    }
}

/// None of the words is reserved: each is a variable, a label, a type, a property, a column and a parameter
/// in the clauses whose word it is. As a plain variable none of them needs quotes.
#[test]
fn the_words_are_names_everywhere() {
    for &keyword in Keyword::ALL {
        let word = keyword.text().to_lowercase();
        let plain = parse(&format!("MATCH (n) RETURN n.{word} AS {word}")).unwrap();
        assert!(plain.to_string().ends_with(&format!("AS {word}")));
        let texts = [
            format!(
                "TRAVERSE FROM (`{word}`:{word} {{{word}: 1}}) STEP (`{word}`)-[:{word}]->(b:{word}) \
                 LEVELS ${word}..${word} AS {word} SCORE b.{word} AS {word} KEEP TOP `{word}` WHERE b.{word} > 1 \
                 BUDGET `{word}` NODES YIELD {word} AS {word}, {word} RETURN 1"
            ),
            format!(
                "MATCH (`{word}`:{word}) SEARCH {word} IN (VECTOR INDEX {word} FOR ${word} LIMIT `{word}` EXACT) \
                 SCORE AS {word} RETURN `{word}`.{word}"
            ),
            format!(
                "CREATE VECTOR INDEX `{word}` FOR ({word}:{word}|{word}) ON {word}.{word} WITH [{word}.{word}]"
            ),
            format!("CREATE FULLTEXT INDEX FOR ()-[{word}:{word}]-() ON EACH [{word}.{word}]"),
            format!("CREATE HIERARCHY {word} FOR ()-[:{word}|{word}]->()"),
        ];
        for text in texts {
            assert_round_trip(&text);
        }
    }
    let new = [
        "budget",
        "candidates",
        "each",
        "edges",
        "emit",
        "exact",
        "exceed",
        "from",
        "keep",
        "kept",
        "levels",
        "milliseconds",
        "nodes",
        "parent",
        "per",
        "recover",
        "score",
        "search",
        "step",
        "stop",
        "top",
        "traverse",
        "tree",
        "unfiltered",
    ];
    for word in new {
        let texts = [
            format!(
                "MATCH ({word})-[r:T]->() WHERE {word}.x AND {word}({word}) RETURN {word} ORDER BY {word} LIMIT {word}"
            ),
            format!(
                "TRAVERSE FROM {word} UNFILTERED STEP ({word})-->(b) SCORE {word} KEEP TOP {word} PER PARENT WHERE {word} \
                 EMIT KEPT BUDGET {word} EDGES YIELD node WHERE {word} RETURN {word}"
            ),
            format!(
                "TRAVERSE FROM a STEP (a)-->(b) LEVELS ..1 RECOVER ({word}) SCORE {word} KEEP WHERE {word} YIELD node"
            ),
        ];
        for text in texts {
            let statement = parse(&text).unwrap_or_else(|mistake| panic!("{text}\n{mistake:?}"));
            assert_eq!(statement.to_string(), text);
        }
    }
}

/// Level by level within level by level: each expression of the clause is counted.
#[test]
fn what_nests_in_a_traversal_is_counted() {
    let deep = format!("{}1{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    for (before, after) in [
        ("TRAVERSE FROM ", " STEP (a)-->(b) YIELD node"),
        ("TRAVERSE FROM (a {x: ", "}) STEP (a)-->(b) YIELD node"),
        ("TRAVERSE FROM a STEP (a)-->(b {x: ", "}) YIELD node"),
        ("TRAVERSE FROM a STEP (a)-->(b) SCORE ", " YIELD node"),
        ("TRAVERSE FROM a STEP (a)-->(b) KEEP TOP ", " YIELD node"),
        ("TRAVERSE FROM a STEP (a)-->(b) KEEP WHERE ", " YIELD node"),
        (
            "TRAVERSE FROM a STEP (a)-->(b) RECOVER (m) SCORE ",
            " KEEP TOP 1 YIELD node",
        ),
        (
            "TRAVERSE FROM a STEP (a)-->(b) BUDGET ",
            " NODES YIELD node",
        ),
        ("TRAVERSE FROM a STEP (a)-->(b) YIELD node WHERE ", ""),
        ("MATCH (n) SEARCH n IN (VECTOR INDEX i FOR ", " LIMIT 1)"),
        (
            "MATCH (n) SEARCH n IN (VECTOR INDEX i FOR a WHERE ",
            " LIMIT 1)",
        ),
        ("MATCH (n) SEARCH n IN (VECTOR INDEX i FOR a LIMIT ", ")"),
        ("CREATE VECTOR INDEX FOR (n) ON n.a OPTIONS ", ""),
        ("CREATE FULLTEXT INDEX FOR (n) ON EACH [n.a] OPTIONS ", ""),
    ] {
        let text = format!("{before}{deep}{after}");
        assert_eq!(parse(&text).unwrap_err().kind, NestingTooDeep, "{before}");
    }
}
