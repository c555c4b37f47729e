import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilTrue } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { valueOf } from '../support/inlet.ts';
import { type KurrentPeer, startKurrentPeer } from '../support/kurrent-peer.ts';
import { type Installation, makeInstallation } from '../support/service.ts';

let peer: KurrentPeer;
let installation: Installation;
beforeAll(async () => {
  peer = await startKurrentPeer();
  installation = makeInstallation('civic-import-', { EVENTSTORE_URL: peer.url });
});
afterAll(async () => {
  await installation.close();
  await peer.stop();
});

const LINES = 4_000;
const STOPPED =
  /^civic: the import stopped: [^\n]+; run the same import again, which is safe: it repeats nothing that is stored and continues with the rest\n$/m;
const stored = (): number => peer.store.records.filter(({ type }) => type === 'RecordPublished').length;

test('an import that loses its log says that it can be repeated, and continues when it is run again', async () => {
  const path = join(installation.folder, 'many.ndjson');
  const line = (number: number): string => valueOf(upsert('documents', number, 1));
  writeFileSync(path, Array.from({ length: LINES }, (_, n) => `${line(n)}\n`).join(''));

  const first = installation.run(['records', 'import', path, '--json']);
  await untilTrue('it has written some', () => stored() > 500);
  await peer.way.goDown();
  const answer = await first.ended;
  await peer.way.comeBack();
  const before = stored();
  expect(before).toBeLessThan(LINES);
  expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
  expect(answer.stderr).toMatch(STOPPED);

  // The database may also be lost on a busy machine; the expectation is the same.
  const runAgain = () => installation.civicHere(['records', 'import', path, '--json']);
  let again = await runAgain();
  for (let tries = 0; STOPPED.test(again.stderr) && tries < 5; tries += 1) again = await runAgain();
  expect(again.exitCode).toBe(0);
  const { read, appended, unchanged, rejected } = JSON.parse(again.stdout) as Record<string, number>;
  expect({ read, rejected, kept: appended! + unchanged! }).toEqual({ read: LINES, rejected: 0, kept: LINES });
  expect(unchanged).toBeGreaterThanOrEqual(before);
  expect(stored()).toBe(LINES);
});
