import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { RecordContent } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { CLASSIFICATION_WORKER, ITEM_DEADLINE_MS, WorkerClassifier } from '../../src/classifier/worker-classifier.ts';
import { AgendaEvents, agendaId } from '../support/agenda-events.ts';
import { openClassification } from '../support/classification.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { longestTurn } from '../support/longest-turn.ts';
import type { Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { untilTrue } from '../support/until-reached.ts';
import { watchAnswers } from '../support/watch-answers.ts';

/**
 * An idle machine answers within 50 ms; a busy one takes its time for other programs. A request without these limits
 * waited for minutes.
 */
const PATIENCE_MS = 3_000;

/** The promise is 50 ms; the collector of memory has its turns too. */
const TURN_MS = 150;

let installation: Installation;
let service: Service;

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-hostile-texts-', { CIVIC_PUBLIC_LIMIT: '1000000/60' });
  service = await installation.start();
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
});

const events = new AgendaEvents();
const GOOD = 'Rezoning of 5 acres at 1201 Main Street from retail to homes.';
const REZONING = 'Rezoning of 5 acres. ';
const times = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

/** Texts that cost a rule that retries at each position the square of their length, or the cube. */
function hostileItems(): readonly StoredEvent[] {
  const spaces = Array.from({ length: 10 }, (_, number) => ({ title: `${REZONING}${times(' ', 7_900)}x${number}` }));
  const marks = ['<!--', '<style>', '&#'].flatMap((mark) =>
    Array.from({ length: 10 }, (_, number) => ({
      title: `${REZONING}${number}`,
      text: `${times(mark, 100_000)}${number}`,
    })),
  );
  const names: readonly Partial<RecordContent<'agenda_items'>>[] = [
    { title: `${REZONING}a`, matterName: `a${times(' ', 100_000)}b` },
    { title: `${REZONING}b`, matterName: `${times('; ', 120_000)}b`, actionText: `Approve ${times('- ', 120_000)}b` },
    { title: `${REZONING}${times('and Main Street at ', 7_000)}`, text: times('motion to approve the ', 300_000) },
    { title: `${REZONING}{\\rtf1 ${times('\\par ', 100_000)}}`, matterType: `Zoning ${times('(', 7_000)}` },
  ];
  return [...spaces, ...marks, ...names].map((content, number) => events.item(`hostile ${number}`, 'session', content));
}

const lineOf = ({ stream, type, data }: StoredEvent): string => {
  const { resource, recordId } = recordOfStream(stream);
  if (type !== RECORD_PUBLISHED) throw new Error('only publications are imported here');
  const {
    id: _id,
    createdAt: _createdAt,
    updatedAt: _updatedAt,
    ...content
  } = JSON.parse(data) as Record<string, unknown>;
  return `${JSON.stringify({ op: 'upsert', resource, id: recordId, data: content })}\n`;
};

test('a service of all roles answers while hostile texts are imported, folded and classified', async () => {
  const lines = [
    ...events.place('sampleton'),
    events.meeting('session', 'sampleton', '2099-02-03T19:00:00.000Z'),
    ...hostileItems(),
    events.item('good', 'session', { title: GOOD }),
  ].map(lineOf);
  const file = join(installation.folder, 'hostile.ndjson');
  writeFileSync(file, lines.join(''));
  const stop = watchAnswers([`${service.opsUrl}/livez`, `${service.baseUrl}/topics.json`, `${service.baseUrl}/`]);
  onTestFinished(async () => void (await stop()));

  const imported = await installation.civic(['records', 'import', file, '--json']);
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(imported.stdout)).toMatchObject({ appended: lines.length });
  const database = new Client(installation.environment()['DATABASE_URL']);
  await database.connect();
  onTestFinished(() => database.end());

  const hits = `select from civic.events where stream like 'agenda_hits-%' and data::text like '%${agendaId('agenda_items', 'good')}%'`;
  await untilTrue('the last item has its hits', async () => (await database.query(hits)).rowCount! > 0);
  const { longestMs, statuses } = await stop();
  expect(statuses).toEqual([200]);
  expect(longestMs).toBeLessThan(PATIENCE_MS);

  // Every text was read in time.
  const unclassified = await installation.civicHere(['reactors', 'unclassified', '--json']);
  expect(JSON.parse(unclassified.stdout)).toEqual([]);
});

nightlyTest('no turn of the event loop is long while hostile texts are written, folded and classified', async () => {
  const database = await startTestDatabase();
  const classification = await openClassification(database.url);
  const { name, formerNames } = topicClassifier();
  const classifier = new WorkerClassifier({
    name,
    formerNames,
    entry: CLASSIFICATION_WORKER,
    clock: systemClock,
    deadlineMs: ITEM_DEADLINE_MS,
  });
  try {
    const topic = events.topic('zoning', { keywords: ['rezoning'] });
    await classification.write(
      topic,
      events.place('sampleton'),
      events.meeting('session', 'sampleton', '2099-02-03T19:00:00.000Z'),
    );
    const { longestMs } = await longestTurn(async () => {
      classification.start({ classifier });
      await classification.write(hostileItems());
      await classification.atRest();
    });
    expect(longestMs).toBeLessThan(TURN_MS);
    expect(new Set((await classification.hits()).map(({ agendaItemId }) => agendaItemId)).size).toBe(
      hostileItems().length,
    );
  } finally {
    await classification.close();
    await classifier.close();
    await database.close();
  }
});
