//! A picture of the layered graph: columns from the headings at the top of documents down to passages, things and facts, with
//! what became of each heading on the way down.
//!
//! It draws what it is given and knows no database: `descent.rs` gives it what was just found, and a test of the command line
//! gives it the same of the sample and compares the picture of README.md with what is drawn.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// One box.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// What tells it apart from all others.
    pub(crate) key: String,
    /// The column, from 0.
    pub(crate) column: usize,
    /// What stands in it.
    pub(crate) name: String,
    /// `kept`, `recovered`, `cut`, `rejected`; for passages, things and facts something else.
    pub(crate) status: String,
    /// How near it is, if that was asked.
    pub(crate) score: Option<f64>,
    /// The boxes of earlier columns that it hangs on.
    pub(crate) under: Vec<String>,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    /// Stands above all.
    pub(crate) title: String,
    /// Stand above the columns.
    pub(crate) columns: Vec<String>,
    /// All boxes, in any order.
    pub(crate) nodes: Vec<Node>,
}

/// A box, and what is between boxes.
const BOX: (usize, usize) = (186, 24);
const GAP: (usize, usize) = (40, 6);
/// Where the first box stands.
const TOP: (usize, usize) = (8, 62);
/// So many letters fit into a box, beside a score.
const LETTERS: usize = 22;

impl Picture {
    /// As SVG. The same boxes give the same bytes, in whatever order they come.
    pub(crate) fn draw(&self) -> String {
        let columns = self.in_order();
        let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
        let width = TOP.0 * 2 + self.columns.len() * (BOX.0 + GAP.0) - GAP.0;
        let height = TOP.1 + tallest * (BOX.1 + GAP.1) + 34;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        let text = |x: usize, y: usize, style: &str, text: &str| {
            format!(
                "<text x=\"{x}\" y=\"{y}\" {style}>{}</text>\n",
                escaped(text)
            )
        };
        svg += &text(
            TOP.0,
            22,
            "font-size=\"15\" font-weight=\"bold\"",
            &self.title,
        );
        for (column, name) in self.columns.iter().enumerate() {
            svg += &text(left(column), TOP.1 - 12, "fill=\"#555555\"", name);
        }
        let mut places = BTreeMap::new();
        for (column, nodes) in columns.iter().enumerate() {
            for (row, node) in nodes.iter().enumerate() {
                places.insert(
                    node.key.as_str(),
                    (left(column), TOP.1 + row * (BOX.1 + GAP.1)),
                );
            }
        }
        for node in columns.iter().flatten() {
            for from in node.under.iter().filter_map(|key| places.get(key.as_str())) {
                svg += &line(*from, places[node.key.as_str()], &node.status);
            }
        }
        for node in columns.iter().flatten() {
            svg += &boxed(node, places[node.key.as_str()]);
        }
        let legend = "green: kept     orange: recovered, its heading was cut     grey: cut     blue: what lies below";
        svg += &text(
            TOP.0,
            height - 12,
            "font-size=\"11\" fill=\"#555555\" xml:space=\"preserve\"",
            legend,
        );
        svg.push_str("</svg>\n");
        svg
    }

    /// The boxes of each column from top to bottom: near what they hang on, and the nearest to the question first.
    fn in_order(&self) -> Vec<Vec<&Node>> {
        let mut columns: Vec<Vec<&Node>> = vec![Vec::new(); self.columns.len()];
        for node in &self.nodes {
            if let Some(column) = columns.get_mut(node.column) {
                column.push(node);
            }
        }
        let mut rows: BTreeMap<&str, usize> = BTreeMap::new();
        for column in &mut columns {
            column.sort_by(|a, b| {
                let first = |node: &Node| {
                    let rows = node.under.iter().filter_map(|key| rows.get(key.as_str()));
                    rows.min().copied().unwrap_or(usize::MAX)
                };
                let score = |node: &Node| node.score.unwrap_or(0.0);
                first(a)
                    .cmp(&first(b))
                    .then_with(|| score(b).total_cmp(&score(a)))
                    .then_with(|| a.name.cmp(&b.name))
                    .then_with(|| a.key.cmp(&b.key))
            });
            for (row, node) in column.iter().enumerate() {
                rows.insert(&node.key, row);
            }
        }
        columns
    }
}

