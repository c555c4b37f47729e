import { join } from 'node:path';
import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import type { Generated, RepeatJob, ReplayJob } from '../rig/load-generator.ts';
import { alternate, type Compared } from '../rig/measure.ts';
import { peerProgram } from '../rig/peers.ts';
import { fillPlainFeed } from '../rig/plain-feed.ts';
import { startWorker, type Worker } from '../rig/processes.ts';
import { agendaItemContent, uuidOf, writeImportFile } from '../rig/records.ts';
import { scoped } from '../rig/scoped.ts';
import { unreadPaths } from '../rig/unread-paths.ts';
import { civic, serve } from '../rig/service.ts';
import { startProgram } from '../rig/yardstick-program.ts';

const GENERATOR = new URL('../rig/load-generator.ts', import.meta.url);
const DOCUMENTS_A_REQUEST = 500;
const READERS = 8;
const PAGE = 500;

const compared = (load: string, unit: string, peer: string, { ours, yardstick, ratio, ratios }: Compared): Row => ({
  load,
  ours: `${count(ours)} ${unit}`,
  yardstick: `${peer} ${count(yardstick)} ${unit}`,
  ...atLeast(ratio, 1),
  details: { ratios },
});

/** Records per second of `records import` next to a running service, until every read model has caught up. */
async function importRate(dataDir: string, folder: string, from: number, records: number): Promise<number> {
  const file = join(folder, 'records.ndjson');
  await writeImportFile(file, from, records);
  const { ms } = await civic(dataDir, ['records', 'import', file]);
  return (records / ms) * 1000;
}

