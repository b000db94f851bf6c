//! One file per tool: arguments in, the tool's text out, metrics
