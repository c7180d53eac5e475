import { type Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type Invocation } from '../invocation.js';

/** `completion <shell>`: the script for a shell. It asks the hidden command `complete` at each press of the tab key. */
export function printScript({ output }: Invocation, shell: string, program: Command): Promise<ExitCode> {
  output.text(shell === 'bash' ? BASH : shell === 'zsh' ? ZSH : FISH + filesInFish(program));
  return Promise.resolve(EXIT.done);
}

const BASH = `# Completion of elasticjob in bash.
_elasticjob() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _elasticjob elasticjob
`;

const ZSH = `#compdef elasticjob
# Completion of elasticjob in zsh.
_elasticjob() {
  local -a candidates
  local word description
  while IFS=$'\\t' read -r word description; do
    candidates+=("\${word//:/\\\\:}:$description")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then _describe elasticjob candidates; else _files; fi
}
if [ "$funcstack[1]" = _elasticjob ]; then _elasticjob "$@"; else compdef _elasticjob elasticjob; fi
`;

const FISH = `# Completion of elasticjob in fish.
function __elasticjob_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c elasticjob -f -a '(__elasticjob_complete)'
`;

function filesInFish(program: Command): string {
  return program.options
    .filter(({ flags, long }) => flags.endsWith('<file>') && long !== undefined)
    .map(({ long = '' }) => `complete -c elasticjob -l ${long.slice(2)} -r -F\n`)
    .join('');
}
