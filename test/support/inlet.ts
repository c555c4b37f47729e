import { kafkaClient } from '../../infra/kafka/connection.ts';
import { openInlet } from '../../infra/kafka/inlet.ts';
import { createInletStore } from '../../infra/postgresql/leases/inlet-store.ts';
import type { RecordChange } from '../../commands/records/write-records.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { recordStream } from '../../domain/streams.ts';
import { createInletPart, type InletDependencies } from '../../src/processors/reactors/inlet/inlet-part.ts';
import { hurriedClock } from './classification.ts';
import type { TestCivic } from './civic.ts';

/** A change as the value of a message. */
export const valueOf = (change: RecordChange): string =>
  JSON.stringify(
    change.op === 'upsert'
      ? { op: change.op, resource: change.resource, id: change.id, data: change.content }
      : { op: change.op, resource: change.resource, id: change.id },
  );
export const messageOf = (change: RecordChange) => ({ key: `${change.resource}/${change.id}`, value: valueOf(change) });

export interface RunningInlet {
  readonly completed: { appended: number; unchanged: number; rejected: number };
  stop(): Promise<void>;
}

/** The dependencies of an inlet on a database; messages set aside are in `aside` unless they go to the brokers. */
export function inletParts(civic: TestCivic, overrides: Partial<InletDependencies> = {}) {
  const counters = { appended: 0, unchanged: 0, rejected: 0 };
  const parts: InletDependencies = {
    store: createInletStore(civic.database.transactor),
    log: civic.log,
    writer: civic.writer,
    putAside: async () => undefined,
    counters,
    ...overrides,
  };
  return { parts, completed: counters };
}

export function startInlet(
  civic: TestCivic,
  brokers: string,
  topic: string,
  overrides: Partial<InletDependencies> = {},
): RunningInlet {
  const kafka = kafkaClient({ brokers: brokers.split(','), tls: false }, civic.logger);
  const inlet = openInlet({
    kafka,
    topic,
    clock: hurriedClock,
    logger: civic.logger,
    times: { sessionMs: 6_000, againMs: 20 },
  });
  const { parts, completed } = inletParts(civic, { putAside: (refused) => inlet.putAside(refused), ...overrides });
  const stopping = new AbortController();
  const ended = inlet.run((part) => createInletPart(parts, part), stopping.signal);
  return {
    completed,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Every event of a record, oldest first. */
export const eventsOfRecord = (civic: TestCivic, resource: Resource, id: string): Promise<readonly StoredEvent[]> =>
  civic.log.readStream(recordStream(resource, id), -1, 1000);

/** A short form of its events: the variant of the upsert, or the removal. */
export const variantsOf = async (civic: TestCivic, id: string): Promise<readonly string[]> =>
  (await eventsOfRecord(civic, 'topics', id)).map(({ type, data }) =>
    type === 'RecordPublished' ? (JSON.parse(data) as { slug: string }).slug : 'removed',
  );
