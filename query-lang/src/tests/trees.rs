//! Trees made at random: what is printed of them parses to the same tree.
//!
//! Sentences of the grammar begin with text. These begin with trees, so that a missing parenthesis shows.

use super::without_places;
use crate::Span;
use crate::ast::*;
use crate::parse;
use proptest::prelude::*;
use std::sync::Arc;

pub(super) fn identifier() -> impl Strategy<Value = Identifier> {
    names().prop_map(|name| Identifier {
        name,
        span: Span::default(),
    })
}

/// Plain names, names that need quotes, and every kind of keyword.
pub(super) fn names() -> impl Strategy<Value = Arc<str>> {
    prop_oneof![
        4 => "[a-c]",
        1 => "[a-z `\\\\é名.1]{1,4}",
        2 => prop::sample::select(crate::lex::Keyword::ALL).prop_map(|keyword| keyword.text().to_lowercase()),
    ]
    .prop_map(Arc::from)
}

pub(super) fn at(kind: ExpressionKind) -> Expression {
    Expression {
        kind,
        span: Span::default(),
    }
}

fn literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        Just(Literal::Null),
        any::<bool>().prop_map(Literal::Boolean),
        (0..=i64::MAX).prop_map(Literal::Integer),
        Just(Literal::Integer(i64::MIN)),
        prop::num::f64::POSITIVE.prop_map(Literal::Float),
        Just(Literal::Float(f64::NAN)),
        "[a-z'\"\\\\\n\u{1}é`]{0,5}".prop_map(|text| Literal::String(text.into())),
    ]
}

fn labels() -> impl Strategy<Value = LabelExpression> {
    let label = |kind| LabelExpression {
        kind,
        span: Span::default(),
    };
    let leaf = prop_oneof![
        4 => identifier().prop_map(LabelExpressionKind::Name),
        1 => Just(LabelExpressionKind::Any),
        1 => names().prop_map(|name| {
            LabelExpressionKind::Dynamic(Box::new(at(ExpressionKind::Variable(name))))
        }),
    ]
    .prop_map(label);
    leaf.prop_recursive(3, 8, 3, move |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|one| LabelExpressionKind::Not(Box::new(one))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(LabelExpressionKind::And),
            prop::collection::vec(inner, 2..4).prop_map(LabelExpressionKind::Or),
        ]
        .prop_map(label)
    })
}

fn arrow() -> impl Strategy<Value = Arrow> {
    prop_oneof![Just(Arrow::Right), Just(Arrow::Left), Just(Arrow::Either)]
}

/// A path of nodes and one relationship between two, as an expression may have it.
pub(super) fn path(expression: BoxedStrategy<Expression>) -> impl Strategy<Value = PathPattern> {
    let properties = prop_oneof![
        prop::collection::vec((identifier(), expression.clone()), 0..2)
            .prop_map(|map| at(ExpressionKind::Map(map))),
        names().prop_map(|name| at(ExpressionKind::Parameter(name))),
    ];
    let body = (
        prop::option::of(identifier()),
        prop::option::of(labels()),
        prop::option::of(properties),
        prop::option::of(expression),
    )
        .boxed();
    let length = prop::option::of((prop::option::of(0..9_u64), prop::option::of(0..9_u64)));
    let step = (body.clone(), length, arrow(), body.clone());
    (body, prop::collection::vec(step, 1..3)).prop_map(|(first, steps)| {
        let node = |(variable, labels, properties, filter)| {
            Element::Node(NodePattern {
                variable,
                labels,
                properties,
                filter,
                span: Span::default(),
            })
        };
        let mut elements = vec![node(first)];
        for ((variable, types, properties, filter), length, arrow, next) in steps {
            elements.push(Element::Relationship(RelationshipPattern {
                variable,
                types,
                length: length.map(|(min, max)| Length {
                    min,
                    max,
                    span: Span::default(),
                }),
                quantifier: None,
                properties,
                filter,
                arrow,
                span: Span::default(),
            }));
            elements.push(node(next));
        }
        PathPattern {
            variable: None,
            selector: None,
            elements,
            span: Span::default(),
        }
    })
}

