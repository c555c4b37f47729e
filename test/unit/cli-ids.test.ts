import { expect, test } from 'vitest';
import { type CliContext, CommandFailed } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';

const refuse = () => Promise.reject(new Error('the program was opened'));
const CONTEXT: CliContext = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  stopping: new AbortController().signal,
  hurrying: new AbortController().signal,
  open: refuse,
  openAhead: refuse,
  openStores: refuse,
  openDocuments: refuse,
  openConnectors: refuse,
  examination: { environment: {}, clock: { now: () => 0 }, probes: refuse },
};

test.each([
  ['keys list --account x', '--account'],
  ['keys revoke --key x', '--key'],
  ['audit --account x', '--account'],
  ['reports list --account x', '--account'],
  ['reports show x', 'the report'],
  ['reports lease x --holder me', 'the report'],
  ['reports move x --holder me --to investigating', 'the report'],
  ['reports note x --holder me --text found', 'the report'],
])('`%s` is refused before the program is opened', async (line, name) => {
  const words = line.split(' ');
  const program = await createProgram(CONTEXT, words[0]);
  const failure: unknown = await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandFailed);
  expect((failure as CommandFailed).message).toBe(`${name} is "x"; allowed is a uuid`);
});
