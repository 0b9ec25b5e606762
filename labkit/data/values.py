"""From the logarithm of a quantity to the value that a record holds.

The simulator knows a quantity as a log-value around its kind's log-median. Here are the
rounding and the limits that make a value of it, one function a quantity. Durations and bytes are
rounded to 0.1 in their logarithm, so that a detector that bins its inputs sees the same values
whatever its version.
"""

import numpy as np

FAILED_MAX = 250
"""The collector stops counting failed connections here."""

SEEN_LIMITS = ((0, FAILED_MAX), (1, 50_000), (0, 50_000))
"""Least and greatest mean of the collector's counts: failed connections, peers, connections."""

_LEAST_PACKET, _LARGEST_PACKET = 40, 1500


def tenths(logs: np.ndarray) -> np.ndarray:
    """Round log-values to 0.1."""
    return np.rint(logs * 10.0) / 10.0


def duration(logs: np.ndarray) -> np.ndarray:
    """Return durations in seconds, to four decimals."""
    return np.exp(tenths(logs)).round(4)


def byte_count(logs: np.ndarray) -> np.ndarray:
    """Return whole bytes; no flow is smaller than one empty packet.

    Examples
    --------
    >>> byte_count(np.log([1.0, 1000.0])).tolist()
    [40, 992]
    """
    return np.rint(np.exp(tenths(logs))).clip(_LEAST_PACKET).astype(np.int64)


def packet_size(logs: np.ndarray) -> np.ndarray:
    """Return mean bytes of a packet: 40 to 1500, headers included."""
    return np.exp(logs).clip(_LEAST_PACKET, _LARGEST_PACKET)


def packet_count(total: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the whole number of packets that can carry a total of bytes.

    Parameters
    ----------
    total
        Bytes in both directions, integers.
    size
        Mean bytes of a packet, of the same shape.

    Examples
    --------
    >>> packet_count(np.array([80, 3001]), np.array([100.0, 1500.0])).tolist()
    [1, 3]
    """
    packets = np.rint(total / size).astype(np.int64)
    return packets.clip(-(-total // _LARGEST_PACKET), total // _LEAST_PACKET)


def mean_seen(logs: np.ndarray) -> np.ndarray:
    """Return the means of the collector's three counts, within their limits.

    Parameters
    ----------
    logs
        Failed connections, peers and connections along the first axis.
    """
    low, high = np.array(SEEN_LIMITS, dtype=float).T.reshape(2, 3, *[1] * (logs.ndim - 1))
    return np.exp(logs).clip(low, high)


def seen(means: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
    """Round the means up or down by chance, so that their average is kept."""
    return np.floor(means + uniforms).astype(np.int64)


def at_least_both(connections: np.ndarray, peers: np.ndarray, failed: np.ndarray) -> np.ndarray:
    """Return connections, of which every peer and every failure needs one."""
    return np.maximum(connections, np.maximum(peers, failed))


def iat_cv(logs: np.ndarray) -> np.ndarray:
    """Return coefficients of variation, to two decimals."""
    return np.exp(logs).clip(0.01, 2.5).round(2)


def quantities(logs: np.ndarray, uniforms: np.ndarray) -> dict[str, np.ndarray]:
    """Turn the log-values of n records into their columns.

    Parameters
    ----------
    logs
        Shape (8, n), in the order of `labkit.data.profiles.NUMERIC`.
    uniforms
        Shape (3, n), in [0, 1): what rounds the three counts of the collector.

    Returns
    -------
    dict of str to numpy.ndarray
        The eight columns from `duration_s` to `iat_cv_10min`, in the order of the schema.

    Examples
    --------
    >>> logs = np.log([[1.5], [1800], [9], [650], [0.15], [6], [20], [1.3]])
    >>> columns = quantities(logs, np.zeros((3, 1)))
    >>> {name: values.item() for name, values in columns.items()}  # doctest: +ELLIPSIS
    {'duration_s': 1.4918, 'bytes_out': 1808, 'bytes_in': 16318, 'packets': 28, ...}
    """
    bytes_out, bytes_in = byte_count(logs[1]), byte_count(logs[1] + logs[2])
    failed, peers, connections = seen(mean_seen(logs[4:7]), uniforms)
    return {
        "duration_s": duration(logs[0]),
        "bytes_out": bytes_out,
        "bytes_in": bytes_in,
        "packets": packet_count(bytes_out + bytes_in, packet_size(logs[3])),
        "failed_10min": failed,
        "peers_10min": peers,
        "connections_10min": at_least_both(connections, peers, failed),
        "iat_cv_10min": iat_cv(logs[7]),
    }
