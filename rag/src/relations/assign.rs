//! Names that come later: each is put where it is near enough, without clustering all names again.

use std::collections::BTreeSet;

use super::{Negations, RelationError, Relations, cosine, embedded, negates};
use stratigraph_models::Embedder;

/// Where a name was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// It was known.
    Known,
    /// It is in a cluster.
    Cluster,
    /// It means the same as a name that lay alone.
    Other,
    /// It lies alone.
    Alone,
}

impl Relations {
    /// Takes names that come later: into the cluster whose mean is nearest, if it is within `eps`; else under a
    /// name that lies alone and is nearer than `eps`; else alone. What names are known already keep their place.
    ///
    /// Where each was put, by name. Which clusters there are stays as it is until all names are clustered again.
    ///
    /// # Errors
    ///
    /// A [`RelationError`] if they cannot be embedded, or not with this embedder.
    pub fn assign<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a str>,
        embedder: &dyn Embedder,
    ) -> Result<Vec<(String, Assigned)>, RelationError> {
        if embedder.name() != self.embedder {
            return Err(RelationError::OtherEmbedder {
                made: self.embedder.clone(),
                given: embedder.name().to_owned(),
            });
        }
        let names: BTreeSet<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let (known, new): (Vec<&str>, Vec<&str>) = names
            .into_iter()
            .partition(|name| self.names.contains_key(*name));
        let mut assigned: Vec<(String, Assigned)> = known
            .into_iter()
            .map(|name| (name.to_owned(), Assigned::Known))
            .collect();
        for (name, row) in new.iter().zip(embedded(&new, embedder)?) {
            let (stands, how) = self.place_of(name, &row);
            if how == Assigned::Alone {
                self.alone.insert((*name).to_owned());
            }
            self.rows.insert((*name).to_owned(), row);
            self.names.insert((*name).to_owned(), stands);
            assigned.push(((*name).to_owned(), how));
        }
        assigned.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(assigned)
    }

    fn place_of(&self, name: &str, row: &[f32]) -> (String, Assigned) {
        let negating = negates(name);
        let may = |other: &str| {
            self.clustering.negations == Negations::AsOthers || negates(other) == negating
        };
        let eps = self.clustering.eps;
        let clusters = self
            .clusters
            .iter()
            .filter(|cluster| may(&cluster.representative));
        let near = clusters.map(|cluster| {
            (
                1.0 - cosine(row, &cluster.mean),
                cluster.representative.as_str(),
            )
        });
        if let Some((distance, stands)) = nearest(near)
            && distance <= eps
        {
            return (stands.to_owned(), Assigned::Cluster);
        }
        let alone = self.alone.iter().filter(|other| may(other));
        let near = alone.filter_map(|other| {
            let vector = self.rows.get(other)?;
            Some((1.0 - cosine(row, vector), other.as_str()))
        });
        match nearest(near) {
            Some((distance, stands)) if distance < eps => (stands.to_owned(), Assigned::Other),
            _ => (name.to_owned(), Assigned::Alone),
        }
    }
}

/// The nearest, the first by name of those.
fn nearest<'a>(near: impl Iterator<Item = (f32, &'a str)>) -> Option<(f32, &'a str)> {
    near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)))
}
