import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DataReport } from '../../contract/data-report.ts';
import { agendaItemId } from '../../src/sources/agendas/own-records.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { STALL_MS } from '../support/until-reached.ts';

const RECORDINGS =
  process.env['LEGISTAR_RECORDINGS'] ?? fileURLToPath(new URL('../../../shared/data/legistar-api', import.meta.url));
const CLIENT = 'cityofdallas';
const there = existsSync(join(RECORDINGS, CLIENT, 'events.json'));
const EVENTS = 12;

interface Row {
  readonly EventId: number;
  readonly EventDate: string;
  readonly EventInSiteURL: string;
}
interface ItemRow {
  readonly EventItemId: number;
  readonly EventItemTitle: string | null;
  readonly EventItemMatterFile: string | null;
  readonly EventItemAgendaSequence: number | null;
}

describe.skipIf(!there)('with recordings of Dallas (set LEGISTAR_RECORDINGS to their folder to run these)', () => {
  let installation: Installation;
  let service: Service;
  let key: string;
  let folder: string;
  let events: readonly Row[];

  const itemsOf = (event: Row) =>
    JSON.parse(
      readFileSync(join(RECORDINGS, CLIENT, 'eventitems', `${event.EventId}.json`), 'utf8'),
    ) as readonly ItemRow[];
  /** Numbered items with long titles that are unique in these meetings: notices without a number are not published as items. */
  const telling = (): readonly { readonly event: Row; readonly item: ItemRow }[] => {
    const all = events.flatMap((event) => itemsOf(event).map((item) => ({ event, item })));
    const times = new Map<string, number>();
    for (const { item } of all) times.set(item.EventItemTitle ?? '', (times.get(item.EventItemTitle ?? '') ?? 0) + 1);
    return all.filter(
      ({ item }) =>
        item.EventItemAgendaSequence !== null &&
        item.EventItemMatterFile !== null &&
        (item.EventItemTitle ?? '').length > 80 &&
        times.get(item.EventItemTitle!) === 1,
    );
  };
  const sync = async () => {
    const answer = await installation.civicHere([
      'sources',
      'sync',
      'legistar',
      '--client',
      CLIENT,
      '--from',
      folder,
      '--since',
      '2020-01-01',
      '--json',
    ]);
    expect(answer).toMatchObject({ exitCode: 0 });
    return JSON.parse(answer.stdout) as { readonly appended: number };
  };
  let submissions = 0;
  const submit = async (body: object): Promise<string> => {
    submissions += 1;
    const answer = await fetch(`${service.baseUrl}/api/v1/data-reports`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': `recorded-${submissions}`,
      },
      body: JSON.stringify(body),
    });
    const { data } = (await answer.json()) as { data: { reportId: string } };
    expect(answer.status).toBe(202);
    return data.reportId;
  };
  /** The report as its customer sees it, once it is in one of the statuses. */
  const once = async (reportId: string, ...statuses: readonly string[]): Promise<DataReport> => {
    const deadline = performance.now() + STALL_MS;
    for (;;) {
      const answer = await service.fetch(`/api/v1/data-reports/${reportId}`, { key });
      const { data } = (await answer.json()) as { data: DataReport };
      if (statuses.includes(data.status)) return data;
      if (performance.now() > deadline) throw new Error(`the report is still ${JSON.stringify(data)}`);
      // A customer may read thirty times a minute.
      await after(2_500);
    }
  };

  beforeAll(async () => {
    const all = JSON.parse(readFileSync(join(RECORDINGS, CLIENT, 'events.json'), 'utf8')) as readonly Row[];
    events = all.slice(0, EVENTS);
    folder = mkdtempSync(join(tmpdir(), 'civic-recordings-'));
    mkdirSync(join(folder, CLIENT, 'eventitems'), { recursive: true });
    writeFileSync(join(folder, CLIENT, 'events.json'), JSON.stringify(events));
    cpSync(join(RECORDINGS, CLIENT, 'bodies.json'), join(folder, CLIENT, 'bodies.json'));
    for (const { EventId: id } of events) {
      cpSync(join(RECORDINGS, CLIENT, 'eventitems', `${id}.json`), join(folder, CLIENT, 'eventitems', `${id}.json`));
    }
    installation = makeInstallation('civic-reports-');
    service = await installation.start();
    key = await installation.openAccount();
    const { appended } = await sync();
    if (appended < 100) throw new Error(`only ${appended} records were synced`);
  });
  afterAll(async () => {
    await service?.stop();
    await installation?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test('a report about an existing item is closed as already available with that item', async () => {
    const { event, item } = telling()[0]!;
    const expectedRecord = item.EventItemTitle!.slice(0, 1000);
    const reports = [
      await submit({ sourceUrl: event.EventInSiteURL, expectedRecord, jurisdictionSlug: 'dallas' }),
      await submit({
        sourceUrl: event.EventInSiteURL,
        expectedRecord: 'An item',
        sourceRecordId: String(item.EventItemId),
      }),
      await submit({
        sourceUrl: `https://${CLIENT}.legistar.com/LegislationDetail.aspx?ID=1`,
        expectedRecord,
        jurisdictionSlug: 'dallas',
        recordDate: event.EventDate.slice(0, 10),
      }),
    ];
    for (const reportId of reports) {
      const report = await once(reportId, 'already_available');
      expect(report.verifiedRecords.map(({ itemId }) => itemId)).toEqual([agendaItemId(CLIENT, item.EventItemId)]);
      expect(report.verifiedRecords[0]!.sourceUrl).toBe(event.EventInSiteURL);
      expect(report).not.toHaveProperty('nextCheckAt');
    }
  });

  test('a report about an item that is removed and synced later is resolved with that item', async () => {
    const { event, item } = telling()[1]!;
    const id = agendaItemId(CLIENT, item.EventItemId);
    const removal = `${JSON.stringify({ op: 'remove', resource: 'agenda_items', id, reason: 'for a trial' })}\n`;
    expect(await installation.civicHere(['records', 'import', '-'], { input: removal })).toMatchObject({ exitCode: 0 });
    const reportId = await submit({
      sourceUrl: event.EventInSiteURL,
      expectedRecord: item.EventItemTitle!.slice(0, 1000),
      jurisdictionSlug: 'dallas',
      recordDate: event.EventDate.slice(0, 10),
    });
    expect(await once(reportId, 'investigating')).toMatchObject({ verifiedRecords: [] });
    expect((await sync()).appended).toBeGreaterThan(0);
    const report = await once(reportId, 'resolved');
    expect(report.verifiedRecords.map(({ itemId }) => itemId)).toEqual([id]);
    const output = await installation.civicHere(['reports', 'show', reportId, '--json']);
    const { history } = JSON.parse(output.stdout) as { history: readonly { what: string }[] };
    expect(history.map(({ what }) => what).filter((what) => what.includes('->'))).toEqual([
      'received -> investigating',
      'investigating -> resolved',
    ]);
  });
});
