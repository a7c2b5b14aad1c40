//! Wire types of the plan protocol: plan, operations, findings, limits, error codes; schemas are generated from here
