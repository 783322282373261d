"""Serves a model with llama.cpp's own HTTP server, on a free port of the loopback.

    llama_server.py MODEL

Prints the address once it listens, and serves until standard input ends.
"""

import sys

import xllamacpp


def main(model):
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"tiny"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 65_536
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.warmup = False
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main(sys.argv[1])
