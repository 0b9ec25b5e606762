import os

from hypothesis import settings

# Before scikit-learn loads, here and in the kernels that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("ci")
