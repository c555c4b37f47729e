import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const LOGGING = new URL('../../infra/system/logging.ts', import.meta.url).href;
const LINES = 20_000;
const PROGRAM = `
  import { once } from 'node:events';
  import { createLogger } from '${LOGGING}';
  const logger = createLogger('info', 'json', true);
  for (let line = 0; line < ${LINES}; line += 1) {
    logger.info({ line, text: 'x'.repeat(200) }, 'filling the pipe');
    if (line % 100 === 0) await new Promise(setImmediate);
  }
  process.stdout.write('all logged\\n');
  await once(process.stdin.resume(), 'end');
  logger.info({}, 'the last line');
`;

test('a reader of the log that stops reading stops no program, and what was dropped is counted', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { stdio: 'pipe' });
  const ended = once(child, 'exit');
  try {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toBe('all logged\n');
    const log = text(child.stderr);
    child.stdin.end();
    const lines = (await log)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly lines?: number });
    const fillers = lines.filter(({ msg }) => msg === 'filling the pipe').length;
    const dropped = lines.reduce((sum, line) => sum + (line.lines ?? 0), 0);
    expect(dropped).toBeGreaterThan(0);
    expect(fillers + dropped).toBe(LINES);
    expect(lines.map(({ msg }) => msg)).toContain('the last line');
    expect((await ended)[0]).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});

test.each(['await new Promise((resolve) => setTimeout(resolve, 300));', ''])(
  'a full disk under the log stops neither a program nor its end (%j)',
  async (pause) => {
    const program = `
    import { createLogger } from '${LOGGING}';
    const logger = createLogger('info', 'json', true);
    logger.info({}, 'refused');
    ${pause}
    process.stdout.write('alive\\n');
    logger.info({}, 'the last line');
    process.exit(3);
  `;
    const full = openSync('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['ignore', 'pipe', full],
      });
      const output = text(child.stdout!);
      expect((await once(child, 'exit'))[0]).toBe(3);
      expect(await output).toBe('alive\n');
    } finally {
      closeSync(full);
    }
  },
);

test('lines that wait at an exit are written', async () => {
  const program = `
    import { createLogger } from '${LOGGING}';
    const logger = createLogger('info', 'json', true);
    for (let line = 0; line < 100; line += 1) logger.info({ line }, 'one of many');
    process.exit(0);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  expect((await text(child.stderr)).match(/one of many/g)).toHaveLength(100);
});
