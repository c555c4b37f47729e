/** Job of every program that appends: single events of many callers, or batches. */
export interface AppendJob {
  readonly dsn: string;
  readonly callers: number;
  /** Events an append. */
  readonly batch: number;
  readonly seconds: number;
  /** Keeps the streams of one turn apart from those of all others. */
  readonly turn: string;
}

export interface Appended {
  readonly eventsPerSecond: number;
}

const FILLING = 'Consider a request for a change of zoning with the conditions that staff recommends. '.repeat(3);

/** An event's data of about 330 bytes, as text; made with as little work as can be. */
export const eventData = (caller: number, index: number): string =>
  `{"id":"${caller}-${index}","sequence":${index},"text":"${FILLING}","sourceUrl":"https://records.example.org/items/${index}"}`;

/** Lets the callers append one after the other's answer until the time is over; the rate counts whole appends. */
export async function appendFor(
  { callers, batch, seconds }: AppendJob,
  append: (caller: number, nth: number) => Promise<unknown>,
): Promise<Appended> {
  const started = performance.now();
  const ending = started + seconds * 1000;
  let appends = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let nth = 0; performance.now() < ending; nth++) {
        await append(caller, nth);
        appends += 1;
      }
    }),
  );
  return { eventsPerSecond: (appends * batch * 1000) / (performance.now() - started) };
}
