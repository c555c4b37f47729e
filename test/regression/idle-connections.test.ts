import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdmissionBench, openAdmissionBench } from '../support/admission.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { isWholeResponse, rawConnection } from '../support/http-raw.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

let bench: AdmissionBench;
let edge: HttpEdge;
beforeAll(async () => {
  bench = await openAdmissionBench(Date.parse('2026-03-01T12:00:00.000Z'));
  edge = await startHttpEdge({ admission: bench.admission() });
});
afterAll(async () => {
  await edge?.close();
  await bench?.close();
});

test('an idle connection does not keep the page that it has read', async () => {
  const references: WeakRef<object>[] = [];
  edge.answerWith({
    readCivicChanges: async () => {
      const page = { text: '{}', items: 0 };
      references.push(new WeakRef(page));
      return page;
    },
  });
  const { key } = await bench.open();
  await bench.caughtUp();
  const raw = await rawConnection(edge.port);
  for (let read = 1; read <= 2; read += 1) {
    const before = raw.received().length;
    raw.send(`GET /api/v1/data/changes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`);
    await raw.until((received) => isWholeResponse(received.slice(before)));
  }
  edge.answerWith(EMPTY_ANSWERS);
  await expect
    .poll(
      () => {
        collect();
        return references.filter((page) => page.deref() !== undefined).length;
      },
      { timeout: 60_000 },
    )
    .toBe(0);
  expect(references.length).toBeGreaterThanOrEqual(2);
  raw.socket.destroy();
});
