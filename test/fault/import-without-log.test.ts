import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { derivedId } from '../../src/domain/identifiers.ts';
import { untilTrue } from '../support/civic.ts';
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
const stored = (): number => peer.store.records.filter(({ type }) => type === 'RecordPublished').length;

test('an import whose log goes away says that running it again is safe, and run again it continues', async () => {
  const path = join(installation.folder, 'many.ndjson');
  const line = (n: number): string =>
    JSON.stringify({
      op: 'upsert',
      resource: 'documents',
      id: derivedId('import', n),
      data: { kind: 'agenda', title: `Agenda ${n}`, url: 'https://example.org/agenda.pdf' },
    });
  writeFileSync(path, Array.from({ length: LINES }, (_, n) => `${line(n)}\n`).join(''));

  const first = installation.run(['records', 'import', path, '--json']);
  await untilTrue('it has written some', () => stored() > 500);
  await peer.way.goDown();
  const answer = await first.ended;
  await peer.way.comeBack();
  const before = stored();
  expect(before).toBeLessThan(LINES);
  expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
  expect(answer.stderr).toMatch(
    /^civic: the import stopped: [^\n]+; run the same import again, which is safe: it repeats nothing that is stored and continues with the rest\n$/,
  );

  const again = await installation.civicHere(['records', 'import', path, '--json']);
  expect(again).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(again.stdout)).toMatchObject({ read: LINES, appended: LINES - before, unchanged: before, rejected: 0 });
  expect(stored()).toBe(LINES);
});
