//! Clauses and commands made at random: what is printed of them parses to the same tree.
//!
//! Expressions are `trees.rs`'s.

use super::trees::{at, expression, identifier, names, path};
use super::without_places;
use crate::Span;
use crate::ast::*;
use crate::parse;
use proptest::prelude::*;

const HERE: Span = Span { start: 0, end: 0 };

fn place() -> impl Strategy<Value = Option<Span>> {
    prop::option::of(Just(HERE))
}

fn schema_name() -> impl Strategy<Value = SchemaName> {
    prop_oneof![
        identifier().prop_map(SchemaName::Static),
        names().prop_map(|name| SchemaName::Parameter(name, HERE)),
    ]
}

/// A step: a path without lengths.
fn step(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = PathPattern> {
    path(inner).prop_map(|mut path| {
        for element in &mut path.elements {
            if let Element::Relationship(relationship) = element {
                relationship.length = None;
            }
        }
        path
    })
}

fn node(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = NodePattern> {
    path(inner).prop_map(|path| match path.elements.into_iter().next() {
        Some(Element::Node(node)) => node,
        other => panic!("a path begins with a node: {other:?}"),
    })
}

fn search(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = Search> {
    let kind = prop_oneof![
        Just((SearchKind::Vector, None)),
        Just((SearchKind::Vector, Some(HERE))),
        Just((SearchKind::Fulltext, None)),
    ];
    (
        (identifier(), kind, schema_name()),
        (inner.clone(), prop::option::of(inner.clone()), inner),
        prop::option::of(identifier()),
    )
        .prop_map(
            |((variable, (kind, exact), index), (query, filter, limit), score)| Search {
                variable,
                kind,
                index,
                query,
                filter,
                limit,
                exact,
                score,
                span: HERE,
            },
        )
}

fn matching(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = Clause> {
    (
        any::<bool>(),
        prop::collection::vec(path(inner.clone()), 1..3),
        search(inner.clone()),
        prop::option::of(inner),
    )
        .prop_map(|(optional, paths, search, filter)| {
            Clause::Match(Match {
                optional,
                pattern: GraphPattern { paths, span: HERE },
                search: Some(Box::new(search)),
                filter,
                span: HERE,
            })
        })
}

/// What begins with a parenthesis is read as a node, and no text has such a tree.
fn roots(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = Roots> {
    let value = inner
        .clone()
        .prop_filter("a node", |value| !value.to_string().starts_with('('));
    prop_oneof![
        node(inner).prop_map(Roots::Pattern),
        value.prop_map(Roots::Value),
    ]
}

fn level() -> impl Strategy<Value = Expression> {
    prop_oneof![
        (0..=i64::MAX).prop_map(|level| ExpressionKind::Literal(Literal::Integer(level))),
        names().prop_map(ExpressionKind::Parameter),
    ]
    .prop_map(at)
}

fn levels() -> impl Strategy<Value = Levels> {
    (
        prop::option::of(level()),
        prop::option::of(level()),
        prop::option::of(identifier()),
    )
        .prop_map(|(from, to, alias)| Levels {
            from,
            to,
            alias,
            span: HERE,
        })
}

fn keep(inner: BoxedStrategy<Expression>, per_parent: bool) -> impl Strategy<Value = Keep> {
    let top = (inner.clone(), place()).prop_map(move |(count, place)| Top {
        count,
        per_parent: place.filter(|_| per_parent),
        span: HERE,
    });
    let filtered = inner.clone().prop_map(|filter| Keep {
        top: None,
        filter: Some(filter),
        span: HERE,
    });
    let cut = (top, prop::option::of(inner)).prop_map(|(top, filter)| Keep {
        top: Some(top),
        filter,
        span: HERE,
    });
    prop_oneof![filtered, cut]
}

fn recover(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = Recover> {
    (
        node(inner.clone()),
        prop::option::of(inner.clone()),
        keep(inner, false),
    )
        .prop_map(|(node, score, keep)| Recover {
            node,
            score,
            keep,
            span: HERE,
        })
}

fn budget(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = Budget> {
    let unit = prop::sample::select(vec![
        BudgetUnit::Nodes,
        BudgetUnit::Edges,
        BudgetUnit::Milliseconds,
    ]);
    let on_exceed = prop::sample::select(vec![OnExceed::Error, OnExceed::Stop]);
    (inner, unit, on_exceed).prop_map(|(limit, unit, on_exceed)| Budget {
        limit,
        unit,
        on_exceed,
        span: HERE,
    })
}

fn traverse(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = Clause> {
    let score =
        (inner.clone(), prop::option::of(identifier())).prop_map(|(expression, alias)| Score {
            expression,
            alias,
            span: HERE,
        });
    let emit = prop::sample::select(vec![Emitted::Kept, Emitted::Candidates])
        .prop_map(|what| Emit { what, span: HERE });
    let item =
        (identifier(), prop::option::of(identifier())).prop_map(|(column, alias)| YieldItem {
            column,
            alias,
            span: HERE,
        });
    let options = (
        prop::option::of(levels()),
        prop::option::of(score),
        prop::option::of(keep(inner.clone(), true)),
        prop::option::of(recover(inner.clone())),
        prop::option::of(emit),
        prop::option::of(budget(inner.clone())),
    );
    (
        (
            any::<bool>(),
            roots(inner.clone()),
            place(),
            step(inner.clone()),
        ),
        options,
        prop::collection::vec(item, 1..3),
        prop::option::of(inner),
    )
        .prop_map(
            |((optional, roots, unfiltered, step), options, yields, filter)| {
                let (levels, score, keep, recover, emit, budget) = options;
                let bounded = levels.as_ref().is_some_and(|levels| levels.to.is_some());
                Clause::Traverse(Box::new(Traverse {
                    optional,
                    roots,
                    unfiltered,
                    step,
                    levels,
                    score,
                    keep,
                    recover: recover.filter(|_| bounded),
                    emit,
                    budget,
                    yields,
                    filter,
                    span: HERE,
                }))
            },
        )
}

fn indexed_on() -> impl Strategy<Value = IndexedOn> {
    (
        identifier(),
        any::<bool>(),
        prop::collection::vec(identifier(), 0..3),
    )
        .prop_map(|(variable, relationships, names)| IndexedOn {
            variable,
            relationships,
            names,
            span: HERE,
        })
}

fn command(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = SchemaCommand> {
    let declared = (prop::option::of(schema_name()), any::<bool>(), indexed_on()).boxed();
    let options = prop::option::of(inner).boxed();
    let filters = prop::collection::vec(identifier(), 0..3);
    let properties = prop::collection::vec(identifier(), 1..3);
    let types = prop::collection::vec(identifier(), 1..3);
    let arrow = prop::sample::select(vec![Arrow::Left, Arrow::Right]);
    prop_oneof![
        (declared.clone(), identifier(), filters, options.clone()).prop_map(
            |((name, if_not_exists, on), property, filters, options)| {
                SchemaCommand::CreateVectorIndex(CreateVectorIndex {
                    name,
                    if_not_exists,
                    on,
                    property,
                    filters,
                    options,
                    span: HERE,
                })
            }
        ),
        (declared, properties, options).prop_map(
            |((name, if_not_exists, on), properties, options)| {
                SchemaCommand::CreateFulltextIndex(CreateFulltextIndex {
                    name,
                    if_not_exists,
                    on,
                    properties,
                    options,
                    span: HERE,
                })
            }
        ),
        (schema_name(), any::<bool>(), types, arrow, place()).prop_map(
            |(name, if_not_exists, types, arrow, tree)| {
                SchemaCommand::CreateHierarchy(CreateHierarchy {
                    name,
                    if_not_exists,
                    types,
                    arrow,
                    tree,
                    span: HERE,
                })
            }
        ),
        (schema_name(), any::<bool>()).prop_map(|(name, if_exists)| {
            SchemaCommand::DropHierarchy(Drop {
                name,
                if_exists,
                span: HERE,
            })
        }),
    ]
}

fn statement() -> impl Strategy<Value = Statement> {
    let inner = expression().boxed();
    let query = |clause| {
        let part = SingleQuery {
            clauses: vec![clause],
            span: HERE,
        };
        Body::Query(Query {
            parts: vec![part],
            unions: Vec::new(),
            span: HERE,
        })
    };
    let body = prop_oneof![
        2 => matching(inner.clone()).prop_map(query),
        4 => traverse(inner.clone()).prop_map(query),
        1 => command(inner).prop_map(Body::Schema),
    ];
    body.prop_map(|body| Statement {
        mode: Mode::Run,
        body,
        span: HERE,
    })
}

/// What is wrong with what is printed of `tree`.
fn check(tree: &Statement) -> Result<(), TestCaseError> {
    let text = tree.to_string();
    match parse(&text) {
        Ok(again) => {
            prop_assert_eq!(
                without_places(&format!("{again:?}")),
                without_places(&format!("{tree:?}")),
                "{}",
                text
            );
            Ok(())
        }
        Err(mistake) => Err(TestCaseError::fail(format!("{text}\n{mistake:?}"))),
    }
}

#[test]
fn a_printed_clause_is_parsed_to_the_same() {
    super::trees::run(500, statement, check);
}
