import type { Client } from 'pg';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { serveAgenda } from '../rig/agenda.ts';
import { atMost, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import type { Dataset } from '../rig/datasets.ts';
import { Connection } from '../rig/http-client.ts';
import { alternate, growthExponent, median, percentile, timed } from '../rig/measure.ts';
import { scoped } from '../rig/scoped.ts';
import { numbers, wordAt } from '../rig/search-records.ts';

const PAGE = 10;
const SEED = 20_260_101;
/** Unmeasured queries of each kind. */
const WARM_UP = 100;
/** Targets: the median for each kind of words, and the 99th percentile over all kinds. */
const WORDS_P50_MS = 15;
const LARGEST_SMALL_SET = 100_000;
const [SMALL_P99_MS, LARGE_P99_MS] = [120, 500];

/** Makes one query of a kind. `word` picks a word between two ranks; rank 0 is the most common word. */
type Make = (word: (from: number, to: number) => string) => string;

const KINDS: Readonly<Record<string, Make>> = {
  'a rare word': (word) => word(5000, 50_000),
  'a word': (word) => word(100, 1000),
  'two words': (word) => `${word(20, 500)} ${word(100, 3000)}`,
  'three words': (word) => `${word(0, 100)} ${word(50, 500)} ${word(50, 500)}`,
  'a phrase': (word) => `"${word(0, 30)} ${word(0, 30)}"`,
  'a common word': (word) => word(0, 10),
};

function queries(kind: string, many: number): readonly string[] {
  const random = numbers(SEED + kind.length);
  const word = (from: number, to: number) => wordAt(from + Math.floor(random() * (to - from)));
  return Array.from({ length: many }, () => KINDS[kind]!(word));
}

/** Sends a tool call like an agent. Throws for an error. */
async function call(connection: Connection, key: string, query: string): Promise<void> {
  const headers = `Authorization: Bearer ${key}\r\nAccept: application/json, text/event-stream\r\n`;
  const params = { name: 'search_agenda', arguments: { query, limit: PAGE } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const answer = await connection.send('POST', '/api/v1/mcp', headers, body);
  const text = answer.body.toString();
  if (answer.status !== 200 || !text.includes('"structuredContent"') || text.includes('"isError":true')) {
    throw new Error(`search_agenda answered ${answer.status} ${text.slice(0, 300)}`);
  }
}

const YARDSTICK = 'yardstick_search';
const PLAIN = `select t.item_id, t.title, t.place, t.starts_at, t.source_url, ts_headline('pg_catalog.english', t.text, q.query), ts_rank(t.words, q.query) as rank
  from ${YARDSTICK} t, websearch_to_tsquery('pg_catalog.english', $1) as q (query) where t.words @@ q.query order by rank desc, t.starts_at desc limit ${PAGE}`;

/** Creates one table with the words of each item in an indexed column. */
async function makeYardstick(client: Client): Promise<void> {
  const { rows } = await client.query<{ generation: number }>(
    `select live_generation as generation from civic.projections where name = 'agenda_search'`,
  );
  const { items, meetings, bodies, jurisdictions } = AGENDA_SEARCH.at(rows[0]!.generation);
  await client.query(`create table ${YARDSTICK} as
    select i.item_id, i.title, i.text, i.source_url, b.name || ', ' || j.name as place, m.starts_at,
      setweight(to_tsvector('pg_catalog.english', i.title), 'A') || setweight(to_tsvector('pg_catalog.english', b.name || ' ' || j.name), 'C')
      || setweight(to_tsvector('pg_catalog.english', i.text), 'D') as words
    from ${items} i join ${meetings} m on m.meeting_id = i.meeting_id join ${bodies} b on b.body_id = m.body_id
    join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id`);
  await client.query(`create index on ${YARDSTICK} using gin (words)`);
  await client.query(`analyze`);
}

interface AtSize {
  readonly rows: readonly Row[];
  /** Median of our searches, in milliseconds. */
  readonly cost: number;
}

const measure = (bench: Bench, items: number): Promise<AtSize> =>
  scoped(async (use) => {
    const { dataDir, key }: Dataset = await bench.datasets.search(items);
    const service = use(await serveAgenda(dataDir));
    const database = use(await holdDatabase(dataDir));
    await makeYardstick(database.client);
    const connection = new Connection(service.url);
    use({ [Symbol.asyncDispose]: async () => connection.close() });
    const many = bench.size === 'full' ? 20 : 10;
    // Warm up with other queries, so that compiled code is measured.
    for (const kind of Object.keys(KINDS)) {
      for (const query of queries(kind, many + WARM_UP).slice(many)) await call(connection, key, query);
    }
    const rows: Row[] = [];
    const all: number[] = [];
    for (const kind of Object.keys(KINDS)) {
      const measured = queries(kind, many);
      const times: number[] = [];
      const runSearches = async () => {
        const started = performance.now();
        for (const query of measured) times.push((await timed(() => call(connection, key, query))).ms);
        return (many * 1000) / (performance.now() - started);
      };
      const plain = async () => {
        const started = performance.now();
        for (const query of measured) await database.client.query(PLAIN, [query]);
        return (many * 1000) / (performance.now() - started);
      };
      const compared = await alternate(bench.rounds, runSearches, plain);
      all.push(...times);
      const p50 = median(times);
      const [serviceMs, plainMs] = [1000 / compared.ours, 1000 / compared.yardstick];
      bench.say(`${count(items)} items, ${kind}: ${serviceMs.toFixed(1)} ms, plain ${plainMs.toFixed(1)} ms`);
      rows.push({
        load: `search for ${kind}, ${count(items)} items`,
        ours: `p50 ${p50.toFixed(1)} ms, mean ${serviceMs.toFixed(1)} ms`,
        yardstick: `plain ${plainMs.toFixed(1)} ms`,
        ...atMost(p50, WORDS_P50_MS, ' ms'),
        details: { ratios: compared.ratios },
      });
    }
    const p99 = percentile(all, 0.99);
    rows.push({
      load: `search, p99, ${count(items)} items`,
      ours: `${p99.toFixed(0)} ms`,
      yardstick: '-',
      ...atMost(p99, items <= LARGEST_SMALL_SET ? SMALL_P99_MS : LARGE_P99_MS, ' ms'),
    });
    return { rows, cost: median(all) };
  });

async function run(bench: Bench): Promise<readonly Row[]> {
  const points: { readonly size: number; readonly cost: number }[] = [];
  let rows: readonly Row[] = [];
  for (const size of bench.sizes) {
    const at = await measure(bench, size);
    points.push({ size, cost: at.cost });
    ({ rows } = at);
  }
  const exponent = growthExponent(points);
  return rows.map((row, index) => (index === rows.length - 1 ? { ...row, exponent, details: { points } } : row));
}

export const search: Load = {
  name: 'search',
  title: 'search_agenda as a tool call against one plain full-text query, by the kind of words',
  run,
};
