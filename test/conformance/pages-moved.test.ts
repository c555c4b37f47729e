import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { councilOfDallas, pageRecord, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  await write(...councilOfDallas());
  await write(renamedTo('common-council'));
});
afterAll(async () => served?.close());

async function write(...changes: readonly RecordChange[]): Promise<void> {
  await served.civic.writer.write(changes, {});
  await served.civic.caughtUp(await served.civic.log.head());
  served.clock.time += 2_000;
}

function renamedTo(slug: string, name = 'council'): RecordChange {
  const body = {
    jurisdictionId: pageRecordId('jurisdictions', 'dallas'),
    slug,
    name: 'City Council',
    bodyType: 'governing_body',
    actingBodyRole: 'final_decision_maker',
    timezone: 'America/Chicago',
    active: true,
  } as const;
  return pageRecord('public_bodies', name, body);
}

const ask = (path: string) =>
  fetch(`${served.baseUrl}${path}`, { redirect: 'manual', headers: { accept: 'text/html' } });
const pathsOf = (slug: string) => [
  `/jurisdictions/dallas/bodies/${slug}`,
  `/jurisdictions/dallas/bodies/${slug}/calendar.ics`,
];

test('page and calendar of a former slug lead to those of the present one, and may be cached for a short time', async () => {
  const [former, present] = [pathsOf('city-council'), pathsOf('common-council')];
  for (const [index, path] of former.entries()) {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([301, present[index]]);
    expect(answer.headers.get('cache-control')).toBe('public, s-maxage=60, stale-while-revalidate=300');
    expect((await ask(present[index]!)).status).toBe(200);
  }
});

test('a slug that no body had is not found, and one that another body takes is its own', async () => {
  for (const path of pathsOf('unknown')) expect((await ask(path)).status).toBe(404);
  await write(renamedTo('city-council', 'other'));
  for (const path of pathsOf('city-council')) expect((await ask(path)).status).toBe(200);
});
