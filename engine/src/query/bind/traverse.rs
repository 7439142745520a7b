//! `TRAVERSE`.
//!
//! Its variables are its own: those of the step are visible in the step, in `SCORE` and in `KEEP`, that of
//! `RECOVER` in `RECOVER`. What it gives has the names that `YIELD` says.
//!
//! Next: `plan/traverse/mod.rs`.

use super::scope::Scope;
use super::{Binder, already_bound};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, Slot};
use crate::query::plan::{
    BoundClause, BoundMatch, BoundTraverse, Budget, BudgetUnit, Hop, Keep, LinkKind, Pattern,
    Recover, Roots, Scored, Step, Traverse, TraverseColumn,
};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    self, Element, Emitted, Expression, GraphPattern, Identifier, NodePattern, OnExceed,
    PathPattern, YieldItem,
};
use stratigraph_query_lang::nearest;

/// What is visible within a traversal, and where it is.
struct Within {
    /// What is around it, and its level.
    around: Scope,
    /// The same, with the step.
    step: Scope,
    /// Not visible before there is a score.
    score: super::Variable,
}

impl Binder<'_> {
    /// The clause; what it yields is in `scope` then.
    pub(super) fn traverse(
        &mut self,
        scope: &mut Scope,
        from: &ast::Traverse,
    ) -> Result<BoundClause, Fault> {
        let roots = self.roots(scope, &from.roots)?;
        let level = self.inner(scope, level_alias(from), "level", Types::INTEGER, from.span)?;
        let score = self.inner(scope, score_alias(from), "score", Types::FLOAT, from.span)?;
        let level_slot = level.slot;
        let (first_level, last_level) = self.levels(from)?;
        let mut around = scope.clone();
        around.push(level);
        let (step_scope, step) = self.step(scope, &around, &from.step)?;
        if step_scope.find(&score.name).is_some() {
            let message = format!("`{}` is the score, and something else too", score.name);
            return Err(raise(Detail::VariableAlreadyBound, message)
                .at(from.score.as_ref().map_or(from.span, |score| score.span))
                .hint("give one of them another name: SCORE ... AS likeness"));
        }
        let mut within = Within {
            around,
            step: step_scope,
            score,
        };
        let scored = match &from.score {
            Some(score) => Some(self.scored(&mut within.step, &score.expression)?),
            None => None,
        };
        let mut kept = within.step.clone();
        kept.push(within.score.clone());
        let keep = match &from.keep {
            Some(keep) => self.keep(scope, &mut kept, keep)?,
            None => Keep::default(),
        };
        let recover = match &from.recover {
            Some(recover) => Some(self.recover(scope, &within, recover)?),
            None => None,
        };
        let budget = match &from.budget {
            Some(budget) => Some(Budget {
                limit: self.whole(scope, &budget.limit, "BUDGET")?,
                unit: match budget.unit {
                    ast::BudgetUnit::Nodes => BudgetUnit::Nodes,
                    ast::BudgetUnit::Edges => BudgetUnit::Edges,
                    ast::BudgetUnit::Milliseconds => BudgetUnit::Milliseconds,
                },
                stops: budget.on_exceed == OnExceed::Stop,
            }),
            None => None,
        };
        let candidates = from
            .emit
            .is_some_and(|emit| emit.what == Emitted::Candidates);
        let long_step = step.hops.len() > 1;
        let yields = self.columns(scope, &from.yields, long_step)?;
        let filter = match &from.filter {
            Some(filter) => Some(self.condition(scope, filter)?),
            None => None,
        };
        let traverse = Traverse {
            roots,
            unfiltered: from.unfiltered.is_some(),
            step,
            first_level,
            last_level,
            level: level_slot,
            score: within.score.slot,
            scored,
            keep,
            recover,
            candidates,
            budget,
            yields,
            span: from.span,
        };
        Ok(BoundTraverse {
            traverse,
            optional: from.optional,
            filter,
        }
        .into())
    }

    fn roots(&mut self, scope: &mut Scope, from: &ast::Roots) -> Result<Roots<Pattern>, Fault> {
        match from {
            ast::Roots::Pattern(node) => {
                let mut inner = scope.clone();
                let matched = self.pattern(&mut inner, &alone(node))?;
                let node = only_node(&matched)?;
                let pattern = matched.pattern;
                Ok(Roots::Matches { pattern, node })
            }
            ast::Roots::Value(value) => {
                let bound = self.expr(scope, value)?;
                if !bound.types.may_be(Types::NODE.or(Types::LIST)) {
                    return Err(super::expr::wrong_type(
                        &bound,
                        "FROM",
                        "a node or a list of nodes",
                    ));
                }
                Ok(Roots::Value(bound))
            }
        }
    }

    /// A variable that the clause binds for itself.
    fn inner(
        &mut self,
        scope: &Scope,
        alias: Option<&Identifier>,
        usual: &str,
        types: Types,
        span: Span,
    ) -> Result<super::Variable, Fault> {
        let name: Arc<str> = alias.map_or_else(|| usual.into(), |alias| Arc::clone(&alias.name));
        if scope.find(&name).is_none() {
            return Ok(self.variable(&name, types));
        }
        if let Some(alias) = alias {
            return Err(already_bound(alias));
        }
        let message = format!("TRAVERSE binds `{name}`, which is already bound");
        let hint = match usual {
            "level" => "give the level another name: LEVELS 0.. AS depth",
            _ => "give the score another name: SCORE ... AS likeness",
        };
        let fault = raise(Detail::VariableAlreadyBound, message).hint(hint);
        Err(fault.at(span))
    }

    fn levels(&mut self, from: &ast::Traverse) -> Result<(Option<Expr>, Option<Expr>), Fault> {
        let Some(levels) = &from.levels else {
            return Ok((None, None));
        };
        let nothing = Scope::default();
        let mut bound = |level: &Option<Expression>| match level {
            Some(level) => self.whole(&nothing, level, "a level").map(Some),
            None => Ok(None),
        };
        Ok((bound(&levels.from)?, bound(&levels.to)?))
    }

    /// A whole number that is the same for the whole traversal.
    fn whole(&mut self, scope: &Scope, from: &Expression, what: &str) -> Result<Expr, Fault> {
        let bound = self.expr(&mut scope.clone(), from)?;
        if !bound.types.may_be(Types::INTEGER) {
            return Err(super::expr::wrong_type(&bound, what, "a whole number"));
        }
        Ok(bound)
    }

    /// The step, and what is visible where it is.
    fn step(
        &mut self,
        scope: &Scope,
        around: &Scope,
        path: &PathPattern,
    ) -> Result<(Scope, Step<Pattern>), Fault> {
        self.check_step(scope, path)?;
        let mut inner = around.clone();
        let matched = self.pattern(
            &mut inner,
            &GraphPattern {
                paths: vec![path.clone()],
                span: path.span,
            },
        )?;
        let mut pattern = matched.pattern;
        let mut hops = Vec::with_capacity(pattern.links.len());
        for link in &pattern.links {
            let LinkKind::One { relationship, .. } = link.kind else {
                return Err(not_a_step(path.span));
            };
            let node = link.to;
            hops.push(Hop { relationship, node });
        }
        let Some(from) = pattern.links.first().map(|link| link.from) else {
            return Err(not_a_step(path.span));
        };
        pattern.given.push(from);
        let step = Step {
            from,
            hops,
            pattern,
            direct: None,
        };
        Ok((inner, step))
    }

    /// A step goes a fixed way, and its variables are its own.
    fn check_step(&self, scope: &Scope, path: &PathPattern) -> Result<(), Fault> {
        if path.selector.is_some() || path.variable.is_some() {
            return Err(not_a_step(path.span));
        }
        let mut names: Vec<&str> = Vec::new();
        for element in &path.elements {
            let variable = match element {
                Element::Node(node) => &node.variable,
                Element::Relationship(relationship) if relationship.length.is_none() => {
                    &relationship.variable
                }
                Element::Relationship(relationship) => return Err(not_a_step(relationship.span)),
                Element::Group(group) => return Err(not_a_step(group.span)),
            };
            let Some(variable) = variable else { continue };
            own_variable(scope, variable, "STEP")?;
            if names.contains(&&*variable.name) {
                let message = format!("variable `{}` stands twice in the step", variable.name);
                return Err(raise(Detail::InvalidTraverseStep, message)
                    .at(variable.span)
                    .hint("compare two of its variables in a WHERE of the step"));
            }
            names.push(&variable.name);
        }
        Ok(())
    }

    fn scored(&mut self, scope: &mut Scope, from: &Expression) -> Result<Scored, Fault> {
        let expr = self.expr(scope, from)?;
        if !expr.types.may_be(Types::FLOAT.or(Types::INTEGER)) {
            return Err(super::expr::wrong_type(&expr, "SCORE", "a number"));
        }
        Ok(Scored {
            expr,
            sees_way: false,
            at_once: None,
            by_codes: false,
        })
    }

    /// `KEEP`: `TOP` is the same for all candidates, the condition sees them.
    fn keep(&mut self, outer: &Scope, inner: &mut Scope, from: &ast::Keep) -> Result<Keep, Fault> {
        let top = match &from.top {
            Some(top) => Some(self.whole(outer, &top.count, "TOP")?),
            None => None,
        };
        let per_parent = from
            .top
            .as_ref()
            .is_some_and(|top| top.per_parent.is_some());
        let filter = match &from.filter {
            Some(filter) => Some(self.condition(inner, filter)?),
            None => None,
        };
        Ok(Keep {
            top,
            per_parent,
            filter,
            sees_way: false,
            threshold: None,
        })
    }

    fn recover(
        &mut self,
        scope: &Scope,
        within: &Within,
        from: &ast::Recover,
    ) -> Result<Recover<Pattern>, Fault> {
        if let Some(variable) = &from.node.variable {
            own_variable(scope, variable, "RECOVER")?;
        }
        let mut inner = within.around.clone();
        let matched = self.pattern(&mut inner, &alone(&from.node))?;
        let node = only_node(&matched)?;
        let scored = match &from.score {
            Some(score) => Some(self.scored(&mut inner, score)?),
            None => None,
        };
        inner.push(within.score.clone());
        Ok(Recover {
            pattern: matched.pattern,
            node,
            level_of: None,
            scored,
            keep: self.keep(scope, &mut inner, &from.keep)?,
        })
    }

    /// `YIELD`.
    fn columns(
        &mut self,
        scope: &mut Scope,
        items: &[YieldItem],
        long_step: bool,
    ) -> Result<Vec<(TraverseColumn, Slot)>, Fault> {
        let mut columns = Vec::with_capacity(items.len());
        for item in items {
            let name = &item.column.name;
            let known = TraverseColumn::ALL.iter();
            let column = known.clone().find(|(known, _)| *known == &**name);
            let Some((_, column)) = column.copied() else {
                let names = known.map(|(name, _)| *name);
                let hint = match nearest(name, names.clone()) {
                    Some(other) => format!("did you mean `{other}`?"),
                    None => format!("it gives {}", names.collect::<Vec<_>>().join(", ")),
                };
                let message = format!("TRAVERSE gives no column `{name}`");
                return Err(raise(Detail::UnknownYieldColumn, message)
                    .at(item.column.span)
                    .hint(hint));
            };
            let named = item.alias.as_ref().unwrap_or(&item.column);
            if scope.find(&named.name).is_some() {
                return Err(already_bound(named).hint("rename the column with AS"));
            }
            let (types, elements) = types_of(column, long_step);
            let mut variable = self.variable(&named.name, types);
            variable.elements = elements;
            columns.push((column, variable.slot));
            scope.push(variable);
        }
        Ok(columns)
    }
}

