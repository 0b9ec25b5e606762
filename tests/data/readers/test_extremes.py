"""Numbers, names and labels larger or more than any recorder writes."""

import numpy as np
import pytest
from made_up import ARGUS, CIC_2018, LUFLOW, MAPPING, TABLE, UNSW_SET, ZEEK, counts

HUGE = "1.7e308"


@pytest.mark.parametrize(
    ("content", "changed"),
    [
        (LUFLOW, (",14,13,6", f",{HUGE},{HUGE},6")),
        (ZEEK, ("\t14\t2196\t16\t", f"\t{HUGE}\t2196\t{HUGE}\t")),
        (CIC_2018, ("2500000,3,2", f"2500000,{HUGE},{HUGE}")),
        (UNSW_SET, ("FIN,6,4,", f"FIN,{HUGE},{HUGE},")),
        (ARGUS, (",2,215,71", f",2,{HUGE},-{HUGE}")),
    ],
)
def test_sums_do_not_overflow(read, content, changed):
    flows = read(content.replace(*changed))
    numbers = flows.select_dtypes("number")
    assert not np.isinf(numbers.to_numpy()).any()
    assert counts(flows, "repaired")["infinite value: unset"] == 1


def test_nor_do_units(read):
    flows = read(TABLE.replace(";1;2;6", f";{HUGE};2;6"), mapping=MAPPING)
    assert flows["bytes_out"].isna().tolist() == [True, False, False]
    assert counts(flows, "repaired")["infinite value: unset"] == 1


def test_as_many_families_as_rows(read):
    header, first, *_ = CIC_2018.splitlines()
    rows = [first.replace("Benign", f"attack {number}") for number in range(40_000)]
    flows = read("\n".join([header, *rows]))
    assert flows["family"].nunique() == 40_000


def test_a_header_of_very_many_columns(read):
    header, first, *_ = LUFLOW.splitlines()
    more = "," * 30_000
    assert len(read(f"{header}{more}\n{first}{more}\n")) == 1
