export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * The completion script of each shell. The first line of the output (`files`, `folders` or `none`) tells the shell which paths to
 * add.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of roux for bash. Add to ~/.bashrc: eval "$(roux completion bash)"
_roux() {
  local lines
  mapfile -t lines < <("\${COMP_WORDS[0]}" completion bash -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  COMPREPLY=("\${lines[@]:1}")
  compopt -o filenames
  case "\${lines[0]}" in
    files) compopt -o default ;;
    folders) compopt -o plusdirs ;;
  esac
  local one
  for one in "\${COMPREPLY[@]}"; do [[ $one == */ || $one == *= ]] || return; done
  ((\${#COMPREPLY[@]} == 0)) || compopt -o nospace
}
complete -F _roux roux
`,
  zsh: `#compdef roux
# Completion of roux for zsh. Add to ~/.zshrc, after compinit: eval "$(roux completion zsh)"
_roux() {
  local -a lines whole open shown open_shown
  local line value
  lines=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in "\${(@)lines[2,-1]}"; do
    value="\${line%%$'\\t'*}"
    if [[ $value == */ || $value == *= ]]; then
      open+=("$value"); open_shown+=("\${line/$'\\t'/  -- }")
    else
      whole+=("$value"); shown+=("\${line/$'\\t'/  -- }")
    fi
  done
  # roux compares names itself, also in another case.
  (( $#whole )) && compadd -U -l -d shown -a whole
  (( $#open )) && compadd -U -l -S '' -d open_shown -a open
  case "\${lines[1]}" in
    files) _files ;;
    folders) _files -/ ;;
  esac
  return 0
}
if [[ \${funcstack[1]} == _roux ]]; then _roux "$@"; else compdef _roux roux; fi
`,
  fish: `# Completion of roux for fish. Write it to ~/.config/fish/completions/roux.fish
function __roux_complete
  set -l before (commandline -opc)
  set -l lines ($before[1] completion fish -- $before (commandline -ct) 2>/dev/null)
  for line in $lines[2..-1]
    echo $line
  end
  switch "$lines[1]"
    case files
      __fish_complete_path (commandline -ct)
    case folders
      __fish_complete_directories (commandline -ct)
  end
end
complete -c roux -f -a '(__roux_complete)'
`,
}

/** Matches the characters in `COMP_WORDBREAKS`. Bash replaces only the text after the last of them. */
const BASH_BREAKS = /[=:@><|&;(]/g

export interface TypedLine {
  readonly words: readonly string[]
  readonly typed: string
  /** Prefix of `typed` that bash keeps, so completions must omit it. */
  readonly keptPrefix: string
}

/** Splits a line at unquoted spaces. The last quote may be open. */
export function readLine(line: string): TypedLine {
  const words: string[] = []
  let word = ''
  let isBegun = false
  let quote = ''
  let prefixLength = 0
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string
    if (quote !== '') {
      if (letter === quote) quote = ''
      else if (letter === '\\' && quote === '"' && /["\\$`]/.test(line[at + 1] ?? '')) word += line[++at]
      else word += letter
    } else if (letter === '"' || letter === "'") {
      quote = letter
      isBegun = true
    } else if (letter === '\\') {
      word += line[++at] ?? ''
      isBegun = true
    } else if (letter === ' ' || letter === '\t') {
      if (isBegun || word !== '') words.push(word)
      word = ''
      isBegun = false
      prefixLength = 0
    } else {
      word += letter
      if (letter.search(BASH_BREAKS) === 0) prefixLength = word.length
    }
  }
  return { words, typed: word, keptPrefix: quote === '' ? word.slice(0, prefixLength) : '' }
}
