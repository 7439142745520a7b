//! Paths of which only some are taken: `ANY`, `SHORTEST` and their kin.
//!
//! The whole path becomes one link between its ends. What is asked of what lies between them is asked while ways
//! are looked for, so that only ways are counted that fulfil it; what is asked of its ends only may be asked before.
//!
//! Next: `create.rs`.

use super::Binder;
use super::conditions::all_of;
use super::pattern::Matching;
use super::scope::Scope;
use crate::query::error::{Detail, ErrorType, Fault, raise};
use crate::query::expr::{Expr, PathStep, Slot};
use crate::query::plan::{Chosen, ChosenLink, Link, LinkKind};
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{Arrow, Identifier, PathPattern, Selector, SelectorKind};

impl Binder<'_> {
    /// A path of which some are chosen: its ends, and how it goes. Its conditions are bound with all others.
    pub(super) fn chosen_chain<'p>(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'p>,
        path: &'p PathPattern,
        selector: Selector,
    ) -> Result<(Slot, Slot, Vec<PathStep>), Fault> {
        let Selector { kind, span } = selector;
        check_selector(kind, span)?;
        let refused = |message: &str, hint: &str| {
            let fault = raise(Detail::NotSupported, message.to_owned());
            Err(fault.at(span.to(path.span)).hint(hint.to_owned()))
        };
        let mut inner = Matching::new(scope.len());
        let (first, last, steps) = self.links_of(scope, &mut inner, path)?;
        if inner.pattern.links.is_empty() {
            return refused(
                "the shortest way needs a relationship to go along",
                "use MATCH without a selector for single nodes",
            );
        }
        let mut nodes: Vec<Slot> = inner.pattern.links.iter().map(|link| link.from).collect();
        nodes.extend(inner.pattern.links.last().map(|link| link.to));
        let between = nodes.get(1..nodes.len() - 1).unwrap_or_default();
        let twice = between
            .iter()
            .any(|slot| nodes.iter().filter(|node| *node == slot).count() > 1);
        if twice {
            return refused(
                "a node within a path of which some are chosen cannot come again in it",
                "give it another name, and compare the two in the WHERE of the parentheses around the path",
            );
        }
        if inner
            .pattern
            .given
            .iter()
            .any(|given| between.contains(given))
        {
            return refused(
                "a node within a path of which some are chosen cannot be known already",
                "only the ends of the path may be; compare them in the WHERE of the parentheses around it",
            );
        }
        let is_known = |link: &Link| {
            use LinkKind::{Many, One};
            matches!(
                link.kind,
                One { bound: true, .. } | Many { bound: true, .. }
            )
        };
        if inner.pattern.links.iter().any(is_known) {
            let message = "relationships that are looked for cannot be known already";
            return Err(raise(Detail::VariableAlreadyBound, message).at(path.span));
        }
        let fills = inner.fills.iter().copied();
        let fills = fills.filter(|slot| !matching.fills.contains(slot));
        matching.fills.extend(fills.collect::<Vec<_>>());
        for end in [first, last] {
            if !matching.pattern.nodes.contains(&end) {
                matching.pattern.nodes.push(end);
                if inner.pattern.given.contains(&end) {
                    matching.pattern.given.push(end);
                }
            }
        }
        inner.pattern.given.clear();
        let relationships = inner.pattern.links.iter();
        let relationships = relationships.flat_map(|link| link.relationships.clone());
        let chosen = Box::new(Chosen {
            kind,
            links: Vec::new(),
            filters: Vec::new(),
        });
        let kind = LinkKind::Chosen(chosen);
        let link = Link {
            from: first,
            to: last,
            arrow: Arrow::Right,
            kind,
            relationships: relationships.collect(),
            reads: Vec::new(),
        };
        matching.chosen.push((matching.pattern.links.len(), inner));
        matching.pattern.links.push(link);
        Ok((first, last, steps))
    }

    /// What is asked of a path of which some are chosen.
    pub(super) fn chosen_conditions(
        &mut self,
        scope: &mut Scope,
        matching: &mut Matching<'_>,
        (at, mut inner): (usize, Matching<'_>),
        filters: &mut Vec<Expr>,
    ) -> Result<(), Fault> {
        self.conditions(scope, &mut inner)?;
        let pattern = inner.pattern;
        let (mut links, last) = (Vec::new(), pattern.links.len() - 1);
        for link in pattern.links {
            links.push(choosing(link));
        }
        let mut within: Vec<Slot> = links.iter().flat_map(|one| one.link.fills()).collect();
        within.extend(links.iter().skip(1).map(|one| one.link.from));
        let mut whole = Vec::new();
        for filter in pattern.filters {
            let reads: Vec<Slot> = within
                .iter()
                .copied()
                .filter(|slot| filter.reads(*slot))
                .collect();
            let [only] = reads.as_slice() else {
                match reads.is_empty() {
                    true => filters.push(filter),
                    false => whole.push(filter),
                }
                continue;
            };
            let stands = links[..last].iter_mut().find(|one| one.link.to == *only);
            let single =
                |one: &&mut ChosenLink| one.single && one.link.relationships[..] == [*only];
            if let Some(link) = stands {
                link.checks.push(filter);
            } else if let Some(link) = links.iter_mut().find(single) {
                if let LinkKind::Many { each, .. } = &mut link.link.kind {
                    let mut all: Vec<Expr> =
                        each.take().map(|(_, each)| each).into_iter().collect();
                    all.push(filter);
                    *each = Some((*only, all_of(all, Span::default())));
                }
            } else {
                whole.push(filter);
            }
        }
        for link in &links {
            let reads = link.link.conditions();
            let own: Vec<Slot> = match link.single {
                true => link.link.fills(),
                false => Vec::new(),
            };
            let mut others = within.clone();
            others.retain(|slot| !own.contains(slot));
            let wrong = reads
                .into_iter()
                .find(|condition| others.iter().any(|slot| condition.names(*slot)));
            if let Some(condition) = wrong {
                let message = "what is asked on the way cannot read other parts of the same path";
                return Err(raise(Detail::NotSupported, message)
                    .at(condition.span)
                    .hint("ask it in the WHERE of the parentheses around the whole path"));
            }
        }
        if let Some(LinkKind::Chosen(chosen)) = matching
            .pattern
            .links
            .get_mut(at)
            .map(|link| &mut link.kind)
        {
            (chosen.links, chosen.filters) = (links, whole);
        }
        Ok(())
    }
}

