"""Exercises of notebook 00: counting records, attacks and days."""

from labkit.course.answers import Key, Mistake
from labkit.course.exercises.exercise import Exercise, Traffic

_DAY = 11
_LAST_DAYS = range(10, 14)


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
                len(flows) - 1,
                "This is the number of the last row, and rows are numbered from 0.",
            ),
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
            Mistake(
                float(of_day["label"].mean()),
                "This is the share of attacks among the records of the day. Their number is asked "
                "for.",
                when=lambda given: 0 < given < 1,
            ),
        ),
        hint="Keep the records whose day is the one asked for, then add up their labels.",
    )


def _day_with_the_greatest_share(traffic: Traffic) -> Key:
    flows = traffic.flows
    shares = flows.groupby("day")["label"].mean()
    days = flows[flows["day"].isin(_LAST_DAYS)].groupby("day")["label"]
    day = int(days.mean().idxmax())
    mistakes = (
        Mistake(
            float(days.mean().max()),
            "This is the share itself. Which day has it?",
            when=lambda given: 0 < given < 1,
        ),
        Mistake(
            int(days.sum().idxmax()),
            "This is the day with the most attacks. It also has many normal records: divide the "
            "attacks of each day by the records of that day.",
        ),
        Mistake(
            int(shares.idxmax()),
            "This is the greatest share of all fourteen days. Only four of them are asked about.",
        ),
        Mistake(
            day - _LAST_DAYS[0],
            "This is a place among the four days, counted from 0. Give the day as the column has "
            "it.",
        ),
        Mistake(
            int(days.mean().idxmin()),
            "On this day the share of attacks is the smallest of the four.",
        ),
    )
    # On some traffic the day with the most attacks is the one with the greatest share as well.
    return Key(
        day,
        tuple(mistake for mistake in mistakes if mistake.answer != day),
        hint="Work out attacks over records for each day, and give the day where that is largest.",
    )


EXERCISES = (
    Exercise("00-1", "how many records", _records),
    Exercise("00-2", "the attacks of one day", _attacks_of_a_day),
    Exercise("00-3", "the day with the greatest share of attacks", _day_with_the_greatest_share),
)