/// What a column holds, and what its elements are if it holds lists.
fn types_of(column: TraverseColumn, long_step: bool) -> (Types, Types) {
    let of = match column {
        TraverseColumn::Node | TraverseColumn::Parent => Types::NODE,
        TraverseColumn::Level | TraverseColumn::Rank => Types::INTEGER,
        TraverseColumn::Score => Types::FLOAT,
        TraverseColumn::Status => Types::STRING,
        TraverseColumn::Edge if long_step => return (Types::LIST, Types::RELATIONSHIP),
        TraverseColumn::Edge => Types::RELATIONSHIP,
        TraverseColumn::Path => Types::PATH,
        TraverseColumn::Roots => return (Types::LIST, Types::NODE),
    };
    (of, Types::ANY)
}

fn level_alias(from: &ast::Traverse) -> Option<&Identifier> {
    from.levels.as_ref()?.alias.as_ref()
}

fn score_alias(from: &ast::Traverse) -> Option<&Identifier> {
    from.score.as_ref()?.alias.as_ref()
}

/// A pattern of one node.
fn alone(node: &NodePattern) -> GraphPattern {
    let path = PathPattern {
        variable: None,
        selector: None,
        elements: vec![Element::Node(node.clone())],
        span: node.span,
    };
    GraphPattern {
        paths: vec![path],
        span: node.span,
    }
}

fn only_node(matched: &BoundMatch) -> Result<Slot, Fault> {
    let node = matched.pattern.nodes.first().copied();
    node.ok_or_else(|| crate::error::Error::bug("a node pattern without a node").into())
}

/// Refuses a variable that is something else outside.
fn own_variable(scope: &Scope, variable: &Identifier, place: &str) -> Result<(), Fault> {
    if scope.find(&variable.name).is_none() {
        return Ok(());
    }
    let hint = format!("the variables of {place} are its own: use another name");
    Err(already_bound(variable).hint(hint))
}

fn not_a_step(span: Span) -> Fault {
    raise(
        Detail::InvalidTraverseStep,
        "a STEP goes along single relationships, from node to node",
    )
    .at(span)
    .hint("write it as `(a)-[:TYPE]->(b)`; LEVELS says how far it goes")
}
