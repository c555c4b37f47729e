import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, MAIN } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { HAS_TERMINAL, inTerminal, type Screen, STYLE } from '../support/terminal.ts';

describe.skipIf(!HAS_TERMINAL)('on a terminal', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await makeSharedInstallation('civic-terminal-');
    await (await installation.start({ sample: 'on' })).stop();
  });
  afterAll(() => installation.close());

  const run = (
    args: readonly string[],
    terminal: { readonly columns?: number; readonly env?: Readonly<Record<string, string>> } = {},
  ) =>
    inTerminal([process.execPath, MAIN, ...args], {
      columns: terminal.columns ?? 80,
      cwd: installation.folder,
      env: installation.environment({ TERM: 'xterm-256color', ...terminal.env }),
    });
  const fields = ({ screen }: Screen): readonly string[] =>
    screen.flatMap((line) => /^(\w+) {2,}\S/.exec(line)?.[1] ?? []);

  test('no line of a result is lost to the progress bar, which shows a total', async () => {
    const file = join(installation.folder, 'whole.backup.gz');
    const screen = await run(['backup', '--to', file]);
    expect(fields(screen)).toEqual(['file', 'bytes', 'backupId', 'feedId', 'createdAt', 'head', 'events', 'payments']);
    expect(screen.raw).toMatch(/\[#{20}\] 100 % of \d+ events/);
    const verified = await run(['backup', 'verify', file]);
    expect(fields(verified).slice(0, 3)).toEqual(['backupId', 'createdAt', 'software']);
    expect(verified.raw).toContain('[');
  });

  test.each([80, 100, 160])('a table fits %i columns', async (columns) => {
    const { exitCode, screen } = await run(['projections', 'list'], { columns });
    expect(exitCode).toBe(0);
    expect(screen.join('\n')).toContain('record_history');
    expect(Math.max(...screen.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  const WARNED = { CIVIC_HTTP_PROT: '1', CIVIC_LOG_FORMAT: 'pretty' };
  test('TERM=dumb and NO_COLOR leave out what they forbid', async () => {
    expect((await run(['accounts', 'list'], { env: WARNED })).raw).toMatch(STYLE);
    const plain = await run(['accounts', 'list'], { env: { ...WARNED, NO_COLOR: '1' } });
    expect(plain.raw).toContain('CIVIC_HTTP_PROT');
    expect(plain.raw).not.toMatch(STYLE);
    const dumb = await run(['backup', '--to', join(installation.folder, 'dumb.gz')], {
      env: { ...WARNED, TERM: 'dumb' },
    });
    expect(fields(dumb)).toContain('events');
    expect(dumb.raw).not.toContain('\u001b');
  });
});
