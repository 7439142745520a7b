//! Our parser and open-cypher's take and refuse the same texts: the queries of the conformance suite, and the
//! same with a word missing, doubled, swapped or replaced.
//!
//! `ROUNDS` says how often each query is changed. Where they do not agree, [`explained`] says why; what it has no reason for fails the test. Without the
//! suite (`tck/` in the folder that `STRATIGRAPH_SHARED` names, or in `../shared` beside the repository) there is nothing to mutate, and the test says so.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use stratigraph_query_lang::ParseErrorKind;

fn queries() -> Vec<String> {
    let named = std::env::var_os("STRATIGRAPH_SHARED").map(PathBuf::from);
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let file = named.unwrap_or_else(beside).join("tck/open.jsonl.zst");
    let Ok(bytes) = std::fs::read(&file) else {
        eprintln!(
            "SKIPPED: there is no {}; STRATIGRAPH_SHARED names the folder above tck/",
            file.display()
        );
        return Vec::new();
    };
    let mut text = String::new();
    ruzstd::decoding::StreamingDecoder::new(&*bytes)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let mut queries: Vec<String> = Vec::new();
    for line in text.lines() {
        let scenario: Value = serde_json::from_str(line).unwrap();
        queries.extend(scenario["query"].as_str().map(str::to_owned));
        let setups = scenario["setup"].as_array().into_iter().flatten();
        queries.extend(setups.filter_map(|setup| setup.as_str().map(str::to_owned)));
    }
    queries.sort_unstable();
    queries.dedup();
    queries
}

/// The words and symbols of a text, good enough to take it apart and put it together.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\'' | '"' | '`' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            first if first.is_alphanumeric() || first == '_' || first == '$' => rest
                .char_indices()
                .skip(1)
                .find(|(_, c)| !(c.is_alphanumeric() || *c == '_'))
                .map_or(rest.len(), |(end, _)| end),
            _ => first.len_utf8(),
        };
        if !rest.starts_with("//") {
            words.push(&rest[..end]);
        }
        rest = rest[end..].trim_start();
    }
    words
}

/// A text with one or two words changed.
fn mutated(text: &str, pool: &[&str], random: &mut fastrand::Rng) -> String {
    let mut words: Vec<&str> = words(text);
    for _ in 0..random.usize(1..3) {
        if words.is_empty() {
            break;
        }
        let at = random.usize(..words.len());
        match random.u8(..5) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[at]),
            2 => {
                let other = random.usize(..words.len());
                words.swap(at, other);
            }
            3 => words[at] = pool[random.usize(..pool.len())],
            _ => words.insert(at, pool[random.usize(..pool.len())]),
        }
    }
    words.join(" ")
}

/// Whether each takes the text: ours, theirs.
fn verdicts(text: &str) -> (bool, bool) {
    let ours = stratigraph_query_lang::parse(text).is_ok();
    // A text without a statement is a program for them.
    let theirs = open_cypher::parse(text).is_ok_and(|parsed| !parsed.program.statements.is_empty());
    (ours, theirs)
}

