/*
 * `hooktape completion`: a script that asks the program for the words that fit. If no word fits, the shell completes files.
 * The script passes the name of its shell, and the program prints words that the script can insert as they are
 * (shell-words.ts).
 */
import { completeCommand, type Run, UsageError } from '../io.ts';

const scripts: Record<string, string> = {
  // Without word splitting, because that would also expand patterns such as * to file names. Bash 3.2 has no mapfile.
  bash: `# bash completion of hooktape
_hooktape() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" ${completeCommand} --shell=bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hooktape hooktape
`,
  zsh: `#compdef hooktape
# zsh completion of hooktape
_hooktape() {
  local -a found
  found=("\${(@f)$("\${words[1]}" ${completeCommand} --shell=zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( \${#found} )); then
    compadd -- "\${found[@]}"
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_hooktape" ]; then
  _hooktape
else
  compdef _hooktape hooktape
fi
`,
  fish: `# fish completion of hooktape
function __hooktape_complete
    set -l typed (commandline -opc) (commandline -ct)
    set -l found ($typed[1] ${completeCommand} --shell=fish $typed[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c hooktape -f -a '(__hooktape_complete)'
`,
  powershell: `# PowerShell completion of hooktape
Register-ArgumentCompleter -Native -CommandName hooktape -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    # Older versions do not pass on empty arguments.
    $current = if ($wordToComplete -eq '') { '""' } else { $wordToComplete }
    & $commandAst.CommandElements[0].Extent.Text ${completeCommand} --shell=powershell @typed $current 2>$null | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`,
};

export const runCompletion: Run = async (given, io) => {
  const shell = given.argument(0);
  const script = scripts[shell];
  if (script === undefined) throw new UsageError(`${shell} is not supported`);
  io.stdout(script);
};
