# Classes of processes by the published rule, on the changes of the R package changepoint 2.3 (R 4.2).
#
# Run in this directory: Rscript classes.R  (writes classes.json)
#
# Source: Barrett, Bolz-Tereick, Killick, Mount and Tratt, OOPSLA 2017, as their tool has it, run with
# --raw-deltas --delta 1%: https://github.com/softdevteam/warmup_stats at 41212e0, bin/ and
# warmup/outliers.py. The code here is written from that rule alone. Times are in seconds.

library(changepoint)

# Indices, from 1, of values outside median +- 3 (p90 - p10) of the 200 values around them; none where
# the window would begin before the series.
spikes <- function(x) {
  n <- length(x)
  Filter(function(i) {
    window <- sort(x[max(1, i - 100):min(n, i + 99)])
    band <- 3 * diff(quantile(window, c(0.1, 0.9), names = FALSE))
    abs(x[i] - median(window)) > band
  }, if (n > 100) 101:n else integer(0))
}

# The class, and the first iteration, from 0, behind the last segment that differs (null: none).
classify <- function(x, delta, last) {
  out <- spikes(x)
  kept <- if (length(out)) seq_along(x)[-out] else seq_along(x)
  # Less their median: the package sums raw squares, which lose their digits.
  y <- x[kept] - median(x)
  found <- cpt.meanvar(y, method = "PELT", penalty = "Manual", pen.value = 15 * log(length(y)),
                       test.stat = "Normal", minseglen = 2)
  ends <- c(cpts(found), length(y))
  means <- param.est(found)$mean + median(x)
  variances <- param.est(found)$variance
  k <- length(ends)
  margin <- delta * min(means)
  class <- "flat"
  from <- 0
  for (i in rev(seq_len(k - 1))) {
    if (means[i] + variances[i] >= means[k] - margin && means[i] - variances[i] <= means[k] + margin) next
    end <- kept[ends[i]]
    if (class == "flat") from <- end
    if (end - 1 > length(x) - last) return(list(class = "no steady state", from = NA))
    if (means[i] < means[k]) return(list(class = "slowdown", from = from))
    class <- "warmup"
  }
  list(class = class, from = from)
}

if (!interactive() && sys.nframe() == 0) {
  set.seed(20240302)
  n <- 1000
  # Levels relative to a tenth of a second, each for so many iterations; the last to the end.
  shapes <- list(
    flat = list(levels = 1),
    warmup = list(levels = c(1.5, 1), lengths = 40),
    slow_warmup = list(levels = c(3, 1.3, 1.1, 1), lengths = c(6, 90, 300)),
    slowdown = list(levels = c(0.9, 1), lengths = 200),
    warmup_then_slowdown = list(levels = c(2, 0.95, 1), lengths = c(30, 300)),
    fast_slow_between = list(levels = c(0.9, 1.2, 1), lengths = c(60, 200)),
    late_step = list(levels = c(1, 1.05), lengths = 900),
    late_dip = list(levels = c(1, 0.9, 1), lengths = c(800, 150)),
    cycles = list(levels = rep(c(1, 1.06), 5), lengths = rep(100, 9)),
    dip_in_the_middle = list(levels = c(1, 0.9, 1), lengths = c(300, 100)),
    below_the_margin = list(levels = c(1.004, 1), lengths = 500),
    small_warmup = list(levels = c(1.03, 1), lengths = 150)
  )
  rows <- unlist(lapply(names(shapes), function(name) {
    shape <- shapes[[name]]
    lengths <- c(shape$lengths, n - sum(shape$lengths))
    sapply(c(FALSE, TRUE), function(spiked) {
      x <- rep(shape$levels, lengths) * (1 + rnorm(n, 0, 0.004))
      # One iteration in a hundred is slow, not among the first hundred.
      if (spiked) {
        at <- sort(sample(101:n, 9))
        x[at] <- 2 * x[at]
      }
      # In steps of 10 us, as which they are written down.
      steps <- round(1e4 * x)
      x <- steps / 1e5
      found <- classify(x, 0.01, n / 4)
      sprintf('{"name": "%s", "spiked": %s, "class": "%s", "from": %s, "values": [%s]}', name,
              tolower(spiked), found$class, if (is.na(found$from)) "null" else found$from,
              paste(sprintf("%d", as.integer(steps)), collapse = ","))
    })
  }))
  writeLines(paste0("[\n", paste(rows, collapse = ",\n"), "\n]"), "classes.json")
}
