import { describe, expect, test } from 'vitest';
import { examplesOf } from '../../src/cli/examples.ts';
import { leaves, NO_CONTEXT, programAlone } from '../support/commands.ts';
import { openCitiesSite } from '../../src/sources/opencities/source.ts';
import { SOURCES } from '../../src/sources/sources.ts';
import { techSharePortal } from '../../src/sources/techshare/source.ts';
import { createProgram } from '../../src/cli/program.ts';

const commands = leaves(await programAlone());

/** Splits the command like a shell, without redirections. */
const wordsOf = (line: string): readonly string[] =>
  [...line.replace(/ (?:>>?|<) \S+$/, '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!);

test.each(commands.map(({ words }) => words.join(' ')))('the help of `civic %s` has an example', async (name) => {
  const output: string[] = [];
  const stdout = { write: (text: string) => output.push(text) } as unknown as NodeJS.WriteStream;
  const program = await createProgram({ ...NO_CONTEXT, stdout });
  await expect(program.parseAsync([...name.split(' '), '--help'], { from: 'user' })).rejects.toMatchObject({
    exitCode: 0,
  });
  expect(output.join('')).toMatch(new RegExp(`\\nExamples:\\n {2}civic ${name}`));
});

test('the examples of a source name a client that this source accepts', () => {
  const clientsOf = (name: string) =>
    ['add', 'sync', 'remove']
      .flatMap((verb) => examplesOf(['sources', verb, name]))
      .map((line) => / --client (\S+)/.exec(line)![1]!);
  for (const name of Object.keys(SOURCES)) expect([name, clientsOf(name).length]).toEqual([name, 4]);
  for (const client of clientsOf('techshare')) expect(techSharePortal(client)).toBeDefined();
  for (const [client] of examplesOf(['sources', 'sync', 'opencities']).map((line) => /[0-9a-f-]{36}/.exec(line)!)) {
    expect(openCitiesSite(client)).toBe('https://www.fortworthtexas.gov');
  }
});

describe('the example', () => {
  test.each(commands.flatMap(({ words }) => examplesOf(words).map((line) => [line, words.join(' ')] as const)))(
    '%s can be parsed',
    async (line, name) => {
      const ran: string[] = [];
      const program = await programAlone();
      for (const { words, command } of leaves(program)) command.action(() => void ran.push(words.join(' ')));
      await program.parseAsync(wordsOf(line).slice(1), { from: 'user' });
      expect(ran).toEqual([name]);
    },
  );
});