/// Why they need not agree about a text.
fn explained(text: &str) -> Option<&'static str> {
    let mistake = match stratigraph_query_lang::parse(text) {
        Ok(statement) => {
            // Where it could be taken for the keyword, we print a name in backquotes.
            let printed = statement.to_string();
            if verdicts(&printed).1 || verdicts(&with_other_names(&printed)).1 {
                return Some("ours: no word is reserved, theirs reserves some");
            }
            return beyond_theirs(&format!("{statement:?}"));
        }
        Err(mistake) => mistake,
    };
    if mistake.kind != ParseErrorKind::UnexpectedSyntax {
        return Some(
            "ours: numbers that do not fit, UNION with UNION ALL, and writes in EXISTS are no syntax",
        );
    }
    let (before, after) = text.split_at(mistake.span.start as usize);
    let before = before.trim_end();
    let word = before
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or("");
    if after.starts_with('{') {
        return Some("theirs: a map projection of any expression, not of a variable");
    }
    if mistake.message.contains("a pattern such as (n)")
        || (before.ends_with(')') && after.starts_with('('))
    {
        return Some("theirs: nodes without a relationship between, relationships without nodes");
    }
    if word.eq_ignore_ascii_case("NOT")
        || text.contains("NOT {")
        || text.contains("NOT IN")
        || text.contains("NOT (")
    {
        return Some("theirs: NOT is a name where what follows is nothing that it could negate");
    }
    if before.to_ascii_uppercase().contains("RETURN ALL")
        || before.to_ascii_uppercase().contains("WITH ALL")
    {
        return Some("theirs: RETURN ALL");
    }
    if after.starts_with(['*', '+']) && before.ends_with(')') {
        return Some("theirs: a node has a quantifier");
    }
    if mistake.message.contains("nothing that can be") {
        return Some("theirs: a literal as a variable that is set");
    }
    if before.to_ascii_uppercase().contains("REMOVE") {
        return Some("theirs: REMOVE of a variable without a label or property");
    }
    if before.ends_with('(') && after.starts_with(['-', '<']) {
        return Some("theirs: nodes without a relationship between, relationships without nodes");
    }
    None
}

/// The text with another name where we print no backquotes: after `.`, `:` and `AS`.
fn with_other_names(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in words(text) {
        let named = matches!(kept.last(), Some(&("." | ":" | "|" | "&" | "AS")));
        let letters = word.chars().all(|c| c.is_ascii_alphabetic());
        kept.push(if named && letters { "zz" } else { word });
    }
    kept.join(" ")
}

/// What a tree of ours has that theirs cannot have.
fn beyond_theirs(tree: &str) -> Option<&'static str> {
    let chained = ["IsNull { of", "Predicate { left", "HasLabels { of"]
        .iter()
        .any(|outer| {
            ["IsNull", "Predicate", "HasLabels"]
                .iter()
                .any(|inner| tree.contains(&format!("{outer}: Expression {{ kind: {inner}")))
        });
    if chained {
        return Some("ours: one predicate after the other, from left to right");
    }
    if tree.contains("variable: None, labels: None, properties: None, filter: Some") {
        return Some("ours: a node of nothing but WHERE");
    }
    if tree.contains("HasLabels") {
        return Some("ours: the labels of any expression, in any place");
    }
    if tree.contains("list: Expression { kind: Pattern(") {
        return Some("ours: a pattern as the list of a comprehension needs no parentheses");
    }
    if tree.contains("Quantified") {
        return Some("ours: a quantifier without WHERE takes any expression as its list");
    }
    None
}

#[test]
fn both_take_and_refuse_the_same_texts() {
    let queries = queries();
    if queries.is_empty() {
        return;
    }
    let pool: Vec<&str> = queries.iter().flat_map(|query| words(query)).collect();
    let rounds = std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(3);
    let mut random = fastrand::Rng::with_seed(6);
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut texts, mut unexplained) = (0_u64, Vec::new());
    for query in &queries {
        for round in 0..=rounds {
            let text = if round == 0 {
                query.clone()
            } else {
                mutated(query, &pool, &mut random)
            };
            texts += 1;
            let (ours, theirs) = verdicts(&text);
            if ours == theirs {
                continue;
            }
            match explained(&text) {
                Some(reason) => *reasons.entry(reason).or_default() += 1,
                None => unexplained.push((ours, text)),
            }
        }
    }
    println!("{texts} texts; differences that are explained: {reasons:#?}");
    for (ours, text) in unexplained.iter().take(60) {
        println!(
            "{} only: {}",
            if *ours { "ours" } else { "theirs" },
            text.replace('\n', " ")
        );
    }
    assert!(unexplained.is_empty(), "{} differences", unexplained.len());
}
