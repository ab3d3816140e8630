// cadre completion: the script that a shell loads once. It knows nothing itself: at each Tab it asks `cadre complete-words`
// for what fits, one candidate a line, with a description after a tab.

import { EXIT, fail } from '../../kernel/fault.ts';
import { print } from '../screen/output.ts';

const BASH = `# bash completion for cadre: eval "$(cadre completion bash)"
_cadre() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(cadre complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o bashdefault -F _cadre cadre`;

const ZSH = `#compdef cadre
# zsh completion for cadre: eval "$(cadre completion zsh)" after compinit
_cadre() {
  local line
  local -a candidates
  while IFS= read -r line; do
    candidates+=("\${line%%$'\\t'*}:\${line#*$'\\t'}")
  done < <(cadre complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe cadre candidates; else _files; fi
}
compdef _cadre cadre`;

const FISH = `# fish completion for cadre: cadre completion fish | source
complete -c cadre -a '(cadre complete-words -- (commandline -opc)[2..] "$(commandline -ct)" 2>/dev/null)'`;

const SHELLS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export async function completion(shell: string): Promise<number> {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  print(
    script ??
      fail('usage', `There is completion for ${Object.keys(SHELLS).join(', ')}, not for "${shell.slice(0, 40)}".`),
  );
  return EXIT.answered;
}
