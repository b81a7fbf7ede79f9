"""Tables as benchmark tools print them, each with its source: which columns are read, and in which unit."""

# ruff: noqa: E501 (rows as they are printed)
from __future__ import annotations

from pathlib import Path

import pytest

from aisim_model.calibration import read_measurements, read_transfer_log
from aisim_model.errors import InputError

NCCL_TWO_LINES = """
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
TABLES = {
    # github.com/NVIDIA/nccl-tests/issues/214
    "nccl sendrecv": (
        "# nThread 1 nGpus 1 minBytes 256 maxBytes 1073741824 step: 2(factor) warmup iters: 5\n#\n# Using devices\n"
        "#  Rank  0 Group  0 Pid 1478709 on      gpu23 device  0 [0x31] NVIDIA A40\n#"
        f"{NCCL_TWO_LINES}"
        "         256            64     float     sum      -1    34.24    0.01    0.01      0    33.65    0.01    0.01    N/A\n"
        "        8192          2048     float     sum      -1    31.76    0.26    0.26      0    31.59    0.26    0.26    N/A\n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 0.13\n#\n",
        [(256, 0.03424), (8_192, 0.03176)],
    ),
    # github.com/coreweave/nccl-tests/pull/43
    "nccl GB200": (
        f"{NCCL_TWO_LINES}"
        "   536870912     134217728     float     sum      -1   1806.7  297.16  586.06      0   1835.9  292.43  576.74      0\n"
        "  4294967296    1073741824     float     sum      -1    10094  425.49  839.16      0    10141  423.54  835.32      0\n",
        [(536_870_912, 1.8067), (4_294_967_296, 10.094)],
    ),
    # github.com/crickett-hpe/hpc-ai-envs/pull/30: rccl-tests
    "rccl MI300X": (
        "rccl-tests: Version develop:83d38d9\n# Using devices\n"
        f"{NCCL_TWO_LINES}"
        "     8388608       2097152     float     sum      -1    91.10   92.08  161.14      0    94.94   88.36  154.63      0\n",
        [(8_388_608, 0.0911)],
    ),
    # github.com/NVIDIA/nccl-tests/issues/104: an older header, of fewer columns
    "nccl uint8": (
        "#                                               out-of-place                       in-place          \n"
        "#       size         count      type     time   algbw   busbw  error     time   algbw   busbw  error\n"
        "#        (B)    (elements)               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)  \n"
        "    37748744      37748744     uint8    11732    3.22    3.22  0e+00    11698    3.23    3.23  3e+02\n",
        [(37_748_744, 11.732)],
    ),
    # github.com/NVIDIA/nccl-tests/issues/107: without a root
    "nccl without a root": (
        "#                                                       out-of-place                       in-place\n"
        "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
        "#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
        "  1310720000     327680000     float     sum  1241800    1.06    1.06  0e+00  1244000    1.05    1.05  0e+00\n",
        [(1_310_720_000, 1_241.8)],
    ),
    # github.com/linux-rdma/perftest/issues/273: 8 B / (0.48e9/8 B/s)
    "ib_write_bw Gb": (
        " Data ex. method : Ethernet\n" + "-" * 87 + "\n"
        " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
        " 8          224958464        0.00               0.48   \t\t   7.498617\n" + "-" * 87 + "\n",
        [(8, 8 / 0.06e9 * 1e3)],
    ),
    # github.com/linux-rdma/perftest/issues/65: MB are 2^20 bytes there
    "ib_send_bw MB": (
        "#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
        "1024       1000             0.00               5544.28\t\t   5.677340\n"
        " 2048       1000             0.00               0.00 \t\t   0.000000\n",
        [(1_024, 1_024 / (5_544.28 * 2**20) * 1e3)],
    ),
    # github.com/ai-dynamo/nixl/pull/2276: four threads move 4 x 4,096 B in the time, 0.027182 GB/s x 602.8 us
    "nixlbench": (
        "-" * 160 + "\n"
        "Block Size (B)      Batch Size     B/W (GB/Sec)   Avg Lat. (us)  Avg Prep (us)  P99 Prep (us)  "
        "Avg Post (us)  P99 Post (us)  Avg Tx (us)    P99 Tx (us)\n" + "-" * 160 + "\n"
        "4096                1              0.027182       602.8          492.5          1440.0         "
        "103.6          338.0          397.6          3844.0\n",
        [(0.027182e9 * 602.8e-6, 0.6028)],
    ),
    # github.com/ai-dynamo/nixl/pull/115: 20.9777 GB/s x 3.12408 us is one block of 65,536 B
    "older nixlbench": (
        "Loaded plugin UCX\n"
        "Block Size (B)      Batch Size     Avg Lat. (us)  B/W (MiB/Sec)  B/W (GiB/Sec)  B/W (GB/Sec)\n"
        + "-"
        * 65
        + "\n"
        "65536               64             3.12408        20005.9        19.537         20.9777\n",
        [(20.9777e9 * 3.12408e-6, 0.00312408)],
    ),
    # github.com/NVIDIA/cloudai/pull/550: the same as CSV, its latency without a unit
    "nixlbench.csv": (
        "block_size,batch_size,avg_lat,bw_mib_sec,bw_gib_sec,bw_gb_sec\n"
        "4096,1,6.51488,599.589,0.585536,0.628714\n1048576,1,30.3075,32995.1,32.2218,34.5979\n",
        [(0.628714e9 * 6.51488e-6, 0.00651488), (34.5979e9 * 30.3075e-6, 0.0303075)],
    ),
    # github.com/EESSI/software-layer/pull/716: a remark between header and rows
    "osu_bw CUDA": (
        "# OSU MPI-CUDA Bandwidth Test v7.2\n# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n"
        "# Size      Bandwidth (MB/s)\n# Datatype: MPI_CHAR.\n"
        "65536               15294.18\n33554432            93130.52\n",
        [(65_536, 65_536 / 15_294.18e6 * 1e3), (33_554_432, 33_554_432 / 93_130.52e6 * 1e3)],
    ),
    # github.com/easybuilders/easybuild-easyconfigs/pull/25902
    "osu_bw ROCm": (
        "UCX_TLS: self,rocm_copy,rocm_ipc,rc_x\n\n=============== pair 0,1  run 1/1  17:17:30 ===============\n\n"
        "# OSU MPI-ROCM Bandwidth Test v7.5\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n"
        "1                       1.35\n134217728          139961.80\n",
        [(1, 1 / 1.35e6 * 1e3), (134_217_728, 134_217_728 / 139_961.80e6 * 1e3)],
    ),
    # github.com/aws/aws-parallelcluster/pull/7035
    "osu_mbw_mr": (
        "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7.1\n# [ pairs: 48 ] [ window size: 64 ]\n"
        "# Size                  MB/s        Messages/s\n"
        "1                      58.09       58086503.51\n4096               168173.26       41057925.18\n",
        [(1, 1 / 58.09e6 * 1e3), (4_096, 4_096 / 168_173.26e6 * 1e3)],
    ),
    # mvapich.cse.ohio-state.edu/benchmarks: osu_latency prints a size of 0 first
    "osu_latency": (
        "# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n"
        "0                       1.05\n1048576                55.10\n",
        [(1_048_576, 0.0551)],
    ),
    # docs.open-mpi.org: mpirun --tag-output
    "tagged": (
        "[1,0]<stdout>:# OSU MPI-CUDA Latency Test v7.3\n[1,0]<stdout>:# Size          Latency (us)\n"
        "[1,0]<stdout>:65536                 12.50\n",
        [(65_536, 0.0125)],
    ),
    # NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheTransceiver: a group for each connection
    "rank_0_send.csv": (
        "RequestID,Delay(ms),Duration(ms),Bandwidth(Gbps),Delay(ms),Duration(ms),Bandwidth(Gbps)\n"
        "1,0.5,10.0,200.0,0.6,20.0,100.0\n",
        [(250e6, 10.0), (250e6, 20.0)],
    ),
    # github.com/NVIDIA/TensorRT-LLM/pull/11136: the Python transceiver's log as CSV
    "perf log": (
        "unique_rid,peer_rank,transfer_size,avg_segment_size,entry_count,prepare_args_latency_ms,queue_latency_ms,"
        "transfer_latency_ms,task_latency_ms,throughput_mbs\n"
        "7,1,33554432,65536,512,0.424,14.830,10.668,29.044,3145.34\n",
        [(33_554_432, 10.668)],
    ),
    # github.com/JuliaParallel/MPIBenchmarks.jl/pull/11: the names of its CSV
    "MPIBenchmarks.jl": (
        "size (bytes),iterations,bandwidth (MB/s)\n65536,4096,1250.0\n",
        [(65_536, 65_536 / 1.25e9 * 1e3)],
    ),
    "a table in Markdown": (
        "| Size (bytes) | Latency (us) |\n|---|---|\n| 65536 | 12.5 |\n| 131072 | 20 |\n",
        [(65_536, 0.0125), (131_072, 0.02)],
    ),
    "a rate and a time": ("duration_s;throughput GB/s\n0,5;2\n", [(1e9, 500.0)]),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_tools(name: str) -> None:
    text, expected = TABLES[name]
    for source in (text, text.encode(), text.replace("\n", "\r\n")):
        found = read_measurements(source)
        assert found.bytes_sent.tolist() == pytest.approx([size for size, _ in expected])
        assert found.milliseconds.tolist() == pytest.approx([time for _, time in expected])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("C50_transfer_log_full_stop.log", [(4.781 * 2**20, 1.49), (70 * 2**20, 9.862), (160 * 2**20, 38.7)]),
        ("C51_duration_and_gbps.csv", [(250e6, 10.0), (525e6, 20.0), (1_075e6, 40.0)]),
        (
            "C52_hash_header.txt",
            [(65_536, 0.0125), (1_048_576, 0.0551), (16_777_216, 0.4102), (67_108_864, 1.58)],
        ),
        ("C53_hash_header_range.txt", [(65_536, 0.0034), (131_072, 0.0054), (262_144, 0.0094)]),
    ],
)
def test_the_reported_files(file: str, expected: list[tuple[float, float]], shared_dir: Path) -> None:
    source = (shared_dir / "facts" / "reported_inputs" / file).read_bytes()
    found = read_measurements(source, tensor_parallel=1)
    assert found.bytes_sent.tolist() == pytest.approx([size for size, _ in expected])
    assert found.milliseconds.tolist() == pytest.approx([time for _, time in expected])


LINE = (
    "KV Transfer metrics: Num successful transfers=1, Avg xfer time (ms)=9.862, P90 xfer time (ms)=9.862, "
    "Avg post time (ms)=5.693, P90 post time (ms)=5.693, Avg MB per transfer=70.0, Throughput (MB/s)=7097.952"
)


@pytest.mark.parametrize(
    ("text", "size_mib", "milliseconds"),
    [
        # github.com/vllm-project/vllm/pull/25388
        (
            f"(APIServer pid=205253) INFO 09-22 13:28:53 [metrics.py:98] {LINE}, Avg number of descriptors=56.0\n",
            70.0,
            9.862,
        ),
        # github.com/ai-dynamo/nixl/issues/1240: a full stop ends the line
        (f"{LINE}.\n", 70.0, 9.862),
        (f"{LINE}, Avg number of descriptors=56.0.", 70.0, 9.862),
        # in a terminal's colours, in brackets, in quotes, with an ellipsis
        (f"\x1b[0;36m{LINE}\x1b[0m\n", 70.0, 9.862),
        (f"({LINE})\n", 70.0, 9.862),
        (f"'{LINE}'\n", 70.0, 9.862),
        (f"{LINE}…", 70.0, 9.862),
        # docs.vllm.ai features/nixl_connector_usage: wrapped over three lines
        (
            "KV Transfer metrics: Num successful transfers=4, Avg xfer time (ms)=1.381,\n"
            "P90 xfer time (ms)=2.601, Avg post time (ms)=0.672, P90 post time (ms)=0.801,\n"
            "Avg MB per transfer=2.25, Throughput (MB/s)=1629.549, Avg number of descriptors=72.0\n",
            2.25,
            1.381,
        ),
    ],
)
def test_metric_lines_however_they_end(text: str, size_mib: float, milliseconds: float) -> None:
    found = read_transfer_log(text, 1)
    assert found.bytes_sent.tolist() == pytest.approx([size_mib * 2**20])
    assert found.milliseconds.tolist() == [milliseconds]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        # github.com/openucx/ucc/pull/223: three lines of header, and nothing says which average is a time
        (
            "       Count        Size                Time, us                           Bandwidth, GB/s\n"
            "                                 avg         min         max         avg         min         max\n"
            "       65536      262144       76.46       72.62       82.30       24.00       25.27       22.30\n",
            "row 2, .* is empty",
        ),
        ("# Size  Bandwidth (MB/s)\n0 0\n", "from 1 to 100,000 rows"),
        ("speed GB/s,throughput MB/s,ms\n1,2,3\n", "more than one column that could be the speed"),
    ],
)
def test_what_can_be_read_two_ways_is_asked(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_measurements(text)


def test_what_was_taken_for_granted_is_said() -> None:
    notes = read_measurements(TABLES["osu_bw CUDA"][0]).notes
    assert any("OSU" in note for note in notes)
    assert any("sizes over rates" in note for note in notes)
    assert "1 rows of size or rate 0 were left out." in read_measurements(TABLES["osu_latency"][0]).notes
