import { commandsOf, type NamedCommand } from './examples.ts';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow the words of a command. Fixed arguments, such as `bash` of `completion`, count as commands. */
interface Place {
  readonly path: string;
  readonly commands: readonly Candidate[];
  readonly options: readonly (Candidate & { readonly takesValue: boolean })[];
}
interface Candidate {
  readonly word: string;
  readonly meaning: string;
}

function placeOf({ words, command }: NamedCommand): Place {
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return {
    path: words.join(' '),
    commands: [
      ...command.commands.map((child) => ({ word: child.name(), meaning: child.description() })),
      ...choices.map((word) => ({ word, meaning: '' })),
    ],
    options: [...command.options, command.createOption('--help', 'display help for command')].map((option) => ({
      word: option.long ?? option.flags,
      meaning: option.description,
      takesValue: option.required || option.optional,
    })),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const wordsOf = ({ commands, options }: Place): readonly Candidate[] => [...commands, ...options];

/** Moves `at` along the words before the cursor; options, values and files are no commands and change nothing. */
function walk(places: readonly Place[]): string {
  const paths = places.map(({ path }) => quoted(path)).filter((path) => path !== "''");
  return `case "\${at:+$at }$word" in ${paths.join('|')}) at="\${at:+$at }$word" ;; esac`;
}

const bash = (places: readonly Place[]): string => `_civic() {
  local at='' word='' candidates=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do ${walk(places)}; done
  case "$at" in
${places
  .map(
    (place) =>
      `    ${quoted(place.path)}) candidates=${quoted(
        wordsOf(place)
          .map(({ word }) => word)
          .join(' '),
      )} ;;`,
  )
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _civic civic
`;

const described = ({ word, meaning }: Candidate): string => quoted(`${word.replaceAll(':', '\\:')}:${meaning}`);
const zsh = (places: readonly Place[]): string => `#compdef civic
_civic() {
  local at='' word=''
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do ${walk(places)}; done
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) candidates=(${wordsOf(place).map(described).join(' ')}) ;;`).join('\n')}
  esac
  _describe civic candidates || _files
}
if [ "$funcstack[1]" = _civic ]; then _civic "$@"; else compdef _civic civic; fi
`;

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
function fishLines({ path, commands, options }: Place): readonly string[] {
  const when = `-n "__civic_at ${fishQuoted(path)}"`;
  const meaning = (candidate: Candidate) => (candidate.meaning === '' ? '' : ` -d ${fishQuoted(candidate.meaning)}`);
  return [
    ...commands.map((candidate) => `complete -c civic -f ${when} -a ${candidate.word}${meaning(candidate)}`),
    ...options.map((option) => `complete -c civic ${when} -l ${option.word.slice(2)}${option.takesValue ? ' -r' : ''}${meaning(option)}`),
  ];
}
const fish = (places: readonly Place[]): string => `function __civic_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$at $word")
    if contains -- "$next" ${places
      .map(({ path }) => fishQuoted(path))
      .filter((path) => path !== "''")
      .join(' ')}
      set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${places.flatMap(fishLines).join('\n')}
`;

/** A script that completes commands, subcommands and options, made from the commands themselves. It starts no process at a key press. */
export function completionScript(shell: Shell, program: CommandUnknownOpts): string {
  const places = [{ words: [], command: program }, ...commandsOf(program)].map(placeOf);
  return { bash, zsh, fish }[shell](places);
}
