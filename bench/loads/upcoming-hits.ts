import { decodeUpcomingCursor, encodeUpcomingCursor, type UpcomingCursor } from '../../domain/cursor.ts';
import { agendaSize, serveAgenda } from '../rig/agenda.ts';
import { atLeast, atMost, type Bench, bound, count, type Load, type Row } from '../rig/bench.ts';
import { HIT_TOPICS } from '../rig/hit-records.ts';
import type { Generated } from '../rig/load-generator.ts';
import { alternate } from '../rig/measure.ts';
import { startLeastAnswers, startPlainUpcoming } from '../rig/plain-feed.ts';
import { startWorker } from '../rig/processes.ts';
import { uuidOf } from '../rig/records.ts';
import { scoped } from '../rig/scoped.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const PATH = '/api/v1/public/upcoming-agenda-hits';
const CONNECTIONS = 8;
const DEPTH = 50;
/** A cursor to a meeting that has long begun asks for the first page. */
const LONG_AGO: UpcomingCursor = { startsAt: 0, classifiedAt: 0, hitId: uuidOf('place', 0) };

interface Page {
  readonly data: { readonly hits: readonly unknown[]; readonly nextCursor: string | null };
}

async function pageOf(url: string): Promise<Page['data']> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return ((await response.json()) as Page).data;
}

/** The cursor of the page at this depth, found by following those before it. */
async function cursorOfPage(url: string, slug: string, depth: number): Promise<string> {
  let cursor = '';
  for (let page = 1; page < depth; page++) {
    const { nextCursor } = await pageOf(`${url}${PATH}?topicSlug=${slug}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    if (nextCursor === null) throw new Error(`there are ${page} pages of ${slug}`);
    cursor = nextCursor;
  }
  return cursor;
}

let places = 0;
/** A place that nobody has asked for yet, between the hit of the cursor and the next: the page is the same, the question is another. */
const beside = ({ startsAt, classifiedAt }: UpcomingCursor): UpcomingCursor => ({
  startsAt,
  classifiedAt: classifiedAt + 1,
  hitId: uuidOf('place', ++places),
});

type Place = (index: number) => { readonly topic: (typeof HIT_TOPICS)[number]; readonly after: UpcomingCursor };

const ourPath = ({ topic, after }: ReturnType<Place>): string => `${PATH}?topicSlug=${topic.slug}&cursor=${encodeUpcomingCursor(after)}`;
const plainPath = ({ topic, after }: ReturnType<Place>): string =>
  `/upcoming?topic=${topic.id}&startsAt=${after.startsAt}&classifiedAt=${after.classifiedAt}&id=${after.hitId}`;

/** Places in turn over the topics, right after the hit that each topic's page follows. */
const placesAfter =
  (cursors: readonly UpcomingCursor[]): Place =>
  (index) => ({ topic: HIT_TOPICS[index % HIT_TOPICS.length]!, after: beside(cursors[index % cursors.length]!) });

const run = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const hits = agendaSize(bench.size);
    const dataDir = await bench.datasets.hits(hits);
    const service = use(await serveAgenda(dataDir));
    const plain = use(await startPlainUpcoming(dataDir));
    const least = use(await startLeastAnswers(dataDir));
    const worker = use(startWorker(GENERATOR));
    const requests = bench.size === 'full' ? 20_000 : 10_000;
    const asker = (url: string, path: (place: ReturnType<Place>) => string, place: Place) => async (): Promise<number> => {
      const paths = Array.from({ length: requests }, (_, index) => path(place(index)));
      const job = { kind: 'repeat', url, method: 'GET', path: paths, headers: '', bodies: [], connections: CONNECTIONS, requests };
      return requests / (await worker.ask<Generated>(job)).seconds;
    };
    const expectSame = async (place: Place, query: string): Promise<void> => {
      const at = place(0);
      const asked = [
        `${service.url}${PATH}?topicSlug=${at.topic.slug}${query}`,
        `${service.url}${ourPath(at)}`,
        `${plain.url}${plainPath(at)}`,
      ];
      const texts = new Set((await Promise.all(asked.map(pageOf))).map((page) => JSON.stringify(page.hits)));
      if (texts.size > 1) throw new Error('the questions that are measured have other answers than the page has');
    };

    const deep = await Promise.all(HIT_TOPICS.map(({ slug }) => cursorOfPage(service.url, slug, DEPTH)));
    const first = placesAfter([LONG_AGO]);
    const fiftieth = placesAfter(deep.map((cursor) => decodeUpcomingCursor(cursor) as UpcomingCursor));
    await expectSame(first, '');
    await expectSame(fiftieth, `&cursor=${deep[0]!}`);

    const compare = (place: Place) => alternate(bench.rounds, asker(service.url, ourPath, place), asker(plain.url, plainPath, place));
    const rows: Row[] = [];
    for (const [name, place] of [
      ['first page', first],
      [`page ${DEPTH}`, fiftieth],
    ] as const) {
      const { ours, yardstick, ratio, ratios } = await compare(place);
      bench.say(`upcoming, ${name}: ratios ${ratios.join(' ')}`);
      rows.push({
        load: `upcoming hits, ${name}, ${count(hits)} hits, never asked before, ${CONNECTIONS} readers`,
        ours: `${count(ours)} req/s`,
        yardstick: `plain ${count(yardstick)} req/s`,
        ...atLeast(ratio, 0.8),
        details: { ratios },
      });
    }
    const leastWork = await alternate(bench.rounds, asker(least.url, ourPath, first), asker(plain.url, plainPath, first));
    rows.push(bound(`upcoming hits, first page, ${count(hits)} hits`, 'req/s', leastWork));
    const depth = await alternate(bench.rounds, asker(service.url, ourPath, first), asker(service.url, ourPath, fiftieth));
    return [
      ...rows,
      {
        load: `cost of page ${DEPTH} of the upcoming hits`,
        ours: `${(1000 / depth.yardstick).toFixed(3)} ms`,
        yardstick: `first page ${(1000 / depth.ours).toFixed(3)} ms`,
        ...atMost(depth.ratio, 1.2),
        details: { ratios: depth.ratios },
      },
    ];
  });

export const upcomingHits: Load = {
  name: 'upcoming',
  title: 'upcoming hits, first and 50th page, against a plain Fastify and pg query',
  run,
};