fn left(column: usize) -> usize {
    TOP.0 + column * (BOX.0 + GAP.0)
}

/// What a box is filled with, and its border.
fn colours(status: &str) -> (&'static str, &'static str) {
    match status {
        "kept" => ("#c9e7cb", "#2e7d32"),
        "recovered" => ("#ffe3b3", "#c77700"),
        "cut" | "rejected" => ("#f1f1f1", "#a0a0a0"),
        _ => ("#dfe9f8", "#3f63a8"),
    }
}

fn line(from: (usize, usize), to: (usize, usize), status: &str) -> String {
    let (x1, y1) = (from.0 + BOX.0, from.1 + BOX.1 / 2);
    let (x2, y2) = (to.0, to.1 + BOX.1 / 2);
    let middle = (x1 + x2) / 2;
    let (_, colour) = colours(status);
    let dashes = match status {
        "recovered" => " stroke-dasharray=\"4 4\"",
        _ => "",
    };
    format!(
        "<path d=\"M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}\" fill=\"none\" stroke=\"{colour}\"{dashes}/>\n"
    )
}

fn boxed(node: &Node, (x, y): (usize, usize)) -> String {
    let (fill, border) = colours(&node.status);
    let letters = match node.score {
        Some(_) => LETTERS,
        None => LETTERS + 4,
    };
    let mut name: String = node.name.chars().take(letters).collect();
    if node.name.chars().count() > letters {
        name = format!("{}…", name.trim_end());
    }
    let mut svg = format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{fill}\" stroke=\"{border}\"/>\n\
         <text x=\"{}\" y=\"{}\">{}</text>\n",
        BOX.0,
        BOX.1,
        x + 6,
        y + 16,
        escaped(&name)
    );
    if let Some(score) = node.score {
        // What rounds to nothing has no sign.
        let score = if score.abs() < 0.005 { 0.0 } else { score };
        let at = x + BOX.0 - 6;
        let _ = writeln!(
            svg,
            "<text x=\"{at}\" y=\"{}\" text-anchor=\"end\" font-size=\"11\" fill=\"{border}\">{score:.2}</text>",
            y + 16
        );
    }
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(key: &str, column: usize, status: &str, score: f64, under: &[&str]) -> Node {
        Node {
            key: key.to_owned(),
            column,
            name: format!("{key} & more"),
            status: status.to_owned(),
            score: Some(score),
            under: under.iter().map(|key| (*key).to_owned()).collect(),
        }
    }

    fn picture(nodes: Vec<Node>) -> Picture {
        Picture {
            title: "Why <this>?".to_owned(),
            columns: vec!["level 1".to_owned(), "level 2".to_owned()],
            nodes,
        }
    }

    #[test]
    fn the_order_of_what_is_given_does_not_matter() {
        let nodes = vec![
            node("a", 0, "kept", 0.5, &[]),
            node("b", 0, "cut", 0.1, &[]),
            node("c", 1, "recovered", 0.9, &["b"]),
            node("d", 1, "kept", 0.2, &["a"]),
        ];
        let drawn = picture(nodes.clone()).draw();
        assert_eq!(drawn, picture(nodes.into_iter().rev().collect()).draw());
        // What hangs on the first heading comes first, although the other one is nearer to the question.
        assert!(drawn.find(">d &amp;") < drawn.find(">c &amp;"), "{drawn}");
        assert_eq!(drawn.matches("<path").count(), 2);
        assert_eq!(drawn.matches("stroke-dasharray").count(), 1);
        assert!(drawn.contains("Why &lt;this&gt;?") && drawn.ends_with("</svg>\n"));
    }

    #[test]
    fn what_hangs_on_nothing_that_is_drawn_is_drawn_without_a_line() {
        let drawn = picture(vec![
            node("a", 1, "kept", -0.001, &["nobody"]),
            node("x", 7, "kept", 1.0, &[]),
        ])
        .draw();
        assert!(
            !drawn.contains("<path") && !drawn.contains("x &amp;"),
            "{drawn}"
        );
        assert!(drawn.contains(">0.00<"), "{drawn}");
    }
}
