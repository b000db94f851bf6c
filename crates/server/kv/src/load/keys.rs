//! What `perflab-kv load` prints, key by key, as its help has it.

/// The end of the long help.
pub const KEYS: &str = "A turn sends requests for its time and ends when all have their replies. Rates and the CPU time of \
a server are those of its turns.\n\n\
Prints one JSON object on one line, and a table on standard error:\n  \
load                     how it was made: seed, threads, connections, pipeline, pace (closed, even or poisson), rate, \
keys, key_bytes, distribution, value_bytes, preload\n  \
targets                  a list, in the order of the arguments:\n    \
name, address\n    \
operations             requests with their replies\n    \
seconds                of all its turns\n    \
operations_per_s\n    \
latency                of all commands, as below\n    \
commands               a list: name, operations, operations_per_s, misses (replies that nothing was found), hit_rate \
(of GET, from 0 to 1), errors, and latency:\n      \
mean_ns, min_ns, p50_ns, p99_ns, p99_9_ns, max_ns    absent if there was no operation. The quantiles are within 1 %\n      \
histogram            a list of from_ns and count: operations that took at least that time, by powers of two and the \
middles between them\n    \
errors                 how often each error came, by its text\n    \
late, unsent           with --rate: requests that were sent more than 1 ms late; requests that were due and not sent \
before the time was over, which no latency counts\n    \
bytes_sent, bytes_received\n    \
client_cpu_ns_per_operation    CPU time of the client\n    \
server_cpu             with --pid: pid, ns_per_operation, seconds (of all threads that live at the end), user_s and \
system_s (as the kernel samples them)\n    \
turns                  a list: slice (its number), at_s (since the first turn of all), wall_s, operations, \
operations_per_s, p50_ns, p99_ns, server_cpu_ns_per_operation\n  \
client                   a list of thread and cpu_share: above 0.9 the client was the limit\n  \
warnings                 what to know before believing a number\n\n\
Under perflab with `takes_turns = true`, perflab calls the program with a file, perflab-turns.json. The arguments of each \
variant then name one target and describe one slice: --seconds or --operations is that of a slice.\n\n\
Example:\n  perflab-kv load a=redis://127.0.0.1:6379 b=unix:/run/b.sock --preload --seconds 10";
