//! A graph without ids, at random, and databases made of it in any order.

use stratigraph::value::ValueKind;
use stratigraph::{
    Constraint, Database, HierarchyOptions, Index, NO_LABELS, NO_PROPERTIES, NodeId, Value, Vector,
};

pub(crate) type Properties = Vec<(String, Value)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) nodes: Vec<(Vec<&'static str>, Properties)>,
    pub(crate) relationships: Vec<(usize, &'static str, usize, Properties)>,
    /// Nodes that the hierarchy names.
    pub(crate) members: Vec<usize>,
}

const LABELS: [&str; 4] = ["Person", "Book", "", "Ünicode \"quoted\"\n"];
const TYPES: [&str; 3] = ["KNOWS", "WROTE", "a b"];

/// A value of any kind that a property can hold.
pub(crate) fn value(rng: &mut fastrand::Rng) -> Value {
    let scalar = |rng: &mut fastrand::Rng, kind: usize| -> Value {
        match kind {
            0 => rng.bool().into(),
            1 => [0, -1, 7, i64::MAX, i64::MIN][rng.usize(..5)].into(),
            2 => [0.1, -0.0, 1e300, 5.0, f64::INFINITY, f64::NAN, 2e19][rng.usize(..7)].into(),
            3 => ["", "a", "ö\u{0}\"\\\n\u{2028}", "🙂"][rng.usize(..4)].into(),
            4 => "1984-10-11".parse().map(Value::Date).unwrap(),
            5 => "12:31:14.645876123+01:00".parse().map(Value::Time).unwrap(),
            6 => "23:59:59".parse().map(Value::LocalTime).unwrap(),
            7 => "1984-10-11T12:31:14+01:00[Europe/Stockholm]"
                .parse()
                .map(Value::DateTime)
                .unwrap(),
            8 => "-0044-03-15T12:00"
                .parse()
                .map(Value::LocalDateTime)
                .unwrap(),
            _ => "P12Y5M14DT16H13M10.000000001S"
                .parse()
                .map(Value::Duration)
                .unwrap(),
        }
    };
    match rng.usize(..24) {
        0 => Value::bytes([0, rng.u8(..), 255]),
        1 | 2 => {
            let numbers: Vec<f32> = (0..rng.usize(1..9)).map(|_| rng.f32() - 0.5).collect();
            Value::Vector(Vector::new(numbers).unwrap())
        }
        // Long enough to lie apart from its record.
        3 => "long ".repeat(rng.usize(150..2000)).into(),
        4..=7 => {
            let kind = rng.usize(..10);
            let elements: Vec<Value> = (0..rng.usize(..4)).map(|_| scalar(rng, kind)).collect();
            elements.into()
        }
        other => scalar(rng, other % 10),
    }
}

pub(crate) fn properties(rng: &mut fastrand::Rng) -> Properties {
    (0..rng.usize(..4))
        .map(|_| (format!("p{}", rng.u8(..6)), value(rng)))
        .collect()
}

fn labels(rng: &mut fastrand::Rng) -> Vec<&'static str> {
    let labels = LABELS.into_iter().filter(|label| !label.is_empty());
    labels.filter(|_| rng.bool()).collect()
}

impl Model {
    /// A random graph; a plain one has few contents, so that many nodes look alike.
    pub(crate) fn random(rng: &mut fastrand::Rng, nodes: usize, is_plain: bool) -> Self {
        let mut model = Self::default();
        for node in 0..nodes {
            let (labels, mut properties) = match is_plain {
                true => (
                    if rng.u8(..4) == 0 {
                        vec!["Book"]
                    } else {
                        vec![]
                    },
                    vec![],
                ),
                false => (labels(rng), properties(rng)),
            };
            if !is_plain {
                properties.push(("unique".into(), format!("n{node}").into()));
            }
            model.nodes.push((labels, properties));
        }
        for _ in 0..nodes + nodes / 2 {
            let of = if is_plain {
                "KNOWS"
            } else {
                TYPES[rng.usize(..3)]
            };
            let properties = if is_plain { vec![] } else { properties(rng) };
            model
                .relationships
                .push((rng.usize(..nodes), of, rng.usize(..nodes), properties));
        }
        // A tree, since a hierarchy refuses cycles.
        for child in 1..nodes {
            if rng.u8(..3) == 0 {
                let parent = rng.usize(..child);
                model.relationships.push((parent, "HAS", child, vec![]));
            }
        }
        model.members = (0..nodes).filter(|_| rng.u8(..5) == 0).collect();
        model
    }

    /// A database of it. Nodes and relationships get their ids in a random order, with gaps.
    pub(crate) fn database(&self, rng: &mut fastrand::Rng) -> Database {
        let db = Database::in_memory().unwrap();
        let mut txn = db.write().unwrap();
        let mut ids = vec![NodeId::new(0); self.nodes.len()];
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        rng.shuffle(&mut order);
        for node in order {
            if rng.u8(..4) == 0 {
                let gone = txn.create_node(["Gone"], [("gone", 1)]).unwrap();
                txn.delete_node(gone).unwrap();
            }
            let (mut labels, mut properties) = self.nodes[node].clone();
            rng.shuffle(&mut labels);
            if distinct(&properties) {
                rng.shuffle(&mut properties);
            }
            ids[node] = txn.create_node(labels, properties).unwrap();
        }
        let mut order: Vec<usize> = (0..self.relationships.len()).collect();
        rng.shuffle(&mut order);
        for relationship in order {
            let (from, of, to, properties) = self.relationships[relationship].clone();
            if rng.u8(..4) == 0 {
                let gone = txn.create_relationship(ids[from], "GONE", ids[to], NO_PROPERTIES);
                txn.delete_relationship(gone.unwrap()).unwrap();
            }
            txn.create_relationship(ids[from], of, ids[to], properties)
                .unwrap();
        }
        txn.commit().unwrap();
        self.declare(&db);
        let mut txn = db.write().unwrap();
        for member in &self.members {
            txn.add_member("parts", ids[*member]).unwrap();
        }
        // The highest ids are free again, and must stay so.
        let last = txn.create_node(NO_LABELS, NO_PROPERTIES).unwrap();
        txn.delete_node(last).unwrap();
        txn.commit().unwrap();
        db
    }

    fn declare(&self, db: &Database) {
        db.create_index(Index::on_nodes("Nobody", ["p1", "p0"]).named("by p"))
            .unwrap();
        db.create_index(Index::on_relationships("KNOWS", ["since"]))
            .unwrap();
        db.create_constraint(Constraint::on_nodes("Person").unique(["unique"]))
            .unwrap();
        db.create_constraint(Constraint::on_nodes("Book").exists("unique").named("has"))
            .ok();
        let kind = Constraint::on_nodes("Person").kind("unique", ValueKind::String);
        db.create_constraint(kind).unwrap();
        let key = Constraint::on_relationships("NEVER").key(["a", "b"]);
        db.create_constraint(key).unwrap();
        db.create_hierarchy(HierarchyOptions::new("parts", "HAS").tree())
            .unwrap();
        db.create_hierarchy(HierarchyOptions::new("empty", "NEVER"))
            .unwrap();
    }
}

/// Of two values of one name the last counts, and then their order matters.
fn distinct(properties: &Properties) -> bool {
    let mut names: Vec<&String> = properties.iter().map(|(name, _)| name).collect();
    names.sort();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
