//! What is declared: whether the declarations fit together.

use super::Examination;
use crate::catalog::{ConstraintDef, Readiness};
use crate::storage::family::Family;
use std::collections::BTreeSet;

impl Examination<'_, '_> {
    pub(super) fn declared(&mut self) {
        let catalog = self.view.catalog();
        let mut names = BTreeSet::new();
        let mut take = |name: &str| names.insert(String::from(name));
        let mut found = Vec::new();
        for constraint in catalog.constraints() {
            if !take(&constraint.name) {
                found.push(format!(
                    "two declarations have the name {}",
                    constraint.name
                ));
            }
            if !self.is_proved(constraint) {
                let name = &constraint.name;
                found.push(format!("constraint {name} has no index that proves it"));
            }
        }
        for index in catalog.indexes() {
            let name = &index.name;
            match index.owner {
                // It has the name of its constraint.
                Some(id) if catalog.constraint(id).is_some() => {}
                Some(id) if catalog.vector_index(id).is_some() => {}
                Some(_) => found.push(format!("index {name} is of something that is not there")),
                None if take(name) => {}
                None => found.push(format!("two declarations have the name {name}")),
            }
        }
        for hierarchy in catalog.hierarchies() {
            if !take(&hierarchy.name) {
                found.push(format!("two declarations have the name {}", hierarchy.name));
            }
        }
        for index in catalog.vector_indexes() {
            if !take(&index.name) {
                found.push(format!("two declarations have the name {}", index.name));
            }
        }
        let hierarchies: BTreeSet<_> = catalog.hierarchies().map(|of| of.id).collect();
        for id in catalog.dropped() {
            if catalog.index(*id).is_some() || hierarchies.contains(id) {
                found.push(format!(
                    "number {} is declared and dropped at once",
                    id.get()
                ));
            }
        }
        for what in found {
            self.findings.find(Family::Meta, what);
        }
    }

    /// Whether there is the index that a constraint needs, if it needs one.
    fn is_proved(&self, constraint: &ConstraintDef) -> bool {
        if constraint.readiness != Readiness::Ready || !constraint.demand.is_unique() {
            return true;
        }
        let proof = self.view.catalog().proof_of(constraint.id);
        proof.is_some_and(|index| {
            index.unique
                && index.readiness == Readiness::Ready
                && index.scope == constraint.scope
                && index.properties == constraint.properties
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::{Change, HierarchyDef};
    use crate::storage::cancel::Watch;
    use crate::{Constraint, Database, HierarchyOptions, Index, Read, Result, WriteTxn};
    use std::sync::Arc;

    fn findings(change: impl FnOnce(&mut WriteTxn) -> Result<()>) -> String {
        let db = Database::in_memory().unwrap();
        let unique = Constraint::on_nodes("N").unique(["name"]).named("names");
        db.create_constraint(unique).unwrap();
        db.create_index(Index::on_nodes("N", ["age"]).named("ages"))
            .unwrap();
        db.create_hierarchy(HierarchyOptions::new("over", "OVER"))
            .unwrap();
        let mut txn = db.write().unwrap();
        change(&mut txn).unwrap();
        txn.commit().unwrap();
        let report = db.check(&mut Watch::quiet());
        let findings = report.unwrap().findings.into_iter();
        let findings: Vec<String> = findings.map(|finding| finding.what).collect();
        findings.join("; ")
    }

    #[test]
    fn what_does_not_fit_together_is_found() {
        assert_eq!(findings(|_| Ok(())), "");
        let without_proof = findings(|txn| {
            let index = txn.catalog().index_named("names").cloned().unwrap();
            txn.change_catalog(&Change::DropIndex(index.id))
        });
        assert_eq!(
            without_proof,
            "constraint names has no index that proves it"
        );
        let without_constraint = findings(|txn| {
            let constraint = txn.catalog().constraint_named("names").cloned().unwrap();
            txn.change_catalog(&Change::DropConstraint(constraint.id))
        });
        assert_eq!(
            without_constraint,
            "index names is of something that is not there"
        );
        let back_again = findings(|txn| {
            let index = txn.catalog().index_named("ages").cloned().unwrap();
            txn.change_catalog(&Change::DropIndex(index.id))?;
            txn.change_catalog(&Change::Index(index))
        });
        assert_eq!(back_again, "number 2 is declared and dropped at once");
        let of_one_name = findings(|txn| {
            let known = txn.catalog().hierarchy_named("over").cloned().unwrap();
            let relationship_type = txn.relationship_type("UNDER")?;
            let id = txn.next_schema_id()?;
            txn.change_catalog(&Change::Hierarchy(Arc::new(HierarchyDef {
                id,
                relationship_type,
                ..HierarchyDef::clone(&known)
            })))
        });
        assert_eq!(of_one_name, "two declarations have the name over");
    }
}
