import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { completionScript, type Shell, SHELLS } from '../../src/cli/completion-scripts.ts';
import { programAlone } from '../support/commands.ts';

const program = await programAlone();
const folder = mkdtempSync(join(tmpdir(), 'civic-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isHere = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;
for (const shell of SHELLS) if (!isHere(shell)) process.stderr.write(`skipped: completion of ${shell}, which is not installed\n`);

/** Commands that print the candidates after the words, the last of which is being typed, one on each line. */
const ASKED: Readonly<Record<Shell, (script: string, words: readonly string[]) => readonly string[]>> = {
  bash: (script, words) => [
    '-c',
    `source ${script}; COMP_WORDS=(civic "$@"); COMP_CWORD=${words.length}; _civic; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ],
  // Of zsh's own completion, only what shows the candidates is replaced.
  zsh: (script, words) => [
    '-f',
    '-c',
    `compdef() { :; }; _files() { :; }; _describe() { print -rl -- "\${(@)candidates%%:*}"; }; source ${script}; words=(civic "$@"); CURRENT=${words.length + 1}; _civic`,
    'zsh',
    ...words,
  ],
  fish: (script, words) => ['--no-config', '-c', `source ${script}; complete -C "civic ${words.join(' ')}" | string match -r '^[^\\t]+'`],
};

describe.each(SHELLS.map((shell) => [shell] as const))('%s', (shell) => {
  const script = join(folder, `civic.${shell}`);
  const candidates = (...words: readonly string[]): readonly string[] => {
    writeFileSync(script, completionScript(shell, program));
    const { status, stdout, stderr } = spawnSync(shell, ASKED[shell](script, words), { cwd: folder, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.split('\n').filter((line) => line !== '');
  };

  test.skipIf(!isHere(shell))('completes commands, their subcommands, options and fixed arguments', () => {
    expect(candidates('')).toEqual(expect.arrayContaining(program.commands.map((command) => command.name())));
    expect(candidates('keys', '')).toEqual(expect.arrayContaining(['issue', 'label', 'rotate', 'revoke', 'list']));
    expect(candidates('keys', '')).not.toContain('serve');
    expect(candidates('sources', 'add', '')).toContain('legistar');
    expect(candidates('keys', 'rotate', '--key', 'x', '--')).toEqual(expect.arrayContaining(['--old-valid-for', '--json', '--help']));
    expect(candidates('backup', '--')).toContain('--to');
    expect(candidates('completion', '')).toEqual(expect.arrayContaining([...SHELLS]));
  });
});
