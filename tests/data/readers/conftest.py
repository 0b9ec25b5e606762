import pytest

from labkit.data.readers import read_flows


@pytest.fixture
def read(tmp_path):
    """Read contents as files of these names."""

    def read(*contents, **options):
        paths = []
        for number, content in enumerate(contents):
            paths.append(tmp_path / f"file-{number}")
            paths[-1].write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_flows(paths, **options)

    return read
