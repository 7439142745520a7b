//! How plans run: the same rows whatever the batches, on a small stack, within their limits.

use super::{Setting, constant, context, expr, reading, rows_of, slot};
use crate::database::Database;
use crate::error::Error;
use crate::query::error::{Detail, Fault};
use crate::query::exec::{Graph, Run, Txn};
use crate::query::expr::{ArithmeticOperator, ComparisonOperator, Expr, ExprKind, Slot, Span};
use crate::query::functions::aggregate_function;
use crate::query::plan::{
    Aggregate, Aggregated, Apply, InTransactions, OnError, Op, SortKey, Union,
};
use crate::storage::cancel::CancelToken;
use crate::value::{Grouped, Value};
use std::sync::Arc;

fn unwind(numbers: i64, into: u32) -> Op {
    let list = constant((0..numbers).collect::<Vec<i64>>());
    Op::Unwind {
        list,
        into: Slot(into),
    }
}

fn remainder(number: u32, of: i64) -> Expr {
    let rest = vec![(ArithmeticOperator::Remainder, constant(of))];
    let first = Box::new(slot(number));
    expr(ExprKind::Arithmetic { first, rest })
}

fn compare(left: Expr, operator: ComparisonOperator, right: Expr) -> Expr {
    let (first, rest) = (Box::new(left), vec![(operator, right)]);
    expr(ExprKind::Comparison { first, rest })
}

fn sort(limit: Option<i64>, keep: &[u32]) -> Op {
    Op::Sort {
        by: vec![SortKey {
            expr: remainder(0, 7),
            descending: true,
        }],
        skip: None,
        limit: limit.map(constant),
        keep: keep.iter().copied().map(Slot).collect(),
    }
}

/// Plans over 3,000 rows, with how many rows they give.
fn plans() -> Vec<(&'static str, Vec<Op>, usize)> {
    let odd = || compare(remainder(0, 2), ComparisonOperator::Equal, constant(1));
    let count = |distinct: bool| Aggregated {
        function: aggregate_function("count").unwrap(),
        distinct,
        arguments: vec![remainder(0, 10)],
        into: Slot(2),
        span: Span { start: 0, end: 0 },
    };
    let aggregate = |groups: Vec<(Expr, Slot)>, distinct| {
        let aggregates = vec![count(distinct)];
        Op::Aggregate(Box::new(Aggregate { groups, aggregates }))
    };
    let arm = |ops: Vec<Op>| (Arc::from(ops), vec![Slot(0)]);
    let few = || {
        let ops = vec![
            unwind(5, 1),
            Op::Filter(compare(slot(1), ComparisonOperator::Less, remainder(0, 4))),
        ];
        Arc::<[Op]>::from(ops)
    };
    let eager = Op::Eager {
        keep: vec![Slot(0)],
        why: "a test",
    };
    let union = |distinct| Union {
        arms: vec![arm(vec![unwind(3, 0)]), arm(vec![unwind(2, 0)])],
        into: vec![Slot(1)],
        distinct,
    };
    let optional = Op::Optional {
        ops: few(),
        nulls: vec![Slot(1)],
    };
    let apply = |optional| {
        Op::Apply(Box::new(Apply {
            ops: few(),
            returns: vec![Slot(1)],
            gives_rows: true,
            optional,
            transactions: None,
        }))
    };
    let remainders = || Op::Compute(vec![(Slot(1), remainder(0, 100))]);
    let all = || unwind(3000, 0);
    vec![
        ("filter", vec![all(), Op::Filter(odd())], 1500),
        ("sort", vec![all(), sort(None, &[0])], 3000),
        ("top", vec![all(), sort(Some(10), &[0])], 10),
        ("none", vec![all(), sort(Some(0), &[0])], 0),
        (
            "distinct",
            vec![all(), remainders(), Op::Distinct(vec![Slot(1)])],
            100,
        ),
        ("skip", vec![all(), Op::Skip(constant(2990))], 10),
        ("limit", vec![all(), Op::Limit(constant(70))], 70),
        (
            "page",
            vec![all(), Op::Skip(constant(100)), Op::Limit(constant(70))],
            70,
        ),
        ("eager", vec![all(), eager], 3000),
        ("count", vec![all(), aggregate(vec![], false)], 1),
        ("count distinct", vec![all(), aggregate(vec![], true)], 1),
        (
            "groups",
            vec![all(), aggregate(vec![(remainder(0, 3), Slot(1))], false)],
            3,
        ),
        ("drain", vec![all(), Op::Drain], 0),
        ("optional", vec![all(), optional], 750 * (1 + 1 + 2 + 3)),
        ("apply", vec![all(), apply(false)], 750 * (1 + 2 + 3)),
        (
            "optional apply",
            vec![all(), apply(true)],
            750 * (1 + 1 + 2 + 3),
        ),
        ("union all", vec![all(), Op::Union(union(false))], 15000),
        ("union", vec![all(), Op::Union(union(true))], 9000),
        (
            "limit within",
            vec![
                unwind(50, 0),
                Op::Optional {
                    ops: Arc::from(vec![unwind(100, 1), Op::Limit(constant(2))]),
                    nulls: vec![Slot(1)],
                },
            ],
            100,
        ),
    ]
}

#[test]
fn rows_do_not_depend_on_batches_and_memory_is_given_back() {
    let database = Database::in_memory().unwrap();
    for (name, ops, count) in plans() {
        let mut expected: Option<Vec<Vec<Grouped>>> = None;
        for batch_rows in [1, 7, 1024] {
            let setting = Setting {
                batch_rows,
                ..Setting::default()
            };
            let mut context = reading(&database, setting);
            let rows = rows_of(&mut context, ops.clone(), 3).unwrap();
            assert_eq!(rows.len(), count, "{name} in batches of {batch_rows}");
            assert_eq!(context.memory.used(), 0, "{name} keeps memory");
            let rows: Vec<Vec<Grouped>> = rows
                .into_iter()
                .map(|row| row.into_iter().map(Grouped).collect())
                .collect();
            let first = expected.get_or_insert_with(|| rows.clone());
            assert_eq!(*first, rows, "{name} in batches of {batch_rows}");
        }
    }
}

