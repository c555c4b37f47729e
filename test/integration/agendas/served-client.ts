import { type LegistarHttpOptions, legistarHttpReader } from '../../../infra/legistar/http-client.ts';
import { type Connectors, stateOf } from '../../../src/sources/added-sources.ts';
import { catalogueRecords } from '../../../src/sources/catalogue/catalogue-records.ts';
import { agendaConnector, type AgendasReport, syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { MemoryRecords } from './memory-records.ts';
import { readRecording, startReplayServer } from './replay-server.ts';

export const CLIENT = 'fortworthgov';

/** A clock that advances only by sleeps. */
function trialClock() {
  let time = Date.parse('2026-04-20T12:00:00Z');
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
      time += milliseconds;
    },
  };
}

interface ReaderOptions {
  readonly timeout?: number;
  readonly retries?: LegistarHttpOptions['retries'];
  readonly client?: string;
  readonly maxBodyBytes?: number;
}

export type ServedClient = Awaited<ReturnType<typeof serveClient>>;

/** A client on loopback with the recorded answers, and records in memory that its syncs fill. */
export async function serveClient() {
  const recording = await readRecording(CLIENT);
  const server = await startReplayServer(CLIENT, recording);
  const clock = trialClock();
  const records = new MemoryRecords();
  await records.write(catalogueRecords());
  records.log.length = 0;

  const reader = ({ client = CLIENT, timeout = 10_000, maxBodyBytes = 1_000_000, retries }: ReaderOptions = {}) =>
    legistarHttpReader({
      baseUrl: server.baseUrl,
      client,
      clock,
      random: () => 0.5,
      timeoutMilliseconds: timeout,
      maxBodyBytes,
      ...(retries === undefined ? {} : { retries }),
    });
  return {
    recording,
    server,
    clock,
    records,
    reader,
    sync: ({ since, ...options }: ReaderOptions & { readonly since?: string } = {}): Promise<AgendasReport> =>
      syncAgendas(reader(options), { client: CLIENT, options: { since } }, { writer: records, known: records, clock }),
    /** Changes the title of item 90012 at the source without a new time stamp. */
    retitle(title: unknown) {
      const items = recording.items.get(9001) ?? [];
      items[1] = { ...(items[1] as Record<string, unknown>), EventItemTitle: title };
    },
    /** Returns the state of the client that `sources status` prints. */
    status() {
      const jurisdiction = { slug: 'fort-worth', name: 'Fort Worth', timezone: 'America/Chicago' };
      const connectors = { legistar: agendaConnector(() => undefined as never, '') } as unknown as Connectors;
      const added = { source: 'legistar', client: CLIENT, jurisdiction, isPublic: false, baseUrl: undefined };
      return stateOf(connectors, records, { added, now: clock.now() });
    },
    removals: () => records.log.filter((entry) => entry.op === 'remove'),
  };
}
