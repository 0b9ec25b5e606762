"""Small made-up files of every format, with what is known of them by hand."""

import io
import json
import zipfile

import pandas as pd

LUFLOW_HEADER = (
    "avg_ipt,bytes_in,bytes_out,dest_ip,dest_port,entropy,num_pkts_out,num_pkts_in,proto,src_ip,"
    "src_port,time_end,time_start,total_entropy,label,duration"
)
# 1609459199.5 s is half a second before midnight of 2021-01-01, UTC. Zeros are lost in two rows:
# of 1609459199500000 five, of 1609459200000000 six.
LUFLOW = f"""{LUFLOW_HEADER}
0.5,1447,1312,786,22,6.907855,14,13,6,57172,30422,1609459199728250,16094591995,19058.771,malicious,0.22825
0,0,150,786,137,2.882141,3,0,17,786,137,1609459201502082,1609459200,432.32117,benign,1.502082
0,56,56,786,"",1.020244,1,1,1,16509,"",1609459201000101,1609459201000000,114.267365,outlier,1.01E-4
7,325,1595,786,9200,5.69819,2,2,6,786,56328,1609459202737392,1609459202722955,10940.524,benign,0.014437
0,56,56,786,"",1.020244,1,1,1,16509,"",1609459203000101,1609459203000000,114.267365,malicious,0.0
"""

ZEEK_FIELDS = (
    "#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tproto\tservice\tduration\t"
    "orig_bytes\tresp_bytes\tconn_state\tlocal_orig\tlocal_resp\tmissed_bytes\thistory\torig_pkts\t"
    "orig_ip_bytes\tresp_pkts\tresp_ip_bytes\ttunnel_parents"
)
ZEEK_TYPES = (
    "#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount\tstring\t"
    "bool\tbool\tcount\tstring\tcount\tcount\tcount\tcount\tset[string]"
)
ZEEK_LINES = (
    "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n"
    "#open\t2021-01-01-00-00-00\n"
)
ZEEK_ROWS = (
    "1609459199.250000\tC1\t192.0.2.1\t62771\t198.51.100.2\t443\ttcp\tssl\t1.135424\t1596\t4039\t"
    "SF\tT\tF\t5138\tShAD\t14\t2196\t16\t4779\t(empty)",
    "1609459200.000000\tC2\t203.0.113.9\t46563\t192.0.2.1\t3933\ttcp\t-\t-\t-\t-\t"
    "S0\tF\tT\t0\tS\t2\t80\t0\t0\t(empty)",
    "1609455600.500000\tC3\t203.0.113.9\t8\t192.0.2.1\t0\ticmp\t-\t0.000003\t8\t0\t"
    "OTH\tF\tT\t0\t-\t2\t64\t0\t0\t(empty)",
    "1609459201.000000\tC4\t192.0.2.7\t53444\t192.0.2.53\t53\tudp\tdns\t0.010000\t30\t90\t"
    "SF\tT\tT\t0\tDd\t1\t58\t1\t118\t(empty)",
)
ZEEK_LABELS = ("Benign\tWeb", "Malicious\tScan", "Malicious\t-", "Background\t(empty)")
ZEEK = (
    ZEEK_LINES
    + f"{ZEEK_FIELDS}\tlabel\tdetailedlabel\n{ZEEK_TYPES}\tstring\tstring\n"
    + "".join(f"{row}\t{label}\n" for row, label in zip(ZEEK_ROWS, ZEEK_LABELS, strict=True))
    + "#close\t2021-01-01-01-00-00\n"
)
# As IoT-23 has it: one column of three, with spaces between.
IOT_23 = (
    ZEEK_LINES
    + f"{ZEEK_FIELDS}   label   detailed-label\n{ZEEK_TYPES}   string   string\n"
    + "".join(
        f"{row}   {label.replace(chr(9), '   ')}\n"
        for row, label in zip(ZEEK_ROWS, ZEEK_LABELS, strict=True)
    )
    + "#close\t2021-01-01-01-00-00\n"
)

