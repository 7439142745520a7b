//! The social graph: who knows whom, what they have posted, and the tags of it. Degrees are skewed.

use super::columns::{numbered_vectors, rows};
use crate::measure::Setup;
use anyhow::Result;
use std::collections::HashSet;
use std::path::Path;
use stratigraph::storage::cancel::Watch;
use stratigraph::{Database, NO_PROPERTIES, NodeId, Value, Vector};

/// The width of a post's vector.
pub(super) const DIMENSIONS: usize = 128;
/// Of so many kinds are posts: each is near the middle of its kind.
const KINDS: usize = 500;

/// How much there is.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) persons: usize,
    pub(super) knows: usize,
    pub(super) posts: usize,
    pub(super) tags: usize,
}

impl Size {
    /// Of so many persons.
    pub(super) fn of(persons: usize) -> Self {
        Self {
            persons,
            knows: 20 * persons,
            posts: 2 * persons,
            tags: persons / 20,
        }
    }
}

/// All of it, by numbers.
pub(super) struct Social {
    pub(super) size: Size,
    /// Who knows whom, since which year.
    knows: Vec<(u32, u32, u16)>,
    /// Who wrote each post.
    writers: Vec<u32>,
    /// Tags of posts.
    tagged: Vec<(u32, u32)>,
    vectors: Vec<f32>,
}

impl Social {
    pub(super) fn make(setup: &Setup, size: Size) -> Self {
        let mut random = fastrand::Rng::with_seed(setup.seed);
        let mut seen = HashSet::with_capacity(size.knows);
        let mut knows = Vec::with_capacity(size.knows);
        while knows.len() < size.knows {
            let (one, other) = (
                skewed(&mut random, size.persons),
                skewed(&mut random, size.persons),
            );
            // Nobody knows himself, and each other once: so walks and trails are the same for two and three steps.
            if one != other && seen.insert((one, other)) {
                knows.push((one, other, random.u16(1990..2026)));
            }
        }
        let writers = (0..size.posts).map(|_| skewed(&mut random, size.persons));
        let writers = writers.collect();
        let mut tagged: Vec<(u32, u32)> = (0..3 * size.posts)
            .map(|_| {
                (
                    random.u32(..size.posts as u32),
                    skewed(&mut random, size.tags),
                )
            })
            .collect();
        tagged.sort_unstable();
        tagged.dedup();
        let vectors = near_kinds(&mut random, size.posts, KINDS);
        Self {
            size,
            knows,
            writers,
            tagged,
            vectors,
        }
    }

    /// The vector of a post, a little moved: what a question is.
    pub(super) fn question(&self, random: &mut fastrand::Rng) -> Vec<f32> {
        let post = random.usize(..self.size.posts);
        let vector = &self.vectors[post * DIMENSIONS..][..DIMENSIONS];
        unit(
            vector
                .iter()
                .map(|part| part + 0.05 * (random.f32() - 0.5))
                .collect(),
        )
    }

    /// Loads it into ours, and declares what its queries look things up by.
    pub(super) fn load(&self, db: &Database) -> Result<()> {
        let mut load = db.bulk_load()?;
        for number in 0..self.size.persons {
            let name = name(number);
            load.add_node(
                ["Person"],
                [
                    ("id", Value::from(number as i64)),
                    ("name", Value::from(name.as_str())),
                    ("age", Value::from(age(number))),
                ],
            )?;
        }
        let posts = self.size.persons as u64;
        for number in 0..self.size.posts {
            let vector = Vector::new(&self.vectors[number * DIMENSIONS..][..DIMENSIONS])?;
            load.add_node(
                ["Post"],
                [
                    ("id", Value::from(number as i64)),
                    ("about", Value::from(vector)),
                ],
            )?;
        }
        let tags = posts + self.size.posts as u64;
        for number in 0..self.size.tags {
            load.add_node(["Tag"], [("id", Value::from(number as i64))])?;
        }
        let at = |first: u64, number: u32| NodeId::new(first + u64::from(number));
        for (one, other, since) in &self.knows {
            let since = [("since", Value::from(i64::from(*since)))];
            load.add_relationship(at(0, *one), "KNOWS", at(0, *other), since)?;
        }
        for (post, writer) in self.writers.iter().enumerate() {
            load.add_relationship(
                at(0, *writer),
                "WROTE",
                at(posts, post as u32),
                NO_PROPERTIES,
            )?;
        }
        for (post, tag) in &self.tagged {
            load.add_relationship(at(posts, *post), "HAS", at(tags, *tag), NO_PROPERTIES)?;
        }
        load.finish(&mut Watch::quiet())?;
        declare(db, &["Person", "Post", "Tag"], ("about", "Post"))
    }

