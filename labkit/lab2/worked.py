"""The small data sets that the course works by hand, as the course's texts give them."""

# Eight records with attacks at ranks 1, 3 and 6: the worked example of Figure 2.7.
EIGHT_LABELS = (1, 0, 1, 0, 0, 1, 0, 0)
EIGHT_SCORES = (0.95, 0.85, 0.75, 0.65, 0.55, 0.45, 0.35, 0.25)

# Ten records with attacks at ranks 1, 2, 4, 5 and 7, of the text on classifier metrics. That gives
# the ranking only; the scores are this course's.
TEN_LABELS = (1, 1, 0, 1, 1, 0, 1, 0, 0, 0)
TEN_SCORES = (0.95, 0.9, 0.8, 0.75, 0.7, 0.55, 0.5, 0.35, 0.2, 0.1)

# Ten records with every attack above every normal record, the first two tied: the Chinese text on
# how ROC and precision-recall curves are linked.
SEPARATED_LABELS = (1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
SEPARATED_SCORES = (
    *(0.99999, 0.99999, 0.99993, 0.99986, 0.99964, 0.99955),
    *(0.68139, 0.50961, 0.48880, 0.44951),
)

# A thousand records, ten of them attacks, known by their counts at six thresholds: the text on
# base-rate arithmetic. What `ThresholdSweep.from_counts` takes.
THOUSAND = {
    "thresholds": (float("inf"), 0.95, 0.75, 0.55, 0.35, 0.10),
    "tp": (0, 4, 8, 9, 10, 10),
    "fp": (0, 1, 20, 90, 290, 990),
    "positives": 10,
    "negatives": 990,
}