CIC_HEADER = (
    "Flow ID, Source IP, Source Port, Destination IP, Destination Port, Protocol, Timestamp,"
    " Flow Duration, Total Fwd Packets, Total Backward Packets,Total Length of Fwd Packets,"
    " Total Length of Bwd Packets, Flow Bytes/s, Flow Packets/s, Flow IAT Min,"
    " Fwd Header Length, Min Packet Length, Fwd Header Length,Init_Win_bytes_forward, Label"
)
CIC_ROWS = (
    "a-b,192.0.2.1,49000,198.51.100.2,80,6,03/07/2017 8:55,2500000,3,2,120,900,408.0,2.0,4,60,0,60,"
    "8192,BENIGN",
    "a-c,192.0.2.1,49001,198.51.100.2,80,6,03/07/2017 1:00,1000000,5,4,200,90,290.0,9.0,-1,100,6,"
    "100,-1,Web Attack \u2013 XSS",
    "a-d,192.0.2.1,49002,198.51.100.2,443,6,03/07/2017 12:30,0,1,1,0,0,NaN,Infinity,0,20,0,20,"
    "256,PortScan",
    "a-e,192.0.2.1,49003,198.51.100.2,53,17,03/07/2017 9:15,-1,1,1,40,90,-130000000.0,-2000000.0,"
    "-1,20,40,20,-1,BENIGN",
)
CIC = "\n".join([CIC_HEADER, *CIC_ROWS[:2], CIC_HEADER, *CIC_ROWS[2:], "," * 19, ""]).encode(
    "cp1252"
)
# Without times, and with the names of 2018.
CIC_2018 = """Dst Port,Protocol,Flow Duration,Tot Fwd Pkts,Tot Bwd Pkts,TotLen Fwd Pkts,\
TotLen Bwd Pkts,Flow Byts/s,Flow Pkts/s,Flow IAT Min,Pkt Len Min,Init Fwd Win Byts,Label
80,6,2500000,3,2,120,900,408.0,2.0,4,0,8192,Benign
443,6,1000000,5,4,200,90,290.0,9.0,7,6,-1,DoS attacks-Hulk
443,6,1000000,5,4,200,90,290.0,9.0,7,6,-1,DoS Hulk - Attempted
"""

UNSW_RAW = (
    "\ufeff192.0.2.1,1390,198.51.100.6,53,udp,CON,0.001055,132,164,31,29,0,0,dns,500473.9375,"
    "621800.9375,2,2,0,0,0,0,66,82,0,0,0,0,1421927414,1421927414,0.017,0.013,0,0,0,0,0,0,0,0,3,7,1,"
    "3,1,1,1,,0\r\n"
    "192.0.2.2,33661,198.51.100.9,80,tcp,FIN,0.5,528,304,31,29,1,2,-,87676.08594,50480.17188,4,3,"
    "255,255,1863885858,41339344,132,76,1,10,9.89101,10.682733,1421971199,1421971200,7.005,"
    "7.564333,0.1,0.05,0.05,0,0,1,0,,2,4,2,3,1,1,2, Fuzzers ,1\r\n"
    "192.0.2.3,0x000b,198.51.100.9,0x0303,icmp,URH,0,100,0,31,0,0,0,-,0,0,1,0,0,0,0,0,100,0,0,0,0,0,"
    "1421971200,1421971200,0,0,0,0,0,0,0,0,0,0,2,4,2,3,1,1,2,Backdoors,1\r\n"
    "192.0.2.3,0xc0a8,198.51.100.9,-,tcp,RST,0,100,0,31,0,0,0,-,0,0,1,0,0,0,0,0,100,0,0,0,0,0,"
    "1421971201,1421971201,0,0,0,0,0,0,0,0,0,0,2,4,2,3,1,1,2,,0\r\n"
)
UNSW_SET = """id,dur,proto,service,state,spkts,dpkts,sbytes,dbytes,rate,sttl,dttl,sload,dload,\
sloss,dloss,sinpkt,dinpkt,smean,dmean,response_body_len,ct_srv_src,attack_cat,label
1,0.121478,tcp,-,FIN,6,4,258,172,74.08749,252,254,14158.94238,8495.365234,0,0,24.2956,8.375,43,43,0,1,Normal,0
2,0.649902,tcp,http,FIN,14,38,734,42014,78.473372,62,252,8395.112305,503571.3125,2,17,49.915,15.432865,52,1106,0,43,Exploits,1
3,1.623129,udp,dns,INT,2,0,364,0,14.170161,62,0,1572.271851,0,1,0,231.875571,0,46,0,0,7,Normal,0
"""

