import { openCivic } from '../../src/app/composition.ts';
import { readSettings } from '../../src/app/settings.ts';
import { Connection } from './http-client.ts';
import { serveJobs } from './processes.ts';
import { agendaItemContent, uuidOf } from './records.ts';

interface VisibilityJob {
  readonly url: string;
  readonly key: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** First index of the records that are written. */
  readonly from: number;
}

export interface Visibility {
  /** Milliseconds from handing a change to the writer until a reader's page contained it, one for each record. */
  readonly fromSent: readonly number[];
  /** The same from the moment at which the append was acknowledged. */
  readonly fromAcknowledged: readonly number[];
}

const TURN_MS = 10;
const TIMEOUT_MS = 20_000;
const PATH = '/api/v1/data/changes?limit=500';

interface Page {
  readonly data: { readonly items: readonly { readonly recordId: string }[] };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

/**
 * Writes at an even pace through the program's writer, in a process that folds nothing, and tails the service's feed at
 * the same time.
 */
serveJobs(async ({ url, key, perSecond, seconds, from }: VisibilityJob): Promise<Visibility> => {
  const civic = await openCivic(readSettings(process.env).settings, 'command', []);
  const connection = new Connection(url);
  const total = perSecond * seconds;
  const appendTimes = new Map<string, number>();
  const acknowledged = new Map<string, number>();
  const visible = new Map<string, number>();
  const readPage = async (cursor: string): Promise<Page> => {
    const { status, body } = await connection.send(
      'GET',
      `${PATH}&cursor=${cursor}`,
      `Authorization: Bearer ${key}\r\n`,
    );
    if (status !== 200) throw new Error(`answered ${status}: ${body.toString('utf8', 0, 300)}`);
    return JSON.parse(body.toString()) as Page;
  };
  const first = await connection.send('GET', PATH, `Authorization: Bearer ${key}\r\n`);
  let { nextCursor, hasMore } = (JSON.parse(first.body.toString()) as Page).meta;
  while (hasMore) ({ nextCursor, hasMore } = (await readPage(nextCursor)).meta);

  const write = async (index: number): Promise<void> => {
    const id = uuidOf('item', index);
    appendTimes.set(id, performance.now());
    const [outcome] = await civic.writer.write(
      [{ op: 'upsert', resource: 'agenda_items', id, content: agendaItemContent(index) }],
      {},
    );
    if (outcome?.kind !== 'appended') throw new Error(`record ${index} was not appended`);
    acknowledged.set(id, performance.now());
  };
  const started = performance.now();
  const writing = (async () => {
    const writes: Promise<void>[] = [];
    while (writes.length < total) {
      const due = Math.min(total, Math.ceil(((performance.now() - started) / 1000) * perSecond));
      while (writes.length < due) writes.push(write(from + writes.length));
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    }
    await Promise.all(writes);
  })();
  const reading = (async () => {
    while (visible.size < total) {
      if (performance.now() - started > seconds * 1000 + TIMEOUT_MS)
        throw new Error(`only ${visible.size} of ${total} became visible`);
      const { data, meta } = await readPage(nextCursor);
      const now = performance.now();
      for (const { recordId } of data.items) visible.set(recordId, now);
      nextCursor = meta.nextCursor;
      if (data.items.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  await Promise.all([writing, reading]).finally(() => connection.close());
  await civic.close();
  const since = (times: Map<string, number>) => [...times].map(([id, time]) => visible.get(id)! - time);
  return { fromSent: since(appendTimes), fromAcknowledged: since(acknowledged) };
});
