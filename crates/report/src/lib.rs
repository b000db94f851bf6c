//! Results as text, tables, CSV, Markdown and JSON
