# Changes in mean and variance, from the R package changepoint 2.3 (R 4.2).
#
# Run in this directory: Rscript changes.R  (writes changes.json)

library(changepoint)
set.seed(20240301)
series <- list(
  flat = rnorm(120, 100, 1),
  step = c(rnorm(60, 100, 1), rnorm(60, 103, 1)),
  variance = c(rnorm(80, 100, 1), rnorm(80, 100, 4)),
  warmup = c(rnorm(15, 180, 9), rnorm(40, 120, 3), rnorm(200, 100, 1)),
  blip = c(rnorm(100, 100, 1), rnorm(6, 130, 2), rnorm(100, 100, 1)),
  often = unlist(lapply(1:12, function(i) rnorm(25, 100 + 4 * (i %% 3), 1 + i %% 2))),
  skewed = c(rexp(150, 1), 4 + rexp(150, 1)),
  offset = c(rnorm(50, 1e6, 1), rnorm(50, 1e6 + 5, 1)),
  short = c(rnorm(2, 10, 0.1), rnorm(3, 20, 0.1), rnorm(2, 30, 0.1))
)
row <- function(name, x, penalty) {
  # The package sums raw squares, which lose their digits beside a large common part.
  found <- cpt.meanvar(x - median(x), method = "PELT", penalty = "Manual", pen.value = penalty,
                       test.stat = "Normal", minseglen = 2)
  ends <- cpts(found)
  sprintf('{"name": "%s", "penalty": %.17g, "values": [%s], "changes": [%s]}', name, penalty,
          paste(sprintf("%.17g", x), collapse = ", "), paste(ends, collapse = ", "))
}
rows <- unlist(lapply(names(series), function(name) {
  x <- series[[name]]
  sapply(c(3, 6, 15) * log(length(x)), function(penalty) row(name, x, penalty))
}))
writeLines(paste0("[\n", paste(rows, collapse = ",\n"), "\n]"), "changes.json")
