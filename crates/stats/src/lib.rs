//! Statistics of performance: samples in, summaries, intervals and verdicts out