NSL_KDD = (
    "0,tcp,private,REJ,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,229,10,0.00,0.00,1.00,1.00,0.04,0.06,"
    "0.00,255,10,0.04,0.06,0.00,0.00,0.00,0.00,1.00,1.00,neptune,21\r\n"
    "2,tcp,http,SF,12983,45,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,1,1,0.00,0.00,0.00,0.00,1.00,0.00,"
    "0.00,134,86,0.61,0.04,0.61,0.02,0.00,0.00,0.00,0.00,normal,21\r\n"
    "0,udp,domain_u,SF,44,44,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,8,8,0.00,0.00,0.00,0.00,1.00,0.00,"
    "0.00,255,255,1.00,0.00,0.01,0.00,0.00,0.00,0.00,0.00,normal,18\r\n"
)

ARGUS_HEADER = (
    "StartTime,Dur,Proto,SrcAddr,Sport,Dir,DstAddr,Dport,State,sTos,dTos,TotPkts,TotBytes,SrcBytes,"
    "Label"
)
ARGUS_ROWS = (
    "2011/10/30 02:30:00.250000,1.026539,tcp,192.0.2.9,1577,   ->,198.51.100.2,6881,S_RA,0,0,4,276,"
    "156,flow=Background-Established-cmpgw-CVUT",
    "2011/10/30 03:30:00.000000,0.5,udp,192.0.2.165,1025,  <->,198.51.100.53,53,CON,0,,2,215,71,"
    "flow=From-Botnet-V50-1-UDP-DNS",
    "2011/10/29 23:59:59.999999,2,icmp,192.0.2.7,0x0008,  <->,198.51.100.1,0x0000,ECO,0,0,2,196,98,"
    "flow=From-Normal-V50-Jist",
    "2011/10/30 00:10:00.000000,2,tcp,192.0.2.8,4000,   ->,198.51.100.80,80,FSPA_FSPA,0,0,9,2000,"
    "500,flow=From-Normal-V50-Jist",
    "2011/10/30 04:00:00.000000,0,tcp,203.0.113.1,2000,   ->,192.0.2.165,22,S_,0,,1,60,60,"
    "flow=To-Botnet-V50-TCP",
    "2011/10/30 04:00:00.000000,0,man,0,0,,0,0,STA,,,0,0,0,",
)
ARGUS = "\n".join([ARGUS_HEADER, *ARGUS_ROWS, ""])

TABLE = """start;took;up;down;p;port;verdict;kind
1609459199500;250;1;2;6;443;bad;worm
1609459200000;1500;2;4;17;53;Good;
1609459201000;;3;6;6;80;unsure;
1609459202000;4000;4;?;1;8;1.0;
"""
MAPPING = {
    "time": "start",
    "time_unit": "ms",
    "label": "verdict",
    "attack": ["bad", 1],
    "normal": ["good"],
    "neither": ["unsure"],
    "family": "kind",
    "unset": ["?"],
    "features": {
        "duration_s": {"column": "took", "unit": "ms"},
        "bytes_out": {"column": "up", "unit": "kB"},
        "bytes_in": {"column": "down", "unit": "kB"},
        "proto": "p",
        "dst_port": "port",
    },
}

# Format -> files of it; only those that are mapped need `MAPPING`.
FILES = {
    "luflow": [LUFLOW.encode()],
    "zeek": [ZEEK.encode(), IOT_23.encode()],
    "cic": [CIC, CIC_2018.encode()],
    "unsw": [UNSW_RAW.encode(), UNSW_SET.encode()],
    "nsl-kdd": [NSL_KDD.encode()],
    "argus": [ARGUS.encode(), ARGUS.replace(",", "\t").encode()],
    "mapped": [TABLE.encode()],
}


def zipped(packing=zipfile.ZIP_DEFLATED, **members):
    """Return a zip file that holds the members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as packed:
        for name, content in members.items():
            packed.writestr(f"{name}.csv", content)
    return buffer.getvalue()


def as_toml(mapping):
    """Return a mapping as TOML: its values are written as in JSON, tables inline."""

    def value(one):
        if isinstance(one, dict):
            return "{" + ", ".join(f"{key} = {value(inner)}" for key, inner in one.items()) + "}"
        return json.dumps(one)

    return "".join(f"{key} = {value(one)}\n" for key, one in mapping.items())


def columns(flows, *names):
    """Return columns as lists, None where unset."""
    return [[None if pd.isna(v) else v for v in flows[name]] for name in names]


def counts(flows, what="dropped"):
    return flows.attrs["summary"][what]