fn arithmetic() -> impl Strategy<Value = Vec<ArithmeticOperator>> {
    use ArithmeticOperator::*;
    // Operators of one node bind equally.
    prop_oneof![
        prop::collection::vec(prop::sample::select(vec![Add, Subtract, Concatenate]), 1..3),
        prop::collection::vec(
            prop::sample::select(vec![Multiply, Divide, Remainder]),
            1..3
        ),
        prop::collection::vec(Just(Power), 1..3),
    ]
}

fn comparison() -> impl Strategy<Value = ComparisonOperator> {
    use ComparisonOperator::*;
    prop::sample::select(vec![
        Equal,
        NotEqual,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
    ])
}

fn predicate() -> impl Strategy<Value = PredicateOperator> {
    use PredicateOperator::*;
    prop::sample::select(vec![In, StartsWith, EndsWith, Contains, Matches])
}

fn quantifier() -> impl Strategy<Value = ListQuantifier> {
    use ListQuantifier::*;
    prop::sample::select(vec![All, Any, None, Single])
}

pub(super) fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        literal().prop_map(ExpressionKind::Literal),
        names().prop_map(ExpressionKind::Variable),
        names().prop_map(ExpressionKind::Parameter),
        Just(ExpressionKind::CountAll),
    ]
    .prop_map(at);
    leaf.prop_recursive(5, 40, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![operators(inner.clone()), brackets(inner)].prop_map(at)
    })
}

