import { canonicalJson } from '../../domain/digests.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { accountReportsStream } from '../../domain/streams.ts';
import { expectedFeed, stateAt, totalsOf } from '../support/expected-feed.ts';
import { reactorsAtRest } from '../support/reactors-at-rest.ts';
import type { Cast } from './actors/cast.ts';
import { Over } from './customer.ts';
import { openLinkedLog } from './linked-log.ts';
import { digestsOf } from './published-feed.ts';
import type { World } from './world.ts';

const MANY_EVENTS = 100_000;

/** Checks after the end of all actors that the copies of the readers, the log and the results of the writers agree. */
export async function checkEverything(
  world: World,
  cast: Cast,
): Promise<{ readonly position: number; readonly events: number }> {
  const { failures, published, installation } = world;
  const never = new AbortController().signal;
  const direct = openLinkedLog(world.database.url);
  const guarded = async (what: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      if (!(error instanceof Over)) failures.add(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  const same = (what: string, one: unknown, other: unknown): void => {
    if (JSON.stringify(one) !== JSON.stringify(other))
      failures.add(`${what}: ${JSON.stringify(one)} is not ${JSON.stringify(other)}`);
  };
  try {
    await reactorsAtRest(installation.dataDir);
    await Promise.all(
      cast.mirrors.map((mirror) =>
        guarded(mirror.name, async () => {
          const customer = cast.customer(`${mirror.name} at the end`, never);
          while (await mirror.step(customer));
        }),
      ),
    );

    const expected = await expectedFeed(direct.log);
    const head = expected.length;
    same('positions that readers have seen', published.whole, head);
    const different = expected.find(({ position, text }) => published.items.get(position)?.text !== text);
    if (different !== undefined)
      failures.add(
        `the log says ${different.text} at ${different.position}, readers ${published.items.get(different.position)?.text}`,
      );
    if (published.items.size !== head) failures.add(`readers have seen ${published.items.size} positions of ${head}`);
    const ours = totalsOf(stateAt(expected, head)).digests;
    const health = JSON.parse(
      (await cast.customer('the end', never).ask({ operation: 'readCivicHealth', path: '/api/v1/data/health' })).text,
    ) as {
      data: { pipeline: { head: { digests: Record<string, string> } } };
    };
    same('digests of health and of the log', health.data.pipeline.head.digests, ours);
    same('digests of the published feed and of the log', digestsOf(published.stateAt(published.whole)), ours);
    for (const mirror of cast.mirrors) {
      const digests = mirror.digests();
      if (mirror.position !== head) failures.add(`${mirror.name} stands at ${mirror.position} and the head is ${head}`);
      const resources = Object.keys(ours).filter(
        (resource) => mirror.resource === null || resource === mirror.resource,
      );
      const wrong = resources.filter((resource) => digests[resource] !== ours[resource]);
      if (wrong.length > 0) failures.add(`${mirror.name} differs in ${wrong.join(', ')}`);
    }
    checkWriters(
      world,
      cast,
      expected.map(({ text }) => text),
    );

    for (const [at, taker] of cast.takers.entries())
      if (taker.compare() > 0) failures.add(`taker ${at + 1} has snapshots beyond the head`);
    for (const replicator of cast.replicators) {
      const { exitCode, stdout, stderr } = await replicator.verify();
      if (exitCode !== 0 || !stdout.includes('"verified":true'))
        failures.add(`${replicator.name}: ${exitCode} ${stderr.slice(-500)}`);
    }
    const exported = await installation.civic(['records', 'export']);
    const records = exported.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { resource: string; id: string; data: unknown });
    same(
      'digests of the export',
      totalsOf(new Map(records.map(({ resource, id, data }) => [`${resource} ${id}`, canonicalJson(data)]))).digests,
      ours,
    );
    const verified = await installation.civic(['projections', 'verify', '--all', '--json']);
    if (verified.exitCode !== 0)
      failures.add(`verify --all: ${verified.stderr.slice(-500)} ${verified.stdout.slice(0, 2000)}`);

    for (const [at, reporter] of cast.reporters.entries()) {
      await guarded(`reporter ${at + 1}`, async () => {
        const customer = cast.customer(`reporter ${at} at the end`, never, cast.keyOf(reporter));
        for (const token of reporter.receipts.keys()) await reporter.send(customer, token);
        const stored = await direct.log.readStream(accountReportsStream(reporter.accountId), NO_STREAM, MANY_EVENTS);
        const submitted = stored.filter(({ type }) => type === 'DataReportSubmitted').map(({ data }) => data);
        for (const [token, { reportId }] of reporter.receipts) {
          const times = submitted.filter((data) => data.includes(`"${token}"`) || data.includes(reportId)).length;
          if (times !== 1) failures.add(`the report of ${token} is in the log ${times} times`);
        }
        if (submitted.length > reporter.sent.length)
          failures.add(`${submitted.length} reports of ${reporter.sent.length} tokens`);
        await reporter.readAll(customer);
      });
    }
    const events = await world.database.query<{ count: string }>('select count(*) from civic.events');
    return { position: head, events: Number(events[0]!.count) };
  } finally {
    await direct.close();
  }
}

/** Every acknowledged change is in the feed exactly as often as it was acknowledged. */
function checkWriters({ failures }: World, { writers, importers }: Cast, feed: readonly string[]): void {
  const times = new Map<string, number>();
  const contents = new Map<string, string | null>();
  for (const text of feed) {
    const item = JSON.parse(text) as {
      resource: string;
      recordId: string;
      operation: string;
      data?: { title?: string };
    };
    const title = item.operation === 'remove' ? null : (item.data?.title ?? '');
    const token = title?.replace('Rezoning of two acres to retail ', '') ?? null;
    if (token !== null) times.set(token, (times.get(token) ?? 0) + 1);
    contents.set(`${item.resource} ${item.recordId}`, token);
  }
  for (const writer of writers) {
    const lostTokens = writer.appended.filter((token) => times.get(token) !== 1);
    if (lostTokens.length > 0)
      failures.add(
        `acknowledged and not in the feed once: ${lostTokens
          .slice(0, 5)
          .map((token) => `${token} (${times.get(token) ?? 0})`)
          .join(', ')}`,
      );
    const twice = [...writer.uncertain].filter((token) => (times.get(token) ?? 0) > 1);
    if (twice.length > 0) failures.add(`uncertain and in the feed more than once: ${twice.slice(0, 5).join(', ')}`);
    const other = [...writer.own].filter(([key, token]) => (contents.get(key) ?? null) !== token);
    if (other.length > 0)
      failures.add(
        `own records hold something else: ${other
          .slice(0, 3)
          .map(([key, token]) => `${key} ${token} ${contents.get(key)}`)
          .join('; ')}`,
      );
  }
  for (const importer of importers) {
    const lostTokens = importer.acknowledged.filter((token) => !times.has(token));
    if (lostTokens.length > 0) failures.add(`imported and not in the feed: ${lostTokens.slice(0, 5).join(', ')}`);
    const repeated = importer.inOneGo.filter((token) => times.get(token) !== 1);
    if (repeated.length > 0)
      failures.add(`imported in one go and not in the feed once: ${repeated.slice(0, 5).join(', ')}`);
    const other = [...importer.own].filter(([id, token]) => (contents.get(`stream_records ${id}`) ?? null) !== token);
    if (other.length > 0) failures.add(`imported records hold something else: ${other.slice(0, 3).join('; ')}`);
  }
}
