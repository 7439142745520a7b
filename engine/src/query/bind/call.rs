//! Functions and aggregates.
//!
//! Next: `host.rs`.

use super::Binder;
use super::aggregation::misplaced;
use super::expr::{constant, typed, wrong_type};
use super::scope::Scope;
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, FunctionOf};
use crate::query::functions::{
    AggregateFunction, Argument, Function, aggregate_function, function, suggestions,
};
use crate::query::plan::Aggregated;
use crate::query::types::Types;
use stratigraph_query_lang::ast::{ExpressionKind, FunctionCall};
use stratigraph_query_lang::{Span, nearest};

impl Binder<'_> {
    pub(super) fn call(
        &mut self,
        scope: &mut Scope,
        call: &FunctionCall,
        span: Span,
    ) -> Result<Expr, Fault> {
        let (name, name_span) = call.full_name();
        if let Some(aggregate) = aggregate_function(&name) {
            return self.aggregate(scope, aggregate, call, span);
        }
        if call.distinct {
            let message = format!("`{name}` is no aggregate: it cannot take DISTINCT");
            return Err(raise(Detail::UnexpectedSyntax, message).at(span));
        }
        if let Some(bound) = self.exists_call(scope, &name, call, span)? {
            return Ok(bound);
        }
        if let Some(function) = self.registry.find_function(&name).cloned() {
            return self.host_call(scope, function, &call.arguments, span);
        }
        let Some(function) = function(&name) else {
            let fault = raise(
                Detail::UnknownFunction,
                format!("there is no function `{name}`"),
            )
            .at(name_span);
            let hosts = self.registry.functions().map(|one| one.name());
            return Err(match suggestions(&name).or_else(|| nearest(&name, hosts)) {
                Some(other) => fault.hint(format!("did you mean `{other}`?")),
                None => fault.hint("SHOW FUNCTIONS lists them"),
            });
        };
        let arguments = self.exprs(scope, &call.arguments)?;
        check_arguments(function, &arguments, span)?;
        let kind = ExprKind::Call {
            function: FunctionOf::Engine(function),
            arguments,
        };
        Ok(typed(kind, span, function.gives))
    }

    /// `exists(pattern)` and `exists(property)`, which older queries have.
    fn exists_call(
        &mut self,
        scope: &mut Scope,
        name: &str,
        call: &FunctionCall,
        span: Span,
    ) -> Result<Option<Expr>, Fault> {
        let [argument] = call.arguments.as_slice() else {
            return Ok(None);
        };
        if !name.eq_ignore_ascii_case("exists") {
            return Ok(None);
        }
        if let ExpressionKind::Pattern(path) = &argument.kind {
            return self.pattern_predicate(scope, path, span).map(Some);
        }
        let of = self.expr(scope, argument)?;
        // A variable in parentheses looks like a pattern of one node, which is no question.
        if of.types != Types::NULL && of.types.is_within(Types::ENTITY.or(Types::PATH)) {
            return Err(wrong_type(&of, "`exists`", "a property or a pattern")
                .hint("write `IS NOT NULL` to ask whether there is one"));
        }
        let of = Box::new(of);
        let kind = ExprKind::IsNull { of, negated: true };
        Ok(Some(typed(kind, span, Types::BOOLEAN)))
    }

    /// `count(*)`.
    pub(super) fn count_all(&mut self, span: Span) -> Result<Expr, Fault> {
        let Some(count) = aggregate_function("count") else {
            return Err(crate::error::Error::bug("there is no count").into());
        };
        self.check_aggregate(span)?;
        let one = constant(true.into(), span);
        self.add_aggregate(count, false, vec![one], span)
    }

    fn aggregate(
        &mut self,
        scope: &mut Scope,
        function: &'static AggregateFunction,
        call: &FunctionCall,
        span: Span,
    ) -> Result<Expr, Fault> {
        self.check_aggregate(span)?;
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.inside = true;
        }
        let arguments = self.exprs(scope, &call.arguments);
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.inside = false;
        }
        let arguments = arguments?;
        let wanted = function.takes.len();
        if arguments.len() != wanted {
            return Err(wrong_count(
                function.name,
                wanted,
                wanted,
                arguments.len(),
                span,
            ));
        }
        for (argument, takes) in arguments.iter().zip(function.takes) {
            check_argument(function.name, argument, takes)?;
        }
        self.add_aggregate(function, call.distinct, arguments, span)
    }

    fn check_aggregate(&self, span: Span) -> Result<(), Fault> {
        match &self.aggregation {
            Some(aggregation) if aggregation.inside => Err(raise(
                Detail::NestedAggregation,
                "an aggregate cannot be inside another",
            )
            .at(span)
            .hint("aggregate in a WITH first, and aggregate its result")),
            Some(aggregation) if aggregation.allowed => Ok(()),
            _ => Err(misplaced(span)),
        }
    }

    fn add_aggregate(
        &mut self,
        function: &'static AggregateFunction,
        distinct: bool,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Result<Expr, Fault> {
        let aggregated = Aggregated {
            function,
            distinct,
            arguments,
            into: self.slot(),
            span,
        };
        let slot = self.aggregated(aggregated)?;
        Ok(typed(ExprKind::Slot(slot), span, function.gives))
    }
}

fn check_arguments(function: &Function, arguments: &[Expr], span: Span) -> Result<(), Fault> {
    let most = if function.variadic {
        usize::MAX
    } else {
        function.takes.len()
    };
    if arguments.len() < function.required || arguments.len() > most {
        let found = arguments.len();
        return Err(wrong_count(
            function.name,
            function.required,
            most,
            found,
            span,
        ));
    }
    for (at, argument) in arguments.iter().enumerate() {
        if let Some(takes) = function.takes.get(at).or(function.takes.last()) {
            check_argument(function.name, argument, takes)?;
        }
    }
    Ok(())
}

fn check_argument(name: &str, argument: &Expr, takes: &Argument) -> Result<(), Fault> {
    if argument.types.may_be(takes.types) {
        return Ok(());
    }
    let what = format!("argument `{}` of `{name}`", takes.name);
    Err(wrong_type(argument, &what, &takes.types.to_string()))
}

/// Too many arguments, or too few.
pub(super) fn wrong_count(
    name: &str,
    least: usize,
    most: usize,
    found: usize,
    span: Span,
) -> Fault {
    let wanted = match (least, most) {
        (least, usize::MAX) => format!("at least {least}"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    let arguments = if wanted == "1" {
        "argument"
    } else {
        "arguments"
    };
    let message = format!("`{name}` takes {wanted} {arguments}, and got {found}");
    raise(Detail::InvalidNumberOfArguments, message).at(span)
}
