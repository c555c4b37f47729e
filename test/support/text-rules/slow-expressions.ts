import { Worker } from 'node:worker_threads';

/** A part of an expression that only reads a part of a text. */
export interface ShortReading {
  /** The beginning of the expression. */
  readonly start: string;
  readonly readsAtMost: number;
  readonly because: string;
}

export interface ExpressionsRequest {
  /** Folder of the checkout. */
  readonly root: string;
  readonly folders: readonly string[];
  /** Processor time of one expression on one text, in milliseconds. */
  readonly limitMs: number;
  readonly exceptions: readonly ShortReading[];
}

export interface SlowExpression {
  readonly file: string;
  readonly expression: string;
  /** Kind of the first text that takes too long. */
  readonly kind: string;
  readonly spentMs: number;
}

export interface MeasuredExpressions {
  readonly measured: number;
  readonly slow: readonly SlowExpression[];
}

/** Runs apart, where every module is loaded again and an expression without end can be stopped. Throws with its name after `deadlineMs`. */
export async function slowExpressions(request: ExpressionsRequest, deadlineMs: number): Promise<MeasuredExpressions> {
  const worker = new Worker(new URL('expressions-worker.ts', import.meta.url), { workerData: request });
  let last = 'nothing yet';
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no end within ${deadlineMs} ms: ${last}`)), deadlineMs);
      worker.on('error', reject);
      worker.on('message', (message: string | MeasuredExpressions) => {
        if (typeof message === 'string') last = message;
        else resolve(message);
        if (typeof message !== 'string') clearTimeout(timer);
      });
    });
  } finally {
    await worker.terminate();
  }
}
