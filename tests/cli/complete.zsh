# complete.zsh - what zsh would offer after each line of standard input, where Tab is pressed at its end.
#
#     zsh -f complete.zsh FOLDER        FOLDER holds _quire
#
# Prints each line after "> ", and below it what is offered, one a line. A second zsh, on a terminal of its own, does
# the completing. There compadd, which is told of all that is offered, also writes it down.
#
# SPDX-License-Identifier: MIT

zmodload zsh/zpty || exit 77
work=$(mktemp -d) || exit 1
trap 'zpty -d inner 2>/dev/null; rm -rf $work' EXIT
cat >$work/inner.zsh <<'INNER'
PROMPT= RPROMPT=
autoload -Uz compinit
compinit -u -D
compadd() {
  local -a offered
  # With -O, -A and -D it only fills arrays: of a function that asks what would match.
  if (( ! ${@[(I)-*[OAD]]} )) || [[ ${@[(I)--]} -gt 0 && ${@[(i)-*[OAD]]} -gt ${@[(i)--]} ]]; then
    builtin compadd -A offered "$@"
    print -rl -- $offered >>$WORK/offered
  fi
  builtin compadd "$@"
}
offer() {
  _main_complete
  compstate[insert]= compstate[list]=
  print >$WORK/done
}
zle -C offer complete-word offer
bindkey -e
bindkey '^I' offer
print >$WORK/done
INNER
export WORK=$work TERM=dumb
wait_for_inner() {
  local -i turns=0
  until [[ -s $work/done ]]; do
    zpty -r -t inner >/dev/null
    (( ++turns < 1000 )) || { print -u2 "complete.zsh: no answer to ${1-the first line}"; exit 1 }
    sleep 0.01
  done
  rm -f $work/done
}
zpty -b inner zsh -f -i
zpty -w inner "fpath=(${(q)1} \$fpath); source $work/inner.zsh"
wait_for_inner
while IFS= read -r line; do
  : >$work/offered
  zpty -w -n inner $'\C-u'$line$'\t'
  wait_for_inner $line
  print -r -- "> $line"
  grep . $work/offered | sort -u
done
exit 0
