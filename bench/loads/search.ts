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
/** Of each kind. */
const WARM_UP = 100;
/** Than a plain query takes. */
const MORE_MS = 3;

/** Makes one query of a kind; the arguments of `word` are the first and the last place of a word in the order of how common words are. */
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

/** A tool call as an agent sends it. Throws where it is refused. */
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

/** One table with the words of each item in a column and an index over it. */
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
  /** Milliseconds of our middle search. */
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
    // Other queries, so that what is measured is compiled code.
    for (const kind of Object.keys(KINDS)) {
      for (const query of queries(kind, many + WARM_UP).slice(many)) await call(connection, key, query);
    }
    const rows: Row[] = [];
    const all: number[] = [];
    for (const kind of Object.keys(KINDS)) {
      const asked = queries(kind, many);
      const ours = async () => {
        const started = performance.now();
        for (const query of asked) all.push((await timed(() => call(connection, key, query))).ms);
        return (many * 1000) / (performance.now() - started);
      };
      const plain = async () => {
        const started = performance.now();
        for (const query of asked) await database.client.query(PLAIN, [query]);
        return (many * 1000) / (performance.now() - started);
      };
      const compared = await alternate(bench.rounds, ours, plain);
      const [mine, theirs] = [1000 / compared.ours, 1000 / compared.yardstick];
      bench.say(`${count(items)} items, ${kind}: ${mine.toFixed(1)} ms, plain ${theirs.toFixed(1)} ms`);
      rows.push({
        load: `search for ${kind}, ${count(items)} items`,
        ours: `${mine.toFixed(1)} ms`,
        yardstick: `plain ${theirs.toFixed(1)} ms`,
        ...atMost(mine - theirs, MORE_MS, ' ms more'),
        details: { ratios: compared.ratios },
      });
    }
    const p99 = percentile(all, 0.99);
    rows.push({
      load: `search, 99 of 100, ${count(items)} items`,
      ours: `${p99.toFixed(0)} ms`,
      yardstick: '-',
      ...atMost(p99, 100, ' ms'),
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
