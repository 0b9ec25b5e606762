"""Tables of no format known, read by a mapping; and several files at once."""

import pandas as pd
import pytest
from made_up import (
    ARGUS,
    CIC_2018,
    IOT_23,
    LUFLOW,
    MAPPING,
    TABLE,
    UNSW_RAW,
    UNSW_SET,
    ZEEK,
    columns,
    counts,
    zipped,
)

from labkit.errors import InputError


class TestMapped:
    def test_what_is_read(self, read):
        flows = read(TABLE, mapping=MAPPING)
        assert columns(flows, "label", "family", "day", "time") == [
            [1, 0, 1],
            ["worm", "benign", "1"],
            [0, 1, 1],
            [1609459199.5, 1609459200, 1609459202],
        ]
        assert columns(flows, "duration_s", "bytes_out", "bytes_in", "proto", "port_class") == [
            [0.25, 1.5, 4.0],
            [1000, 2000, 4000],
            [2000, 4000, None],
            ["tcp", "udp", "icmp"],
            ["web", "dns", None],
        ]
        assert counts(flows) == {"neither class (unsure)": 1}

    def test_quoted_fields_may_hold_the_delimiter(self, read):
        flows = read(TABLE.replace(";worm", ';"a ""big""; worm"'), mapping=MAPPING)
        assert flows["family"].tolist()[0] == 'a "big"; worm'

    def test_everything_else_can_be_one_class(self, read):
        mapping = MAPPING | {"attack": "rest", "neither": ["unsure"]}
        assert read(TABLE, mapping=mapping)["label"].tolist() == [1, 0, 1]
        mapping = MAPPING | {"attack": ["bad"], "neither": "rest"}
        assert counts(read(TABLE, mapping=mapping)) == {"neither class (rest)": 2}

    def test_a_file_without_a_header(self, read):
        header, rows = TABLE.split("\n", 1)
        mapping = MAPPING | {"names": header.split(";")}
        pd.testing.assert_frame_equal(read(rows, mapping=mapping), read(TABLE, mapping=MAPPING))

    @pytest.mark.parametrize(
        ("written", "pattern"),
        [("31.12.2020 23:59:59,5", "%d.%m.%Y %H:%M:%S,%f"), ("2021-01-01 00:59:59.5+0100", "iso")],
    )
    def test_clock_times(self, read, written, pattern):
        mapping = {k: v for k, v in MAPPING.items() if k != "time_unit"}
        table = TABLE.replace("1609459199500", written)
        flows = read(table, mapping=mapping | {"time_format": pattern, "attack": ["bad"]})
        assert flows["time"].tolist() == [1609459199.5]
        assert counts(flows)["unreadable time"] == 1

    def test_without_times(self, read):
        mapping = {k: v for k, v in MAPPING.items() if not k.startswith("time")}
        assert not {"time", "day", "date"} & set(read(TABLE, mapping=mapping))


class TestSeveralFiles:
    def test_of_one_format_in_the_order_given(self, read):
        flows = read(ZEEK, IOT_23)
        assert len(flows) == 6
        assert flows.index.tolist() == list(range(6))
        assert flows["src"].tolist()[:3] == flows["src"].tolist()[3:]

    def test_a_column_that_one_lacks_is_unset_there(self, read):
        lines = [line.split(",") for line in CIC_2018.splitlines()]
        fewer = "\n".join(",".join(line[:9] + line[10:]) for line in lines)
        flows = read(fewer, CIC_2018)
        assert columns(flows, "flow_iat_min", "packets") == [[None, None, 4, 7], [5, 9, 5, 9]]

    def test_formats_are_not_mixed(self, read):
        with pytest.raises(InputError, match=r"file-0 is zeek but .*file-1 is argus: import them"):
            read(ZEEK, ARGUS)

    @pytest.mark.parametrize("order", [1, -1])
    def test_nor_are_files_with_times_and_without(self, read, order):
        with pytest.raises(InputError, match="unlike the files before it"):
            read(*[UNSW_RAW, UNSW_SET][::order])

    def test_members_of_a_zip_file(self, read):
        flows = read(zipped(b=ZEEK, a=IOT_23))
        names = [one["file"].split("/")[-1] for one in flows.attrs["summary"]["files"]]
        assert names == ["a.csv", "b.csv"]
        alone = read(zipped(day=LUFLOW))
        assert alone.attrs["summary"]["files"][0]["file"].endswith("file-0")
        pd.testing.assert_frame_equal(alone, read(LUFLOW))