/** Records a second of `_bulk_docs`, 500 documents a request, one request after the other as its replicator sends them. */
async function bulkDocsRate(url: string, from: number, records: number): Promise<number> {
  const started = performance.now();
  for (let index = from; index < from + records; index += DOCUMENTS_A_REQUEST) {
    const docs = Array.from({ length: Math.min(DOCUMENTS_A_REQUEST, from + records - index) }, (_, each) => ({
      _id: uuidOf('item', index + each),
      ...agendaItemContent(index + each),
    }));
    const response = await fetch(`${url}/civic/_bulk_docs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ docs }),
    });
    const answers = (await response.json()) as readonly { readonly ok?: boolean }[];
    if (!answers.every(({ ok }) => ok === true)) throw new Error('PouchDB refused a document');
  }
  return (records / (performance.now() - started)) * 1000;
}

const againstPouchDb = (bench: Bench, flush: 'on' | 'off'): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const records = bench.size === 'full' ? 50_000 : 20_000;
    const [dataDir, work, folder] = [bench.datasets.folder(), bench.datasets.folder(), bench.datasets.folder()];
    const program = peerProgram('pouchdb', 'server.mjs', bench.say);
    const pouch = use(await startProgram(program, { FOLDER: folder, FLUSH: flush }));
    await fetch(`${pouch.url}/civic`, { method: 'PUT' });
    use(await serve(dataDir));
    let [serviceRate, peerRate] = [0, 0];
    const rates = await alternate(
      bench.rounds,
      () => importRate(dataDir, work, records * serviceRate++, records),
      () => bulkDocsRate(pouch.url, records * peerRate++, records),
    );
    const name = flush === 'on' ? 'PouchDB, flushed' : 'PouchDB, not flushed';
    bench.say(`import against ${name}: ${rates.ratios.join(' ')}`);
    return [
      compared(`bulk import of ${count(records)} records against _bulk_docs (${name})`, 'records/s', name, rates),
    ];
  });

/** Items per second over all readers, each from the start of the feed, in pages that were never read before. */
function replayRate(worker: Worker, url: string, key: string, records: number): () => Promise<number> {
  const headers = `Authorization: Bearer ${key}\r\n`;
  const paths = unreadPaths('/api/v1/data/changes', PAGE, READERS);
  return async () => {
    const job: ReplayJob = {
      kind: 'replay',
      url,
      path: paths(),
      headers,
      readers: READERS,
      parse: false,
      pages: records,
    };
    const { seconds } = await worker.ask<Generated>(job);
    return (records * READERS) / seconds;
  };
}

const repeatRate =
  (worker: Worker, job: Omit<RepeatJob, 'kind' | 'connections' | 'headers'>) => async (): Promise<number> => {
    const { seconds, requests } = await worker.ask<Generated>({
      kind: 'repeat',
      headers: '',
      connections: READERS,
      ...job,
    } satisfies RepeatJob);
    return (requests * PAGE) / seconds;
  };

const PAGE_QUERY = `query ($after: Cursor) { allFeeds(first: ${PAGE}, after: $after, orderBy: PRIMARY_KEY_ASC) {
  edges { node { position doc } } pageInfo { endCursor hasNextPage } } }`;

/** The same records as pages of one feed: `_changes` with its documents, and a page of a connection. */
const pagesOfPeers = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const records = bench.sizes[1];
    const { dataDir, key } = await bench.datasets.of(records);
    const database = use(await holdDatabase(dataDir));
    await fillPlainFeed(database.client);
    const pouch = use(
      await startProgram(peerProgram('pouchdb', 'server.mjs', bench.say), {
        FOLDER: bench.datasets.folder(),
        FLUSH: 'off',
      }),
    );
    await fetch(`${pouch.url}/civic`, { method: 'PUT' });
    await bulkDocsRate(pouch.url, 0, records);
    const graphile = use(
      await startProgram(peerProgram('postgraphile', 'server.mjs', bench.say), { DSN: database.url }),
    );
    const service = use(await serve(dataDir));
    const worker = use(startWorker(GENERATOR));
    const pages = records / PAGE;
    const requests = 2 * pages;
    const ours = replayRate(worker, service.url, key, records);
    const changes = Array.from(
      { length: pages },
      (_, page) => `/civic/_changes?include_docs=true&limit=${PAGE}&since=${page * PAGE}`,
    );
    const ofPouch = repeatRate(worker, { url: pouch.url, method: 'GET', path: changes, bodies: [], requests });
    const bodies = [];
    for (let after: string | null = null, page = 0; page < pages; page++) {
      const body = JSON.stringify({ query: PAGE_QUERY, variables: { after } });
      bodies.push(body);
      const response = await fetch(`${graphile.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const { data } = (await response.json()) as {
        readonly data: { readonly allFeeds: { readonly pageInfo: { readonly endCursor: string } } };
      };
      after = data.allFeeds.pageInfo.endCursor;
    }
    const ofGraphile = repeatRate(worker, { url: graphile.url, method: 'POST', path: '/graphql', bodies, requests });
    const title = `feed page of ${PAGE}, ${count(records)} records, ${READERS} readers`;
    return [
      compared(
        `${title}, against _changes of PouchDB`,
        'items/s',
        'PouchDB',
        await alternate(bench.rounds, ours, ofPouch),
      ),
      compared(
        `${title}, against a page of PostGraphile`,
        'items/s',
        'PostGraphile',
        await alternate(bench.rounds, ours, ofGraphile),
      ),
    ];
  });

interface Built {
  readonly seconds: number;
  readonly rows: number;
}

/** Builds a read model from the first event: our record history against one plain table of emmett. */
const againstEmmett = (bench: Bench): Promise<readonly Row[]> =>
  scoped(async (use) => {
    const records = bench.sizes[1];
    const { dataDir } = await bench.datasets.of(records);
    // Keeps the server running, so that no turn includes its start.
    use(await holdDatabase(dataDir));
    const database = use(await holdDatabase(bench.datasets.folder()));
    const emmett = use(startWorker(peerProgram('emmett', 'project.mjs', bench.say)));
    const contents = Array.from({ length: records }, (_, index) => ({
      id: uuidOf('item', index),
      ...agendaItemContent(index),
    }));
    await emmett.ask({ kind: 'fill', dsn: database.url, records: contents });
    let turn = 0;
    const built = await alternate(
      bench.rounds,
      async () => {
        const [{ folded, seconds }] = (await civic(dataDir, ['projections', 'rebuild', 'record_history']))
          .value as readonly [{ readonly folded: number; readonly seconds: number }];
        return folded / seconds;
      },
      async () => {
        const { seconds, rows } = await emmett.ask<Built>({
          kind: 'build',
          dsn: database.url,
          name: `bench_${++turn}`,
        });
        if (rows !== records) throw new Error(`emmett holds ${rows} of ${records} records`);
        return rows / seconds;
      },
    );
    return [
      compared(`rebuild of ${count(records)} records, against a projection of emmett`, 'events/s', 'emmett', built),
    ];
  });

async function run(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  rows.push(...(await againstPouchDb(bench, 'off')));
  rows.push(...(await againstPouchDb(bench, 'on')));
  rows.push(...(await pagesOfPeers(bench)));
  rows.push(...(await againstEmmett(bench)));
  return rows;
}

export const peers: Load = { name: 'peers', title: 'the same records in PouchDB, PostGraphile and emmett', run };
