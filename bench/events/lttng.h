/* The events as LTTng's tracepoints. LTTng reads this file several times. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER cost
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "lttng.h"

#if !defined(LTTNG_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_H
#include <lttng/tracepoint.h>
#include <stdint.h>

TRACEPOINT_EVENT(cost, pair, TP_ARGS(uint64_t, a, uint64_t, b),
                 TP_FIELDS(ctf_integer(uint64_t, a, a) ctf_integer(uint64_t, b, b)))

TRACEPOINT_EVENT(cost, small, TP_ARGS(uint32_t, a, uint32_t, b),
                 TP_FIELDS(ctf_integer(uint32_t, a, a) ctf_integer(uint32_t, b, b)))

TRACEPOINT_EVENT(cost, texts,
                 TP_ARGS(const char *, a, const char *, b, const char *, c, const char *, d,
                         const char *, e, const char *, f, const char *, g, const char *, h,
                         const char *, i),
                 TP_FIELDS(ctf_string(a, a) ctf_string(b, b) ctf_string(c, c) ctf_string(d, d)
                               ctf_string(e, e) ctf_string(f, f) ctf_string(g, g)
                                   ctf_string(h, h) ctf_string(i, i)))

#endif
#include <lttng/tracepoint-event.h>