#[test]
fn sorting_is_stable_and_a_limit_changes_only_how_many() {
    let database = Database::in_memory().unwrap();
    let mut context = reading(&database, Setting::default());
    let all = rows_of(&mut context, vec![unwind(9000, 0), sort(None, &[0])], 1).unwrap();
    let top = rows_of(&mut context, vec![unwind(9000, 0), sort(Some(40), &[0])], 1).unwrap();
    let numbers = |rows: &[Vec<Value>]| -> Vec<i64> {
        rows.iter().filter_map(|row| row[0].as_int()).collect()
    };
    assert_eq!(numbers(&all)[..40], numbers(&top)[..]);
    // The remainder 6 comes first, and its numbers in the order in which they came.
    assert_eq!(numbers(&top)[..3], [6, 13, 20]);
}

/// Runs a test on a stack that a recursion through what it runs would overflow.
fn on_a_small_stack(test: fn()) {
    let thread = std::thread::Builder::new().stack_size(512 << 10);
    thread.spawn(test).unwrap().join().unwrap();
}

#[test]
fn thousands_of_operators_take_no_stack() {
    on_a_small_stack(|| {
        let database = Database::in_memory().unwrap();
        let mut context = reading(&database, Setting::default());
        let mut ops = vec![unwind(100, 0)];
        for _ in 0..2000 {
            ops.push(Op::Filter(constant(true)));
            ops.push(Op::Eager {
                keep: vec![Slot(0)],
                why: "a test",
            });
        }
        assert_eq!(rows_of(&mut context, ops, 1).unwrap().len(), 100);
        assert_eq!(context.memory.used(), 0);
    });
}

#[test]
fn a_limit_asks_for_few_rows() {
    let database = Database::in_memory().unwrap();
    let mut context = reading(&database, Setting::default());
    let ops = vec![
        unwind(100_000, 0),
        unwind(100_000, 1),
        Op::Limit(constant(3)),
    ];
    assert_eq!(rows_of(&mut context, ops, 2).unwrap().len(), 3);
    assert!(context.work.rows < 1000, "{} rows", context.work.rows);
}

#[test]
fn what_is_kept_is_refused_beyond_the_limit() {
    let database = Database::in_memory().unwrap();
    for (name, last) in [
        ("sort", sort(None, &[0])),
        ("distinct", Op::Distinct(vec![Slot(0)])),
        (
            "eager",
            Op::Eager {
                keep: vec![Slot(0)],
                why: "a test",
            },
        ),
    ] {
        let setting = Setting {
            memory_bytes: 100_000,
            ..Setting::default()
        };
        let mut context = reading(&database, setting);
        let fault = rows_of(&mut context, vec![unwind(50_000, 0), last], 1).unwrap_err();
        match fault {
            Fault::Raised(raised) => {
                assert_eq!(raised.detail, Detail::MemoryLimit, "{name}");
                assert!(raised.hint.unwrap().contains("memory_bytes"), "{name}");
            }
            Fault::Engine(error) => panic!("{name}: {error}"),
        }
        assert_eq!(
            context.memory.used(),
            0,
            "{name}: what failed keeps nothing"
        );
    }
}

#[test]
fn a_query_that_is_cancelled_stops() {
    let database = Database::in_memory().unwrap();
    let cancel = CancelToken::new();
    let setting = Setting {
        cancel: cancel.clone(),
        ..Setting::default()
    };
    let mut context = reading(&database, setting);
    // A million million rows that nobody gets to see.
    let ops = vec![unwind(1_000_000, 0), unwind(1_000_000, 1), Op::Drain];
    cancel.cancel();
    match rows_of(&mut context, ops, 2) {
        Err(Fault::Engine(error)) => assert!(matches!(*error, Error::Cancelled)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_that_is_left_early_gives_its_memory_back() {
    let database = Database::in_memory().unwrap();
    let mut context = reading(&database, Setting::default());
    let ops: Arc<[Op]> = Arc::from(vec![unwind(500, 0), sort(None, &[0])]);
    let mut run = Run::new_for_one(&ops, 1, vec![Value::Null]);
    assert!(run.next(&mut context).unwrap().is_some());
    assert!(context.memory.used() > 0);
    run.close(&mut context);
    assert_eq!(context.memory.used(), 0);
    assert!(run.next(&mut context).unwrap().is_none(), "it is over");
}

#[test]
fn portions_that_give_nothing_take_no_stack() {
    on_a_small_stack(|| {
        let database = Database::in_memory().unwrap();
        let write = database.write().unwrap();
        let graph = Graph::new(Txn::OwnWrite(Box::new(write)));
        let mut context = context(graph, Setting::default());
        context.database = Some(database.clone());
        let apply = Apply {
            ops: Arc::from(vec![Op::Filter(constant(false))]),
            returns: Vec::new(),
            gives_rows: true,
            optional: false,
            transactions: Some(InTransactions {
                rows: Some(constant(1)),
                on_error: OnError::Fail,
                report: None,
                span: Span { start: 0, end: 0 },
            }),
        };
        let eager = Op::Eager {
            keep: vec![Slot(0)],
            why: "a test",
        };
        let ops = vec![unwind(3000, 0), eager, Op::Apply(Box::new(apply))];
        assert!(rows_of(&mut context, ops, 1).unwrap().is_empty());
    });
}