    /// Writes it for the peer; what it is to be told to read it.
    pub(super) fn write(&self, dir: &Path) -> Result<Vec<String>> {
        let people = (0..self.size.persons)
            .map(|number| format!("{number},{},{}", name(number), age(number)));
        rows(&dir.join("persons.csv"), people)?;
        rows(
            &dir.join("knows.csv"),
            self.knows
                .iter()
                .map(|(one, other, since)| format!("{one},{other},{since}")),
        )?;
        let wrote = self.writers.iter().enumerate();
        rows(
            &dir.join("wrote.csv"),
            wrote.map(|(post, writer)| format!("{writer},{post}")),
        )?;
        rows(
            &dir.join("has.csv"),
            self.tagged
                .iter()
                .map(|(post, tag)| format!("{post},{tag}")),
        )?;
        rows(
            &dir.join("tags.csv"),
            (0..self.size.tags).map(|tag| tag.to_string()),
        )?;
        let posts = numbered_vectors(dir, "post", &self.vectors, DIMENSIONS)?;
        let at = |file: &str| dir.join(file).display().to_string();
        Ok(vec![
            "CREATE NODE TABLE Person(id INT64, name STRING, age INT64, PRIMARY KEY(id))".into(),
            format!("CREATE NODE TABLE Post(id INT64, about FLOAT[{DIMENSIONS}], PRIMARY KEY(id))"),
            "CREATE NODE TABLE Tag(id INT64, PRIMARY KEY(id))".into(),
            "CREATE REL TABLE KNOWS(FROM Person TO Person, since INT64)".into(),
            "CREATE REL TABLE WROTE(FROM Person TO Post)".into(),
            "CREATE REL TABLE HAS(FROM Post TO Tag)".into(),
            format!("COPY Person FROM '{}'", at("persons.csv")),
            format!("COPY Post FROM {posts}"),
            format!("COPY Tag FROM '{}'", at("tags.csv")),
            format!("COPY KNOWS FROM '{}'", at("knows.csv")),
            format!("COPY WROTE FROM '{}'", at("wrote.csv")),
            format!("COPY HAS FROM '{}'", at("has.csv")),
            "INSTALL vector".into(),
            "LOAD vector".into(),
            "CALL CREATE_VECTOR_INDEX('Post', 'about', 'about', metric := 'cosine')".into(),
        ])
    }
}

/// What both graphs are looked up by: an id of each label, and the vectors of one.
pub(super) fn declare(
    db: &Database,
    labels: &[&str],
    (index, with_vectors): (&str, &str),
) -> Result<()> {
    for label in labels {
        db.query(&format!("CREATE INDEX FOR (n:{label}) ON (n.id)"), ())?;
    }
    db.query(
        &format!(
            "CREATE VECTOR INDEX {index} FOR (n:{with_vectors}) ON n.about OPTIONS {{indexConfig: \
             {{`vector.dimensions`: {DIMENSIONS}, `vector.similarity_function`: 'cosine'}}}}"
        ),
        (),
    )?;
    Ok(())
}

fn name(number: usize) -> String {
    format!("person {number}")
}

fn age(number: usize) -> i64 {
    18 + (number as i64 * 7_919) % 70
}

/// One of `count`: the first of them far more often than the last.
pub(super) fn skewed(random: &mut fastrand::Rng, count: usize) -> u32 {
    let place = random.f64().powf(1.6) * count as f64;
    (place as usize).min(count - 1) as u32
}

/// So many vectors of length one, each near the middle of one of `kinds`.
pub(super) fn near_kinds(random: &mut fastrand::Rng, count: usize, kinds: usize) -> Vec<f32> {
    let middles: Vec<Vec<f32>> = (0..kinds)
        .map(|_| unit((0..DIMENSIONS).map(|_| random.f32() - 0.5).collect()))
        .collect();
    let mut vectors = Vec::with_capacity(count * DIMENSIONS);
    for _ in 0..count {
        let middle = &middles[random.usize(..kinds)];
        let moved = middle
            .iter()
            .map(|part| part + 0.15 * (random.f32() - 0.5))
            .collect();
        vectors.extend(unit(moved));
    }
    vectors
}

/// The same direction, of length one.
fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|part| *part /= length);
    vector
}
