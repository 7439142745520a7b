//! What a path names, and the rule of it: a method of the protocol, or a service of others (health, reflection), which
//! have their rules here, in one list. Nothing else can be called.

use crate::auth::Role;
use crate::failure::Failure;
use stratigraph_proto::Method;

/// Services that are not ours: how their paths begin, and the role that they need on any database.
const FOREIGN: &[(&str, Option<Role>)] = &[
    // Who asks whether the server lives has no token: a load balancer, an orchestrator.
    ("/grpc.health.v1.Health/", None),
    ("/grpc.reflection.v1.ServerReflection/", Some(Role::Read)),
    (
        "/grpc.reflection.v1alpha.ServerReflection/",
        Some(Role::Read),
    ),
];

/// What a path names. It is looked up once for each call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Called {
    /// A method of the protocol.
    Ours(&'static Method),
    /// A service of others, and the role that it needs.
    Foreign(&'static str, Option<Role>),
    /// Nothing that there is.
    Nothing,
}

impl Called {
    pub(crate) fn of(path: &str) -> Self {
        if let Some(method) = stratigraph_proto::method(path) {
            return Self::Ours(method);
        }
        let foreign = FOREIGN.iter().find(|(prefix, _)| path.starts_with(prefix));
        foreign.map_or(Self::Nothing, |(prefix, needs)| {
            Self::Foreign(prefix, *needs)
        })
    }

    pub(crate) fn method(self) -> Option<&'static Method> {
        match self {
            Self::Ours(method) => Some(method),
            Self::Foreign(..) | Self::Nothing => None,
        }
    }

    /// What logs and metrics call it, which take nothing else from outside.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours(method) => method.path,
            Self::Foreign(prefix, _) => prefix,
            Self::Nothing => "unknown",
        }
    }

    /// The role that it needs.
    pub(crate) fn needs(self, path: &str) -> Result<Option<Role>, Failure> {
        match self {
            Self::Ours(method) => Role::needed(method.access).map_err(|_| Failure::Bug {
                what: "a method has no rule",
            }),
            Self::Foreign(_, needs) => Ok(needs),
            Self::Nothing => Err(Failure::NoMethod {
                path: path.chars().take(200).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_rule_and_nothing_else_is_reached() {
        for method in stratigraph_proto::METHODS {
            let called = Called::of(method.path);
            assert!(called.needs(method.path).is_ok(), "{}", method.path);
            assert_eq!(called.name(), method.path);
        }
        let health = "/grpc.health.v1.Health/Check";
        assert_eq!(Called::of(health).needs(health).unwrap(), None);
        for path in [
            "/",
            "",
            "/stratigraph.v1.QueryService/",
            "/stratigraph.v2.QueryService/Query",
            "/grpc.health.v1.HealthX/Check",
        ] {
            let called = Called::of(path);
            assert!(
                matches!(called.needs(path), Err(Failure::NoMethod { .. })),
                "{path}"
            );
            assert_eq!(called.name(), "unknown");
        }
    }

    #[test]
    fn what_the_protocol_is_made_of_is_told_to_who_may_read() {
        for version in ["v1", "v1alpha"] {
            let path = format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo");
            let called = Called::of(&path);
            assert_eq!(called.needs(&path).unwrap(), Some(Role::Read), "{path}");
        }
    }
}