/// Kinds in which operands stand free.
fn operators(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = ExpressionKind> {
    let boxed = inner.clone().prop_map(Box::new).boxed();
    let optional = prop::option::of(boxed.clone()).boxed();
    let several = prop::collection::vec(inner.clone(), 2..4).boxed();
    prop_oneof![
        several.clone().prop_map(ExpressionKind::Or),
        several.clone().prop_map(ExpressionKind::Xor),
        several.prop_map(ExpressionKind::And),
        boxed.clone().prop_map(ExpressionKind::Not),
        boxed.clone().prop_map(ExpressionKind::Negate),
        boxed.clone().prop_map(ExpressionKind::Plus),
        (
            boxed.clone(),
            prop::collection::vec((comparison(), inner.clone()), 1..3)
        )
            .prop_map(|(first, rest)| ExpressionKind::Comparison { first, rest }),
        (
            boxed.clone(),
            arithmetic(),
            prop::collection::vec(inner.clone(), 3)
        )
            .prop_map(|(first, operators, operands)| ExpressionKind::Arithmetic {
                first,
                rest: operators.into_iter().zip(operands).collect(),
            }),
        (boxed.clone(), predicate(), boxed.clone()).prop_map(|(left, operator, right)| {
            ExpressionKind::Predicate {
                left,
                operator,
                right,
            }
        }),
        (boxed.clone(), any::<bool>())
            .prop_map(|(of, negated)| ExpressionKind::IsNull { of, negated }),
        (boxed.clone(), labels()).prop_map(|(of, labels)| ExpressionKind::HasLabels { of, labels }),
        (boxed.clone(), identifier()).prop_map(|(of, key)| ExpressionKind::Property { of, key }),
        (boxed.clone(), boxed.clone()).prop_map(|(of, index)| ExpressionKind::Index { of, index }),
        (boxed, optional.clone(), optional).prop_map(|(of, from, to)| ExpressionKind::Slice {
            of,
            from,
            to
        }),
        path(inner).prop_map(|path| ExpressionKind::Pattern(Box::new(path))),
    ]
}

/// Kinds that hold others in brackets.
fn brackets(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = ExpressionKind> {
    let boxed = inner.clone().prop_map(Box::new).boxed();
    let optional = prop::option::of(boxed.clone()).boxed();
    let item = prop_oneof![
        identifier().prop_map(MapProjectionItem::Property),
        Just(MapProjectionItem::All(Span::default())),
        (identifier(), inner.clone()).prop_map(|(key, value)| MapProjectionItem::Entry(key, value)),
        identifier().prop_map(MapProjectionItem::Variable),
    ];
    prop_oneof![
        prop::collection::vec(inner.clone(), 0..3).prop_map(ExpressionKind::List),
        prop::collection::vec((identifier(), inner.clone()), 0..3).prop_map(ExpressionKind::Map),
        (
            prop::collection::vec(identifier(), 1..3),
            prop::collection::vec(inner.clone(), 1..3),
            any::<bool>()
        )
            .prop_map(
                |(name, arguments, distinct)| ExpressionKind::Call(FunctionCall {
                    name,
                    distinct,
                    arguments,
                })
            ),
        case(inner.clone()),
        (
            identifier(),
            boxed.clone(),
            optional.clone(),
            optional.clone()
        )
            .prop_map(|(variable, list, filter, result)| {
                ExpressionKind::ListComprehension {
                    variable,
                    list,
                    filter,
                    result,
                }
            }),
        (
            prop::option::of(identifier()),
            path(inner.clone()),
            optional.clone(),
            boxed.clone()
        )
            .prop_map(|(variable, path, filter, result)| {
                ExpressionKind::PatternComprehension {
                    path: Box::new(PathPattern { variable, ..path }),
                    filter,
                    result,
                }
            }),
        (quantifier(), identifier(), boxed.clone(), optional).prop_map(
            |(kind, variable, list, predicate)| {
                ExpressionKind::Quantified {
                    kind,
                    variable,
                    list,
                    predicate,
                }
            }
        ),
        (
            identifier(),
            boxed.clone(),
            identifier(),
            boxed.clone(),
            boxed
        )
            .prop_map(|(accumulator, initial, variable, list, result)| {
                ExpressionKind::Reduce {
                    accumulator,
                    initial,
                    variable,
                    list,
                    result,
                }
            }),
        (names(), prop::collection::vec(item, 0..3)).prop_map(|(of, items)| {
            ExpressionKind::MapProjection {
                of: Box::new(at(ExpressionKind::Variable(of))),
                items,
            }
        }),
        (path(inner.clone()), prop::option::of(inner)).prop_map(|(path, filter)| {
            ExpressionKind::Exists(Box::new(Subquery::Pattern {
                pattern: GraphPattern {
                    paths: vec![path],
                    span: Span::default(),
                },
                filter,
            }))
        }),
    ]
}

fn case(inner: BoxedStrategy<Expression>) -> impl Strategy<Value = ExpressionKind> {
    let boxed = inner.clone().prop_map(Box::new);
    let arms = prop::collection::vec((prop::collection::vec(inner.clone(), 1..3), inner), 1..3);
    (
        prop::option::of(boxed.clone()),
        arms,
        prop::option::of(boxed),
    )
        .prop_map(|(subject, arms, otherwise)| {
            let several = subject.is_some();
            let arm = |(mut conditions, result): (Vec<Expression>, Expression)| {
                if !several {
                    conditions.truncate(1);
                }
                CaseArm { conditions, result }
            };
            ExpressionKind::Case {
                arms: arms.into_iter().map(arm).collect(),
                subject,
                otherwise,
            }
        })
}

/// What is wrong with what is printed of `tree`.
fn check(tree: &Expression) -> Result<(), TestCaseError> {
    let text = format!("RETURN {tree}");
    let statement = match parse(&text) {
        Ok(statement) => statement,
        Err(mistake) => return Err(TestCaseError::fail(format!("{text}\n{mistake:?}"))),
    };
    let Body::Query(query) = statement.body else {
        return Err(TestCaseError::fail("no query"));
    };
    let [Clause::Return(projection)] = &*query.parts[0].clauses else {
        return Err(TestCaseError::fail("no projection"));
    };
    prop_assert!(!projection.distinct, "{}", text);
    prop_assert_eq!(
        without_places(&format!("{:?}", projection.items[0].expression)),
        without_places(&format!("{tree:?}")),
        "{}",
        text
    );
    Ok(())
}

/// Checks `cases` trees.
pub(super) fn run<S: Strategy>(
    cases: u32,
    trees: fn() -> S,
    check: fn(&S::Value) -> Result<(), TestCaseError>,
) {
    // What makes the trees takes more of the stack than what is tested.
    let work = move || {
        let config = ProptestConfig {
            cases,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        if let Err(failure) = runner.run(&trees(), |tree| check(&tree)) {
            panic!("{failure}");
        }
    };
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn_scoped(scope, work)
            .unwrap()
            .join()
            .unwrap();
    });
}

#[test]
fn a_printed_tree_is_parsed_to_the_same() {
    run(2_000, expression, check);
}
