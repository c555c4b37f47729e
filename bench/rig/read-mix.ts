import { Connection } from './http-client.ts';
import { serveJobs } from './processes.ts';

export interface MixedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string;
}

/** Readers that ask one request after the other: at a rate that does not give way to slow answers, or each as soon as it is answered. */
interface MixJob {
  readonly url: string;
  readonly headers: string;
  readonly requests: readonly MixedRequest[];
  readonly readers: number;
  /** Null: as many as are answered. */
  readonly perSecond: number | null;
  readonly seconds: number;
}

export interface Mixed {
  /** Milliseconds of each request, from when it was due. */
  readonly times: readonly number[];
  readonly failures: readonly string[];
}

async function mix({ url, headers, requests, readers, perSecond, seconds }: MixJob): Promise<Mixed> {
  const times: number[] = [];
  const failures: string[] = [];
  const startedAt = performance.now();
  const ending = startedAt + seconds * 1000;
  const everyMs = perSecond === null ? null : (1000 * readers) / perSecond;
  let turn = 0;
  await Promise.all(
    Array.from({ length: readers }, async (_, reader) => {
      let connection = new Connection(url);
      const next = (due: number): number => (everyMs === null ? performance.now() : due + everyMs);
      for (let due = startedAt + ((everyMs ?? 0) * reader) / readers; due < ending; due = next(due)) {
        const early = due - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
        const { method, path, body } = requests[turn++ % requests.length]!;
        try {
          const answer = await connection.send(method, path, headers, body);
          if (answer.status < 200 || answer.status > 299) {
            failures.push(
              `${method} ${path.slice(0, 60)} answered ${answer.status}: ${answer.body.toString('utf8', 0, 200)}`,
            );
          }
          times.push(performance.now() - due);
        } catch (error) {
          failures.push(`${method} ${path.slice(0, 60)}: ${(error as Error).message}`);
          connection = new Connection(url);
        }
      }
      connection.close();
    }),
  );
  return { times, failures };
}

serveJobs(mix);
