import { MirrorRefused } from './mirror-store.ts';

interface CivicApiSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Waits; rejects when the work is to stop. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** Retries of a request after a transient failure; `Infinity` for no limit. */
  readonly retries: number;
  readonly onRetry: (reason: string, milliseconds: number) => void;
}

/** A refusal that a retry does not change; `code` is the one of the error body. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(`${status} ${code}: ${message}`);
    this.status = status;
    this.code = code;
  }
}

/** Sends a request; retries after limits, lost connections and transient failures. Throws `ApiRefusal` for every other refusal. */
export type AskCivic = <Answer>(path: string, method?: 'GET' | 'POST') => Promise<Answer>;

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const ANSWER_WITHIN_MS = 60_000;

type Outcome = { readonly answer: unknown } | { readonly again: string; readonly after?: number };

export function createCivicApi({ baseUrl, key, sleep, signal, retries, onRetry }: CivicApiSettings): AskCivic {
  const once = async (path: string, method: string): Promise<Outcome> => {
    let response: Response;
    let text: string;
    try {
      response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${key}`, accept: 'application/json', 'cache-control': 'no-cache' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      });
      text = await response.text();
    } catch (error) {
      signal.throwIfAborted();
      const { cause, message } = error as Error & { cause?: { code?: string } };
      return { again: `no answer (${cause?.code ?? message})` };
    }
    if (response.ok) return parsed(text, response.headers.get('content-type') ?? '');
    const { code, message } = refusalOf(text);
    if (response.status === 429) return { again: `429 ${code}`, after: Number(response.headers.get('retry-after') ?? 1) * 1000 };
    if (response.status >= 500) return { again: `${response.status} ${code}` };
    throw new ApiRefusal(response.status, code, message);
  };
  return async <Answer>(path: string, method: 'GET' | 'POST' = 'GET') => {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await once(path, method);
      if ('answer' in outcome) return outcome.answer as Answer;
      if (attempt >= retries) throw new MirrorRefused(`${baseUrl} did not answer ${attempt + 1} requests: ${outcome.again}`);
      const pause = outcome.after ?? Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS);
      onRetry(outcome.again, pause);
      await sleep(pause);
    }
  };
}

/** JSON that was cut off on its way may arrive whole the next time; what does not claim to be JSON is no answer of the service. */
function parsed(text: string, contentType: string): Outcome {
  try {
    return { answer: JSON.parse(text) as unknown };
  } catch {
    if (contentType.includes('json')) return { again: 'an answer that was cut off' };
    throw new MirrorRefused('the answer is not JSON: check the base URL');
  }
}

function refusalOf(text: string): { readonly code: string; readonly message: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    return { code: error?.code ?? 'unknown', message: error?.message ?? '' };
  } catch {
    return { code: 'unknown', message: text.slice(0, 200) };
  }
}
