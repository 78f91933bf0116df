# Completion of quire's command line for bash. SPDX-License-Identifier: MIT
_quire() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local verbs="sum asum dot nrm2 mean sumsq variance stddev average covariance correlation cumsum describe"
    verbs="$verbs accumulate merge round info help"
    local types="f16 bf16 f32 f64 e5m2 e4m3" integers="i8 i16 i32 i64 u8 u16 u32 u64"
    local reading="--type --column --delimiter --decimal --missing --skip-nan --threads --tier --help" options=
    local reducing="$reading --result --result-type --rounding --axis --rows --segments --by --output --verbose --json"
    reducing="$reducing --device"
    COMPREPLY=()
    if [ "$word" = = ]; then word=; fi # bash cuts --method=exact at its =
    if [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$verbs --help --version" -- "$word"))
        return
    fi
    case $before in
    --type) COMPREPLY=($(compgen -W "$types $integers" -- "$word")) && return ;;
    --result | --result-type) COMPREPLY=($(compgen -W "$types" -- "$word")) && return ;;
    --method) COMPREPLY=($(compgen -W "exact kahan pairwise plain all" -- "$word")) && return ;;
    --rounding) COMPREPLY=($(compgen -W "nearest down up zero" -- "$word")) && return ;;
    --operation) COMPREPLY=($(compgen -W "sum asum dot nrm2 mean variance stddev sumsq" -- "$word")) && return ;;
    --tier) COMPREPLY=($(compgen -W "portable avx2 avx512 best" -- "$word")) && return ;;
    --device) COMPREPLY=($(compgen -W "cpu cuda" -- "$word")) && return ;;
    --missing) COMPREPLY=($(compgen -W "skip nan error" -- "$word")) && return ;;
    --column | --delimiter | --decimal | --by | --correction | --axis | --rows | --threads) return ;;
    help) COMPREPLY=($(compgen -W "$verbs" -- "$word")) && return ;;
    esac
    case $verb in
    sum | asum | nrm2 | mean | sumsq) options="$reducing --method --total" ;;
    dot) options="$reducing --method" ;;
    average) options="$reducing --weights" ;;
    covariance) options="$reducing --correction" ;;
    correlation) options="$reducing" ;;
    cumsum)
        options="--type --column --delimiter --decimal --missing --threads --tier --help --result --result-type"
        options="$options --rounding --axis --by --exclusive --output --verbose --json --device"
        ;;
    variance | stddev) options="$reducing --correction --total" ;;
    describe) options="$reading --result --result-type --rounding --by --correction --total --json" ;;
    accumulate) options="$reading --operation --output --verbose --device" ;;
    merge) options="--output --help" ;;
    round) options="--result --result-type --rounding --correction --operation --verbose --json --help" ;;
    info) options="--json --help" ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [ "$verb" != info ]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -F _quire quire
