"""Exercises of notebook 00: counting records, attacks and days."""

from labkit.course.answers import Key, Mistake
from labkit.course.exercises.exercise import Exercise, Traffic

_DAY = 11


def _records(traffic: Traffic) -> Key:
    flows = traffic.flows
    return Key(
        len(flows),
        (
            Mistake(
                flows.size,
                "This counts every field of every record. A record is a whole row of the table.",
            ),
            Mistake(flows.shape[1], "This is the number of columns. A record is a row."),
            Mistake(
                int((flows["label"] == 0).sum()),
                "These are the normal records alone. Attacks are flow records too.",
            ),
        ),
        hint="Each row of the table is one record. How many rows has it?",
    )


def _attacks_of_a_day(traffic: Traffic) -> Key:
    flows = traffic.flows
    of_day = flows[flows["day"] == _DAY]
    return Key(
        int(of_day["label"].sum()),
        (
            Mistake(
                len(of_day),
                "These are all records of the day. Only those labelled 1 are attacks.",
            ),
            Mistake(
                int((of_day["label"] == 0).sum()),
                "These are the normal records of the day, those labelled 0.",
            ),
            Mistake(
                int(flows["label"].sum()),
                "These are the attacks of all days. Keep the records of the one day first.",
            ),
            Mistake(
                int(flows.loc[flows["day"] == _DAY - 1, "label"].sum()),
                "This is the day before. Days are counted from 0: take the day as it is numbered.",
            ),
        ),
        hint="Keep the records whose day is the one asked for, then add up their labels.",
    )


def _day_with_the_greatest_share(traffic: Traffic) -> Key:
    days = traffic.flows.groupby("day")["label"]
    shares = days.mean()
    day = int(shares.idxmax())
    return Key(
        day,
        (
            Mistake(
                float(shares.max()),
                "This is the share itself. Which day has it?",
            ),
            Mistake(
                int(days.size().idxmax()),
                "This is the day with the most records of all, attacks or not. Divide the attacks "
                "of each day by its records.",
            ),
            Mistake(day + 1, "One too many: days are counted from 0, and so is your answer."),
        ),
        hint="Work out attacks over records for each day, and give the day where that is largest.",
    )


EXERCISES = (
    Exercise("00-1", "how many records", _records),
    Exercise("00-2", "the attacks of one day", _attacks_of_a_day),
    Exercise("00-3", "the day with the greatest share of attacks", _day_with_the_greatest_share),
)
