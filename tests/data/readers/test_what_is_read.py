"""Every format by a small file: what comes out was worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from made_up import (
    ARGUS,
    CIC,
    CIC_2018,
    IOT_23,
    LUFLOW,
    NSL_KDD,
    UNSW_RAW,
    UNSW_SET,
    ZEEK,
    columns,
    counts,
)

from labkit.errors import InputError


class TestLUFlow:
    def test_labels_and_days(self, read):
        flows = read(LUFLOW)
        assert columns(flows, "label", "family") == [
            [1, 0, 0, 1],
            ["malicious", "benign", "benign", "malicious"],
        ]
        assert counts(flows) == {"neither class (outlier)": 1}
        assert columns(flows, "day", "date") == [
            [0, 1, 1, 1],
            ["2020-12-31", "2021-01-01", "2021-01-01", "2021-01-01"],
        ]
        assert flows.attrs["summary"]["first_date"] == "2020-12-31"

    def test_lost_zeros_are_put_back_and_counted(self, read):
        flows = read(LUFLOW)
        assert flows["time"].tolist()[:3] == [1609459199.5, 1609459200, 1609459202.722955]
        assert counts(flows, "repaired") == {"epoch without its last zeros: padded": 2}

    def test_a_time_with_too_few_digits_is_none(self, read):
        flows = read(LUFLOW.replace("1609459202722955", "160945920"))
        assert counts(flows) == {"neither class (outlier)": 1, "unreadable time": 1}

    def test_features(self, read):
        flows = read(LUFLOW)
        assert flows.columns.tolist() == [
            *("label", "day", "date", "family", "time", "proto", "port_class", "duration_s"),
            *("bytes_out", "bytes_in", "packets", "dst_port", "src_port", "src_as", "dst_as"),
            *("packets_out", "packets_in", "avg_ipt", "entropy", "total_entropy"),
        ]
        assert columns(flows, "proto", "port_class", "dst_port", "src_as") == [
            ["tcp", "udp", "tcp", "icmp"],
            ["admin", "other", "other", None],
            [22, 137, 9200, None],
            ["57172", "786", "786", "16509"],
        ]
        assert flows.loc[0, ["bytes_out", "bytes_in", "packets"]].tolist() == [1312, 1447, 27]
        assert flows["duration_s"].tolist() == [0.22825, 1.502082, 0.014437, 0.0]
        assert flows["entropy"].dtype == float
        assert flows["bytes_in"].dtype == "int64"

    def test_the_day_is_that_of_the_zone(self, read):
        flows = read(LUFLOW, timezone="Europe/Prague")
        assert set(flows["date"]) == {"2021-01-01"}
        assert flows["time"].tolist() == read(LUFLOW)["time"].tolist()
        assert flows.attrs["summary"]["timezone"] == "Europe/Prague"
        west = read(LUFLOW, timezone="America/New_York")
        assert set(west["date"]) == {"2020-12-31"}

    def test_day_0_is_the_first_of_all_files(self, read):
        later = LUFLOW.replace("16094591995", "1609660800").replace(",1609459200,", ",16097472,")
        flows = read(later.replace("1609459200,", "1609660801,"), LUFLOW)
        files = flows.attrs["summary"]["files"]
        assert [one["kept"] for one in files] == [3, 4]
        assert flows["day"].min() == 0
        assert flows["day"].tolist()[3:] == [0, 1, 1, 1]
        assert flows["date"].tolist()[0] == "2021-01-03"
        assert flows["day"].tolist()[0] == 3

    def test_a_dropped_row_makes_no_day(self, read):
        early = LUFLOW.replace("1609459201000000", "1577836800000000")
        assert "outlier" in early.splitlines()[3]
        assert read(early).attrs["summary"]["first_date"] == "2020-12-31"

    def test_columns_may_stand_in_another_order_and_beside_others(self, read):
        lines = [line.split(",") for line in LUFLOW.splitlines()]
        turned = "\n".join(",".join(["x", *reversed(line)]) for line in lines)
        pd.testing.assert_frame_equal(read(turned), read(LUFLOW))


class TestZeek:
    def test_labels_days_and_details(self, read):
        flows = read(ZEEK)
        assert columns(flows, "label", "family", "day") == [
            [0, 1, 1],
            ["benign", "Scan", "malicious"],
            [0, 1, 0],
        ]
        assert counts(flows) == {"neither class (background)": 1}
        assert flows["time"].tolist() == [1609459199.25, 1609459200.0, 1609455600.5]

    def test_unset_is_nan_and_headers_are_counted(self, read):
        flows = read(ZEEK)
        assert columns(flows, "duration_s", "service", "payload_out", "bytes_out", "bytes_in") == [
            [1.135424, None, 0.000003],
            ["ssl", None, None],
            [1596, None, 8],
            [2196, 80, 64],
            [4779, 0, 0],
        ]
        assert columns(flows, "internal", "src", "state", "packets") == [
            [1, 0, 0],
            ["192.0.2.1", "203.0.113.9", "203.0.113.9"],
            ["SF", "S0", "OTH"],
            [30, 2, 2],
        ]

    def test_a_type_of_icmp_is_no_port(self, read):
        assert columns(read(ZEEK), "dst_port", "src_port", "port_class") == [
            [443, 3933, None],
            [62771, 46563, None],
            ["web", "other", None],
        ]

    def test_three_columns_in_one(self, read):
        pd.testing.assert_frame_equal(read(IOT_23), read(ZEEK))

    def test_logs_joined_to_one_file(self, read):
        twice = read(ZEEK + ZEEK)
        assert twice.attrs["summary"]["read"] == 8
        pd.testing.assert_frame_equal(twice, read(ZEEK, ZEEK.replace("#open", "#again")))
        with pytest.raises(InputError, match="second #fields line differs"):
            read(ZEEK + ZEEK.replace("#fields\tts\tuid", "#fields\tuid\tts"))

    def test_without_a_label_there_is_no_class(self, read):
        with pytest.raises(InputError, match="its header lacks label"):
            read("".join(ZEEK.replace("\tlabel\t", "\tlabelled\t")), format="zeek")

    def test_a_label_alone_names_the_family(self, read):
        flows = read(ZEEK.replace("detailedlabel", "remark"))
        assert flows["family"].tolist() == ["benign", "malicious", "malicious"]

    def test_a_log_of_fewer_columns(self, read):
        fewer = ZEEK.replace("orig_ip_bytes", "a").replace("resp_pkts", "b")
        fewer = fewer.replace("id.orig_p", "c").replace("id.resp_p", "d").replace("local_orig", "e")
        flows = read(fewer)
        assert {"bytes_in", "packets_out", "payload_out", "a", "b"} <= set(flows)
        assert not {"bytes_out", "packets", "dst_port", "src_port", "internal"} & set(flows)

    def test_an_unknown_label_is_counted(self, read):
        assert counts(read(ZEEK.replace("Background", "Odd"))) == {"unknown label": 1}

    def test_further_numbers_keep_their_names_but_for_those_that_are_taken(self, read):
        more = ZEEK.replace("missed_bytes", "time").replace("\tuid", "\tip_proto")
        more = more.replace("#types\ttime\tstring", "#types\ttime\tcount")
        for number in "1234":
            more = more.replace(f"\tC{number}\t", f"\t{number}\t")
        flows = read(more)
        assert flows["ip_proto"].tolist() == [1, 2, 3]
        assert flows["time"].tolist() == read(ZEEK)["time"].tolist()


class TestCIC:
    def test_labels_and_their_dash(self, read):
        flows = read(CIC)
        families = ["benign", "Web Attack - XSS", "PortScan", "benign"]
        assert columns(flows, "label", "family") == [[0, 1, 1, 0], families]
        assert counts(flows) == {"empty row": 1, "header line again": 1}
        assert counts(flows, "repaired")["dash in the label: made a plain one"] == 1

    @pytest.mark.parametrize("dash", [b"\xe2\x80\x93", b"\xef\xbf\xbd", b"\xc2\x96", b"-", b"\x97"])
    def test_however_the_dash_was_lost(self, read, dash):
        assert read(CIC.replace(b"\x96", dash))["family"].tolist()[1] == "Web Attack - XSS"

    def test_one_to_seven_is_the_afternoon(self, read):
        flows = read(CIC)
        hours = [(time - 1499040000) / 3600 for time in flows["time"]]
        assert hours == [8 + 55 / 60, 13, 12.5, 9.25]
        assert counts(flows, "repaired")["hour 1 to 7 without PM: taken as afternoon"] == 1
        assert set(flows["date"]) == {"2017-07-03"}

    def test_with_pm_nothing_is_taken_for_granted(self, read):
        flows = read(CIC.replace(b"2017 1:00", b"2017 01:00:30 AM"))
        assert flows["time"].tolist()[1] == 1499040000 + 3630
        assert "hour 1 to 7 without PM: taken as afternoon" not in counts(flows, "repaired")

    def test_a_clock_that_counts_to_24_is_refused(self, read):
        with pytest.raises(InputError, match=r"1:00' and '03/07/2017 14:30' are no times of one"):
            read(CIC.replace(b"12:30", b"14:30"))
        # Without an hour that it changes, the rule has nothing to get wrong.
        day = CIC.replace(b"12:30", b"14:30").replace(b" 1:00", b" 10:00")
        assert read(day)["time"].tolist()[2] == 1499040000 + 14.5 * 3600

    def test_years_first_are_taken_as_they_stand(self, read):
        flows = read(CIC.replace(b"03/07/2017 1:00", b"2017-07-03 01:00:00.250000"))
        assert flows["time"].tolist()[1] == 1499040000 + 3600.25

    def test_the_clock_is_the_sites(self, read):
        flows = read(CIC, timezone="America/Halifax")
        assert flows["time"].tolist()[1] == 1499040000 + 13 * 3600 + 3 * 3600
        assert set(flows["date"]) == {"2017-07-03"}
        assert not any("--timezone" in note for note in flows.attrs["summary"]["notes"])
        assert any("--timezone" in note for note in read(CIC).attrs["summary"]["notes"])

    def test_rates_and_times_that_cannot_be(self, read):
        flows = read(CIC)
        assert columns(flows, "duration_s", "flow_packets_per_s", "flow_iat_min") == [
            [2.5, 1.0, 0.0, None],
            [2, 9, None, None],
            [4, None, 0, None],
        ]
        repaired = counts(flows, "repaired")
        assert repaired["infinite value: unset"] == 1
        assert repaired["negative value: unset"] == 2
        assert columns(flows, "init_win_bytes_forward") == [[8192, None, 256, None]]

    def test_the_column_that_comes_twice_is_read_once(self, read):
        flows = read(CIC)
        assert [name for name in flows if "header" in name] == ["fwd_header_length"]
        assert flows["fwd_header_length"].tolist() == [60, 100, 20, 20]

    def test_too_few_of_its_columns(self, read):
        fewer = "\n".join(line.split(",", 6)[-1] for line in CIC_2018.splitlines())
        with pytest.raises(InputError, match="names too few columns of CICFlowMeter"):
            read(fewer, format="cic")
        with pytest.raises(InputError, match="no column Label"):
            read(CIC_2018.replace("Label", "Verdict"))

    @pytest.mark.parametrize("label", ["NeedManualLabel", "No Label", ""])
    def test_rows_without_a_label(self, read, label):
        flows = read(CIC_2018.replace("DoS Hulk - Attempted", label))
        assert counts(flows) == {"no label": 1}

    def test_the_names_of_2018(self, read):
        flows = read(CIC_2018)
        assert "time" not in flows
        assert "day" not in flows
        assert columns(flows, "label", "family", "packets", "bytes_in", "packet_length_min") == [
            [0, 1],
            ["benign", "DoS attacks-Hulk"],
            [5, 9],
            [900, 90],
            [0, 6],
        ]
        assert counts(flows) == {"neither class (attempted)": 1}
        assert flows.attrs["summary"]["first_date"] is None


class TestUNSW:
    def test_raw(self, read):
        flows = read(UNSW_RAW)
        assert columns(flows, "label", "family", "day", "time") == [
            [0, 1, 1, 0],
            ["benign", "Fuzzers", "Backdoor", "benign"],
            [0, 0, 1, 1],
            [1421927414, 1421971199, 1421971200, 1421971201],
        ]
        assert columns(flows, "src", "packets", "sinpkt", "response_body_len", "service") == [
            ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.3"],
            [4, 7, 1, 1],
            [0.017, 7.005, 0, 0],
            [0, 10, 0, 0],
            ["dns", None, None, None],
        ]

    def test_ports_in_hexadecimal_and_unset(self, read):
        flows = read(UNSW_RAW)
        assert columns(flows, "src_port", "dst_port") == [
            [1390, 33661, None, 0xC0A8],
            [53, 80, None, None],
        ]
        assert counts(flows, "repaired") == {
            "attack_cat spelt otherwise: made one": 2,
            "port in hexadecimal": 2,
        }

    def test_the_sets_have_no_times_or_ports(self, read):
        flows = read(UNSW_SET)
        assert columns(flows, "label", "family", "bytes_out", "duration_s", "smean") == [
            [0, 1, 0],
            ["benign", "Exploits", "benign"],
            [258, 734, 364],
            [0.121478, 0.649902, 1.623129],
            [43, 52, 46],
        ]
        assert not {"time", "day", "date", "dst_port", "port_class", "src", "id"} & set(flows)

    def test_a_label_that_contradicts_its_category(self, read):
        flows = read(UNSW_SET.replace("0,0,7,Normal,0", "0,0,7,DoS,0"))
        assert counts(flows) == {"label contradicts attack_cat": 1}

    def test_a_blank_category_of_an_attack(self, read):
        assert read(UNSW_RAW.replace(" Fuzzers ", ""))["family"].tolist()[1] == "attack"


class TestNSLKDD:
    def test_what_is_read(self, read):
        flows = read(NSL_KDD)
        assert columns(flows, "label", "family", "port_class", "bytes_out", "duration_s") == [
            [1, 0, 0],
            ["neptune", "benign", "benign"],
            ["other", "web", "dns"],
            [0, 12983, 44],
            [0, 2, 0],
        ]
        assert flows["dst_host_srv_rerror_rate"].tolist() == [1.0, 0.0, 0.0]
        assert not {"time", "day", "difficulty"} & set(flows)

    def test_an_unknown_attack_is_no_attack(self, read):
        flows = read(NSL_KDD.replace("neptune", "neptunf"))
        assert counts(flows) == {"unknown label": 1}


class TestArgus:
    def test_labels(self, read):
        flows = read(ARGUS)
        assert columns(flows, "label", "family", "day") == [
            [1, 0, 0],
            ["From-Botnet-V50-1-UDP-DNS", "benign", "benign"],
            [1, 0, 1],
        ]
        assert counts(flows) == {
            "neither class (background)": 1,
            "neither class (to a labelled host)": 1,
            "no label": 1,
        }

    def test_features(self, read):
        flows = read(ARGUS)
        assert columns(flows, "bytes_out", "bytes_in", "dst_port", "src_port", "dst_tos") == [
            [71, 98, 500],
            [144, 98, 1500],
            [53, None, 80],
            [1025, None, 4000],
            [None, 0, 0],
        ]

    def test_labels_that_say_nothing(self, read):
        flows = read(ARGUS.replace("flow=Background-Established-cmpgw-CVUT", "flow="))
        assert counts(flows)["no label"] == 2
        flows = read(ARGUS.replace("flow=Background-Established", "flow=TCP-Established"))
        assert counts(flows)["unknown label"] == 1

    def test_tabs(self, read):
        pd.testing.assert_frame_equal(read(ARGUS.replace(",", "\t")), read(ARGUS))

    def test_the_clock_is_that_of_the_zone(self, read):
        # The clocks went back at three that night: half past three is an hour later than it seems.
        flows = read(ARGUS, timezone="Europe/Prague")
        shift = np.array(read(ARGUS)["time"]) - np.array(flows["time"])
        assert shift.tolist() == [3600, 7200, 7200]
        assert flows["date"].tolist() == read(ARGUS)["date"].tolist()

    def test_an_hour_shown_twice_is_taken_as_the_first(self, read):
        twice = ARGUS.replace("03:30:00.000000", "02:30:00")
        flows = read(twice, timezone="Europe/Prague")
        assert flows["time"].tolist()[0] == read(twice)["time"].tolist()[0] - 7200
        told = "clock time that occurs twice: taken as the first"
        assert counts(flows, "repaired")[told] == 1
