/* The probes as LTTng's tracepoints. LTTng reads this file several times. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER filters
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "lttng.h"

#if !defined(LTTNG_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_H
#include <lttng/tracepoint.h>
#include <stdint.h>

TRACEPOINT_EVENT(filters, nine,
                 TP_ARGS(const char *, a, const char *, b, const char *, c, const char *, d,
                         const char *, e, const char *, f, const char *, g, const char *, h,
                         const char *, i),
                 TP_FIELDS(ctf_string(t0, a) ctf_string(t1, b) ctf_string(t2, c) ctf_string(t3, d)
                               ctf_string(t4, e) ctf_string(t5, f) ctf_string(t6, g)
                                   ctf_string(t7, h) ctf_string(t8, i)))

TRACEPOINT_EVENT(filters, pair, TP_ARGS(uint64_t, a, uint64_t, b),
                 TP_FIELDS(ctf_integer(uint64_t, a, a) ctf_integer(uint64_t, b, b)))

#endif
#include <lttng/tracepoint-event.h>