/// One relationship becomes a length of one, so that all links of a chain are walked alike.
fn choosing(mut link: Link) -> ChosenLink {
    let single = match link.kind {
        LinkKind::One {
            relationship,
            bound,
            types,
        } => {
            link.kind = LinkKind::Many {
                relationships: relationship,
                bound,
                types,
                min: 1,
                max: Some(1),
                each: None,
            };
            true
        }
        _ => false,
    };
    ChosenLink {
        link,
        single,
        checks: Vec::new(),
    }
}

/// A node that lies within a path of which some are chosen is named again elsewhere.
pub(super) fn within_chosen(name: &Identifier) -> Fault {
    let name_of = &name.name;
    let message = format!("`{name_of}` lies within a path of which some are chosen");
    raise(Detail::NotSupported, message)
        .at(name.span)
        .hint("only the ends of such a path can be named in other paths of the same MATCH")
}

/// Refuses a choice of no paths, which is a slip: there is nothing to choose then.
fn check_selector(kind: SelectorKind, span: Span) -> Result<(), Fault> {
    use SelectorKind::{Any, Shortest, ShortestGroups};
    match kind {
        Any(0) | Shortest(0) | ShortestGroups(0) => Err(raise(
            Detail::NumberOutOfRange,
            "at least one path, or one group of them, is asked for",
        )
        .of_type(ErrorType::SyntaxError)
        .at(span)),
        _ => Ok(()),
    }
}
