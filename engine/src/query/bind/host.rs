//! Functions of the host.
//!
//! Next: `subquery.rs`.

use super::Binder;
use super::call::wrong_count;
use super::expr::typed;
use super::procedure::check_argument;
use super::scope::Scope;
use crate::query::error::Fault;
use crate::query::expr::{Expr, ExprKind, FunctionOf};
use crate::query::functions::HostFunction;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::Expression;

impl Binder<'_> {
    pub(super) fn host_call(
        &mut self,
        scope: &mut Scope,
        function: Arc<HostFunction>,
        arguments: &[Expression],
        span: Span,
    ) -> Result<Expr, Fault> {
        let (least, most) = (function.required(), function.arguments().len());
        let found = arguments.len();
        if found < least || found > most {
            let fault = wrong_count(function.name(), least, most, found, span);
            return Err(fault.hint(format!("its signature is {}", function.signature())));
        }
        let arguments = self.exprs(scope, arguments)?;
        for (argument, field) in arguments.iter().zip(function.arguments()) {
            check_argument(function.name(), argument, field)?;
        }
        let gives = function.result().types();
        let kind = ExprKind::Call {
            function: FunctionOf::Host(function),
            arguments,
        };
        Ok(typed(kind, span, gives))
    }
}
