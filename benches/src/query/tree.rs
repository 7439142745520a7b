//! The heading tree: sections in five levels with a vector each, ids in reading order.

use super::columns::{numbered_vectors, rows};
use super::social::{DIMENSIONS, declare, near_kinds};
use crate::measure::Setup;
use anyhow::Result;
use std::path::Path;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, NO_PROPERTIES, NodeId, Value, Vector};

pub(super) const LEVELS: usize = 5;

pub(super) struct Tree {
    /// Parent and child.
    children: Vec<(u32, u32)>,
    vectors: Vec<f32>,
    sections: usize,
}

impl Tree {
    /// Of so many children each: 31 to the fourth are a little less than a million.
    pub(super) fn make(setup: &Setup, fan_out: usize) -> Self {
        let mut children = Vec::new();
        let mut next = 1;
        grow(0, 1, fan_out, &mut next, &mut children);
        let sections = next as usize;
        let mut random = fastrand::Rng::with_seed(setup.seed);
        Self {
            children,
            vectors: near_kinds(&mut random, sections, 64),
            sections,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.sections
    }

    /// What is asked: like one of the sections, or like nothing.
    pub(super) fn question(&self, random: &mut fastrand::Rng) -> Vec<f32> {
        let at = random.usize(..self.sections) * DIMENSIONS;
        self.vectors[at..][..DIMENSIONS].to_vec()
    }

    /// The cosine that so many of a hundred sections are above.
    pub(super) fn threshold(&self, question: &[f32], hundredths: usize) -> f64 {
        let mut scores: Vec<f32> = self
            .vectors
            .chunks_exact(DIMENSIONS)
            .step_by(97)
            .map(|vector| vector.iter().zip(question).map(|(a, b)| a * b).sum())
            .collect();
        scores.sort_unstable_by(|left, right| right.total_cmp(left));
        // Between two scores, so that both sides round to the same side of it.
        let at = scores.len() * hundredths / 100;
        f64::from(f32::midpoint(scores[at], scores[at + 1]))
    }

    pub(super) fn load(&self, db: &Database) -> Result<()> {
        let mut load = db.bulk_load()?;
        for (number, vector) in self.vectors.chunks_exact(DIMENSIONS).enumerate() {
            load.add_node(
                ["Section"],
                [
                    ("id", Value::from(number as i64)),
                    ("about", Value::from(Vector::new(vector)?)),
                ],
            )?;
        }
        for (parent, child) in &self.children {
            let (parent, child) = (NodeId::new((*parent).into()), NodeId::new((*child).into()));
            load.add_relationship(parent, "CHILD", child, NO_PROPERTIES)?;
        }
        load.finish(&mut Watch::quiet())?;
        declare(db, &["Section"], ("sections", "Section"))
    }

    pub(super) fn write(&self, dir: &Path) -> Result<Vec<String>> {
        rows(
            &dir.join("children.csv"),
            self.children
                .iter()
                .map(|(parent, child)| format!("{parent},{child}")),
        )?;
        let vectors = numbered_vectors(dir, "section", &self.vectors, DIMENSIONS)?;
        let at = |file: &str| dir.join(file).display().to_string();
        Ok(vec![
            format!(
                "CREATE NODE TABLE Section(id INT64, about FLOAT[{DIMENSIONS}], PRIMARY KEY(id))"
            ),
            "CREATE REL TABLE CHILD(FROM Section TO Section)".into(),
            format!("COPY Section FROM {vectors}"),
            format!("COPY CHILD FROM '{}'", at("children.csv")),
        ])
    }
}

/// Numbers what lies under a section, in reading order.
fn grow(parent: u32, level: usize, fan_out: usize, next: &mut u32, children: &mut Vec<(u32, u32)>) {
    if level == LEVELS {
        return;
    }
    for _ in 0..fan_out {
        let child = *next;
        *next += 1;
        children.push((parent, child));
        grow(child, level + 1, fan_out, next, children);
    }
}
