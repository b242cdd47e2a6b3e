"""Shell completion: verbs and their flags from here, groups, options and keys after ``run`` from Hydra."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from assay.errors import AssayError
from assay.run_command import PLAIN, WITH_VALUE

BASH = r"""# assay completion bash: eval "$(assay completion bash)"
_assay() {
  local line="${COMP_LINE:0:$COMP_POINT}" word IFS=$'\n'
  word="${line##* }"
  local found=($(command assay complete-line "$line" 2>/dev/null)) keep=""
  # The shell has split the word at = and :, so what stands before the last of them must not be offered again.
  case "$word" in
    *[=:]*) keep="${word%"${word##*[=:]}"}" ;;
  esac
  COMPREPLY=("${found[@]#"$keep"}")
  if [ "${#COMPREPLY[@]}" -eq 1 ]; then
    case "${COMPREPLY[0]}" in
      *[=./]) compopt -o nospace 2>/dev/null ;;
    esac
  fi
}
complete -o bashdefault -o default -F _assay assay
"""

ZSH = r"""#compdef assay
# assay completion zsh: eval "$(assay completion zsh)"
_assay() {
  local -a found
  found=("${(@f)$(command assay complete-line "${LBUFFER}" 2>/dev/null)}")
  found=(${found:#})
  compadd -Q -S '' -- $found
}
compdef _assay assay
"""

FISH = r"""# assay completion fish: assay completion fish | source
complete -c assay -f -a '(command assay complete-line (commandline -cp) 2>/dev/null)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def script(shell: str) -> str:
    """The completion script for ``shell``.

    Raises
    ------
    AssayError
        There is none for it.
    """
    if shell not in SCRIPTS:
        raise AssayError(f"completion: {shell!r} is no shell that is known; give one of {', '.join(SCRIPTS)}")
    return SCRIPTS[shell]


def candidates(line: str, verbs: Sequence[str], flags: Sequence[str] = ("--json", "--help")) -> list[str]:
    """What could stand in place of the last word of ``line``, whole words, sorted."""
    words = _split(line)
    last = "" if line.endswith(" ") or len(words) < 2 else words[-1]
    before = words[1:] if line.endswith(" ") or len(words) < 2 else words[1:-1]
    if not before:
        return sorted(verb for verb in verbs if verb.startswith(last))
    if before[0] == "completion":
        return sorted(shell for shell in SCRIPTS if shell.startswith(last))
    if before[0] != "run":
        return sorted(flag for flag in flags if last.startswith("-") and flag.startswith(last))
    if last.startswith("-"):
        return sorted(flag for flag in (*WITH_VALUE, *PLAIN, "--info") if flag.startswith(last))
    return _hydra(last)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _hydra(word: str) -> list[str]:
    from hydra._internal.core_plugins.bash_completion import BashCompletion

    from assay.composition import loader, primary_name

    found = BashCompletion(loader())._query(primary_name(), word)
    return sorted(text for text in found if not text.startswith("hydra") or word.startswith("hydra"))
