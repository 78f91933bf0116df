#!/bin/sh
# ncu.sh - what the profiler sees of each rung: float, n = 2^24 and 2^28 (or the sizes given), a line a kernel.
#
#   bench/ladder/ncu.sh build/bench/ladder/climb > ladder-ncu.csv
#   bench/ladder/ncu.sh build/bench/ladder/climb 24
#
# Needs ncu (Nsight Compute), whose access to the counters may be for root alone. Clocks are left as they are; the
# caches are flushed before each pass, as ncu does unless told otherwise. A counter that a chip has not is left out,
# with a note.
#
# SPDX-License-Identifier: MIT
set -eu
climb=${1:?usage: ncu.sh CLIMB [LOG2N...]}
shift
[ $# -gt 0 ] || set -- 24 28
command -v ncu >/dev/null || { echo "ncu.sh: no ncu on the path" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# time; launch; branches; shared memory; global memory; caches; DRAM; instructions; occupancy
wanted="gpu__time_duration.sum
launch__grid_size launch__block_size launch__registers_per_thread
smsp__sass_average_branch_targets_threads_uniform.pct smsp__sass_branch_targets_threads_divergent.sum
smsp__thread_inst_executed_per_inst_executed.ratio smsp__thread_inst_executed_pred_on_per_inst_executed.ratio
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sector_hit_rate.pct lts__t_sector_hit_rate.pct
dram__bytes_read.sum dram__bytes_write.sum dram__throughput.avg.pct_of_peak_sustained_elapsed
smsp__inst_executed.sum smsp__inst_issued.sum smsp__issue_active.avg.pct_of_peak_sustained_active
sm__warps_active.avg.pct_of_peak_sustained_active"

ncu --query-metrics >"$work/known" 2>&1 || true
metrics=
for metric in $wanted; do
    case $metric in
    launch__*) ;;
    *) grep -q "^${metric%%.*}[[:space:]]" "$work/known" || { echo "ncu.sh: no counter $metric here" >&2; continue; } ;;
    esac
    metrics=${metrics:+$metrics,}$metric
done

first=yes
for e in "$@"; do
    ncu --clock-control none --profile-from-start off --csv --page raw --print-units base --metrics "$metrics" \
        "$climb" once all f32 "$e" >"$work/$e.out" 2>"$work/$e.err" ||
        { cat "$work/$e.out" "$work/$e.err" >&2; exit 1; }
    python3 "$(dirname "$0")/ncu_rows.py" "$e" $first "$metrics" <"$work/$e.out"
    first=no
done
