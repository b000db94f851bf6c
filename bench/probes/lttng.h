/* The probe as LTTng's tracepoint. LTTng reads this file several times. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER cost
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "lttng.h"

#if !defined(LTTNG_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_H
#include <lttng/tracepoint.h>
#include <stdint.h>

TRACEPOINT_EVENT(cost, site, TP_ARGS(uint64_t, a, uint64_t, b),
                 TP_FIELDS(ctf_integer(uint64_t, a, a) ctf_integer(uint64_t, b, b)))

#endif
#include <lttng/tracepoint-event.h>
