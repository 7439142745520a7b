//! The pictures of `docs/traverse.md`, drawn from what queries give.
//!
//! The files are compared with what is drawn now; `STRATIGRAPH_ACCEPT=1` writes them anew.
//!
//! Next: `../main.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use stratigraph::Database;

/// A handbook of two chapters; how well each section answers is a property here, so that the page stays small.
const HANDBOOK: &str = include_str!("../../../../docs/pictures/handbook.stratql");

const WIDTH: i64 = 108;
const HEIGHT: i64 = 40;
const GAP: (i64, i64) = (12, 56);

/// A candidate as a query gave it.
struct Seen {
    level: i64,
    status: String,
    score: Option<f64>,
}

fn handbook() -> Database {
    super::super::database(&[HANDBOOK])
}

/// What became of every candidate, by name.
fn seen(database: &Database, text: &str) -> BTreeMap<String, Seen> {
    let rows = database.query(text, ()).unwrap();
    let seen = rows.map(|row| {
        let row = row.unwrap();
        let name: String = row.get("name").unwrap();
        let seen = Seen {
            level: row.get("level").unwrap(),
            status: row.get("status").unwrap(),
            score: row.get("score").unwrap(),
        };
        (name, seen)
    });
    seen.collect()
}

/// The levels of the outline, each from left to right, and who is below whom.
fn outline(database: &Database) -> (Vec<Vec<String>>, Vec<(String, String)>) {
    let mut levels = Vec::new();
    for level in 1..=3 {
        let rows = database
            .query(
                "MATCH (s:Section {level: $level}) RETURN s.name AS name ORDER BY s.place",
                [("level", level)],
            )
            .unwrap();
        levels.push(rows.map(|row| row.unwrap().get("name").unwrap()).collect());
    }
    let rows = database
        .query(
            "MATCH (a)-[:HAS_CHILD]->(b) RETURN a.name AS a, b.name AS b ORDER BY a, b",
            (),
        )
        .unwrap();
    let edges = rows.map(|row| {
        let row = row.unwrap();
        (row.get("a").unwrap(), row.get("b").unwrap())
    });
    (levels, edges.collect())
}

fn colours(status: Option<&str>) -> (&'static str, &'static str) {
    match status {
        Some("kept") => ("#c9e7cb", "#2e7d32"),
        Some("recovered") => ("#ffe3b3", "#c77700"),
        Some("cut") => ("#dfe5f5", "#5c6bc0"),
        Some(_) => ("#eeeeee", "#8a8a8a"),
        None => ("#ffffff", "#c4c4c4"),
    }
}

/// The levels with what became of each section; those that were never looked at are dashed.
fn draw(database: &Database, seen: &BTreeMap<String, Seen>) -> String {
    let (levels, edges) = outline(database);
    let widest = levels.iter().map(Vec::len).max().unwrap_or(0) as i64;
    let (step, row) = (WIDTH + GAP.0, HEIGHT + GAP.1);
    let width = widest * step + 70;
    let height = levels.len() as i64 * row + 12;
    let mut places = BTreeMap::new();
    for (level, names) in (0..).zip(&levels) {
        let left = 70 + (widest - names.len() as i64) * step / 2;
        for (at, name) in (0..).zip(names) {
            places.insert(name.clone(), (left + at * step, 12 + level * row));
        }
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n"
    );
    let stays = |name: &String| {
        let status = seen.get(name).map(|seen| seen.status.as_str());
        matches!(status, Some("kept" | "recovered"))
    };
    for (from, to) in &edges {
        let ((x1, y1), (x2, y2)) = (places[from], places[to]);
        let walked = stays(from) && seen.contains_key(to);
        let style = if walked {
            "#555555\""
        } else {
            "#c4c4c4\" stroke-dasharray=\"4 4\""
        };
        writeln!(
            svg,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{y2}\" stroke=\"{style}/>",
            x1 + WIDTH / 2,
            y1 + HEIGHT,
            x2 + WIDTH / 2
        )
        .unwrap();
    }
    for (level, _) in (0..).zip(&levels) {
        writeln!(
            svg,
            "<text x=\"6\" y=\"{}\" fill=\"#555555\">level {level}</text>",
            12 + level * row + 25
        )
        .unwrap();
    }
    for (name, (x, y)) in &places {
        let found = seen.get(name);
        let (fill, stroke) = colours(found.map(|found| found.status.as_str()));
        let dashes = if found.is_none() {
            " stroke-dasharray=\"4 4\""
        } else {
            ""
        };
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"{fill}\" stroke=\"{stroke}\"{dashes}/>"
        )
        .unwrap();
        let under = match found {
            Some(Seen { status, score, .. }) => {
                let score = score.map_or("null".to_owned(), |score| format!("{score:.2}"));
                format!("{status} {score}")
            }
            None => "not looked at".to_owned(),
        };
        let middle = x + WIDTH / 2;
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-weight=\"bold\">{name}</text>", y + 17).unwrap();
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\" fill=\"{stroke}\">{under}</text>", y + 32).unwrap();
    }
    svg.push_str("</svg>\n");
    svg
}

fn pictures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures")
}

#[test]
fn the_pictures_show_what_the_queries_give() {
    let database = handbook();
    let cases = [
        ("traverse-threshold", "KEEP WHERE score > 0.5"),
        ("traverse-top", "KEEP TOP 2 WHERE score > 0.5"),
        (
            "traverse-recover",
            "KEEP TOP 2 WHERE score > 0.5 \
             RECOVER (m:Section {level: level + 1}) KEEP TOP 1 WHERE score > 0.85",
        ),
    ];
    for (name, options) in cases {
        let text = format!(
            "TRAVERSE FROM (r:Section {{level: 1}}) STEP (a)-[:HAS_CHILD]->(b:Section) LEVELS 0..2 \
             SCORE b.fit {options} EMIT CANDIDATES YIELD node, level, score, status \
             RETURN node.name AS name, level, score, status"
        );
        let seen = seen(&database, &text);
        let levels: BTreeSet<i64> = seen.values().map(|seen| seen.level).collect();
        assert_eq!(levels, BTreeSet::from([0, 1, 2]), "{name}");
        let drawn = draw(&database, &seen);
        let path = pictures().join(format!("{name}.svg"));
        if std::env::var_os("STRATIGRAPH_ACCEPT").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            kept,
            drawn,
            "{}: STRATIGRAPH_ACCEPT=1 draws it anew",
            path.display()
        );
    }
}
