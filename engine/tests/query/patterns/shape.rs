//! What a query of the test is made of, and its text.
//!
//! Next: `make.rs`.

use std::fmt;

/// A value: what the queries return of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Val {
    Null,
    /// A node or a relationship, by its number.
    Entity(usize),
    List(Vec<Val>),
}

/// What kind of thing a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Node,
    Relationship,
    NodeList,
    RelationshipList,
    Path,
    /// A list of lists of relationships.
    Lists,
}

#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) clauses: Vec<Match>,
    /// What is returned.
    pub(super) variables: Vec<(String, Kind)>,
    /// Only the length of the paths is returned: which of equally long ones are given is open.
    pub(super) only_lengths: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Match {
    pub(super) optional: bool,
    pub(super) paths: Vec<Path>,
    pub(super) filter: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) name: Option<String>,
    pub(super) selector: Option<Selector>,
    pub(super) first: Node,
    pub(super) rest: Vec<(Link, Node)>,
    /// The condition of the parentheses around all of it.
    pub(super) within: Vec<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selector {
    Any(usize),
    Shortest(usize),
    AllShortest,
    Groups(usize),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) label: Option<&'static str>,
    pub(super) w: Option<i64>,
    pub(super) filter: Vec<Condition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    Right,
    Left,
    Either,
}

#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub(super) name: Option<String>,
    pub(super) of: Option<&'static str>,
    pub(super) w: Option<i64>,
    pub(super) filter: Vec<Condition>,
    pub(super) arrow: Arrow,
}

#[derive(Clone, Debug)]
pub(super) enum Link {
    One(Hop),
    /// Lengths as `*1..2`, or with `true` as `{1,2}`.
    Many(Hop, usize, Option<usize>, bool),
    Rounds(Box<Path>, usize, Option<usize>),
}

/// `name.w <= other.w`, or `name.w <= 1`, or how many matches a pattern has.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    AtMost(String, Other),
    /// `COUNT { path } >= number`.
    Count(Box<Path>, usize),
}

#[derive(Clone, Debug)]
pub(super) enum Other {
    Number(i64),
    Name(String),
}

fn all<T: fmt::Display>(parts: &[T]) -> String {
    let parts: Vec<String> = parts.iter().map(T::to_string).collect();
    parts.join(" AND ")
}

fn bounds(min: usize, max: Option<usize>) -> String {
    let max = max.map_or(String::new(), |max| max.to_string());
    format!("{{{min},{max}}}")
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(name, Other::Number(number)) => write!(f, "{name}.w <= {number}"),
            Self::AtMost(name, Other::Name(other)) => write!(f, "{name}.w <= {other}.w"),
            Self::Count(path, least) => write!(f, "COUNT {{ {path} }} >= {least}"),
        }
    }
}

/// What stands in the brackets of a node or a relationship.
fn inside(
    name: Option<&String>,
    label: Option<&str>,
    length: &str,
    w: Option<i64>,
    filter: &[Condition],
) -> String {
    let mut text = name.cloned().unwrap_or_default();
    if let Some(label) = label {
        text += &format!(":{label}");
    }
    text += length;
    if let Some(w) = w {
        text += &format!(" {{w: {w}}}");
    }
    if !filter.is_empty() {
        text += &format!(" WHERE {}", all(filter));
    }
    text
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = inside(self.name.as_ref(), self.label, "", self.w, &self.filter);
        write!(f, "({inside})")
    }
}

impl Hop {
    fn text(&self, length: &str, quantifier: &str) -> String {
        let inside = inside(self.name.as_ref(), self.of, length, self.w, &self.filter);
        let (left, right) = match self.arrow {
            Arrow::Right => ("-", "->"),
            Arrow::Left => ("<-", "-"),
            Arrow::Either => ("-", "-"),
        };
        format!("{left}[{inside}]{right}{quantifier}")
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(hop) => f.write_str(&hop.text("", "")),
            Self::Many(hop, min, max, true) => f.write_str(&hop.text("", &bounds(*min, *max))),
            Self::Many(hop, min, max, false) => {
                let max = max.map_or(String::new(), |max| max.to_string());
                f.write_str(&hop.text(&format!("*{min}..{max}"), ""))
            }
            Self::Rounds(path, min, max) => {
                write!(
                    f,
                    "({}{}){}",
                    path.plain(),
                    path.where_within(),
                    bounds(*min, *max)
                )
            }
        }
    }
}

impl Path {
    /// Without its name, its selector and its condition.
    fn plain(&self) -> String {
        let mut text = self.first.to_string();
        for (link, node) in &self.rest {
            text += &format!("{link}{node}");
        }
        text
    }

    fn where_within(&self) -> String {
        match self.within.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", all(&self.within)),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name} = ")?;
        }
        match self.selector {
            None => {}
            Some(Selector::Any(1)) => write!(f, "ANY ")?,
            Some(Selector::Any(most)) => write!(f, "ANY {most} ")?,
            Some(Selector::Shortest(1)) => write!(f, "ANY SHORTEST ")?,
            Some(Selector::Shortest(most)) => write!(f, "SHORTEST {most} ")?,
            Some(Selector::AllShortest) => write!(f, "ALL SHORTEST ")?,
            Some(Selector::Groups(most)) => write!(f, "SHORTEST {most} GROUPS ")?,
        }
        match self.within.is_empty() {
            true => f.write_str(&self.plain()),
            false => write!(f, "({}{})", self.plain(), self.where_within()),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for clause in &self.clauses {
            let paths: Vec<String> = clause.paths.iter().map(Path::to_string).collect();
            let optional = if clause.optional { "OPTIONAL " } else { "" };
            write!(f, "{optional}MATCH {}", paths.join(", "))?;
            if !clause.filter.is_empty() {
                write!(f, " WHERE {}", all(&clause.filter))?;
            }
            writeln!(f)?;
        }
        let items = self.variables.iter().map(|(name, kind)| match kind {
            Kind::Node | Kind::Relationship => format!("{name}.k"),
            _ if self.only_lengths && *kind != Kind::Path => format!("null AS {name}_"),
            Kind::NodeList | Kind::RelationshipList => format!("[x IN {name} | x.k]"),
            Kind::Lists => format!("[l IN {name} | [x IN l | x.k]]"),
            Kind::Path if self.only_lengths => format!("length({name})"),
            Kind::Path => {
                let parts =
                    format!("[x IN nodes({name}) | x.k], [x IN relationships({name}) | x.k]");
                format!("CASE WHEN {name} IS NULL THEN null ELSE [{parts}] END")
            }
        });
        let items: Vec<String> = items.collect();
        match items.is_empty() {
            true => f.write_str("RETURN 0"),
            false => write!(f, "RETURN {}", items.join(", ")),
        }
    }
}
