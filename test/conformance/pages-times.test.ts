import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { TEST_TIME } from '../support/civic.ts';
import { councilOfDallas, hit, item, meeting, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';

const BODY = '/jurisdictions/dallas/bodies/city-council';

let served: ServedCivic;

beforeAll(async () => {
  served = await serveNewCivic({ CIVIC_PUBLIC_LIMIT: '1000000/60' });
  await write(
    ...councilOfDallas(),
    // The beginning of the day in Dallas.
    meeting('untimed', 0, {
      startsAt: '2026-01-20T06:00:00.000Z',
      startTime: { status: 'not_stated', sourceText: 'after the briefing' },
    }),
    item('untimed', 'untimed', { title: 'A bicycle lane' }),
    hit('untimed', 'untimed', { evidenceQuote: 'A bicycle lane' }),
    meeting('midnight', 0, { startsAt: '2026-01-20T06:00:00.000Z' }),
    meeting('eastern', 0, { startsAt: '2026-02-03T15:00:00.000Z', timezone: 'America/New_York' }),
    item('eastern', 'eastern', { title: 'A ferry pier' }),
    hit('eastern', 'eastern', { evidenceQuote: 'A ferry pier' }),
  );
});
afterAll(async () => served?.close());
beforeEach(() => {
  served.clock.time = Math.max(served.clock.time, TEST_TIME) + 2_000;
});

async function write(...changes: readonly RecordChange[]): Promise<void> {
  await served.civic.writer.write(changes, {});
  await served.civic.caughtUp(await served.civic.log.head());
}
async function textOf(path: string): Promise<string> {
  const answer = await fetch(`${served.baseUrl}${path}`, { headers: { accept: 'text/html' } });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

test.each(['/', '/topics/zoning', '/jurisdictions/dallas', '/search?q=bicycle'])(
  '%s shows a hit of a meeting without a start time by its day',
  async (path) => {
    const page = await textOf(path);
    expect(page).toMatch(
      /City Council, (<a [^>]*>)?<time datetime="2026-01-20">Tuesday, January 20, 2026<\/time> \(time not stated: “after the briefing”\)/,
    );
  },
);

test.each(['/', '/topics/zoning', '/jurisdictions/dallas', '/search?q=ferry'])(
  '%s shows a hit in the time zone of its meeting',
  async (path) => {
    expect(await textOf(path)).toMatch(
      /City Council, (<a [^>]*>)?<time [^>]*>Tuesday, February 3, 2026 at 10:00 AM EST<\/time>/,
    );
  },
);

test('a calendar shows the words of the source in place of a missing time', async () => {
  const answer = await fetch(`${served.baseUrl}${BODY}/calendar.ics`);
  const calendar = await answer.text();
  expect(calendar).toContain('DTSTART;VALUE=DATE:20260120');
  expect(calendar).toContain('DESCRIPTION:Time not stated: “after the briefing”');
});

test('a meeting without a start time is upcoming until the end of its local day, and listed once', async () => {
  const list = async (name: string) => {
    const page = await textOf(BODY);
    const address = `/meetings/${pageRecordId('meetings', name)}`;
    expect(page.split(address)).toHaveLength(2);
    return page.indexOf(address) > page.indexOf('id="last"') ? 'past' : 'upcoming';
  };
  const both = async () => [await list('untimed'), await list('midnight')];
  for (const [time, lists] of [
    ['2026-01-20T05:59:00Z', ['upcoming', 'upcoming']],
    ['2026-01-20T15:00:00Z', ['upcoming', 'past']],
    ['2026-01-21T05:59:00Z', ['upcoming', 'past']],
    ['2026-01-21T06:00:00Z', ['past', 'past']],
  ] as const) {
    served.clock.time = Date.parse(time);
    expect([time, await both()]).toEqual([time, lists]);
    const place = await textOf('/jurisdictions/dallas');
    const upcoming = place.slice(place.indexOf('id="meetings"'), place.indexOf('id="recent"'));
    expect([time, upcoming.includes(pageRecordId('meetings', 'untimed'))]).toEqual([time, lists[0] === 'upcoming']);
  }
});
