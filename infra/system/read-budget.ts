import type { Clock } from '../../domain/ports/clock.ts';
import { MINUTE_MS } from '../../domain/durations.ts';
import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { AnswerTooLong } from './bounded-fetch.ts';

const MEBIBYTE = 1024 * 1024;
const [COMMA, BRACKET, BRACE, QUOTE, BACKSLASH] = Array.from(Buffer.from(',[{"\\')) as [
  number,
  number,
  number,
  number,
  number,
];

const LIMITS = {
  rows: 100_000,
  pages: 1_000,
  /** Decoded bytes of all responses. */
  bytes: 128 * MEBIBYTE,
  /** JSON values in one response, and in all. Even a short value needs memory. */
  valuesOfAnswer: 500_000,
  values: 3_000_000,
  milliseconds: 30 * MINUTE_MS,
} as const;

/**
 * Limits the bytes, values, rows and time that one list uses over all its pages. Beyond a limit the read throws
 * `SourceUnavailable`, and the rows read so far are dropped.
 */
export class ReadBudget {
  #rows = 0;
  #pages = 0;
  #bytes = 0;
  #values = 0;
  #valuesOfAnswer = 0;
  #isInString = false;
  #isEscaped = false;
  readonly #ids = new Set<unknown>();
  readonly #until: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #list: string;
  readonly #maxRows: number;

  /** `list` is the name of the list in messages, such as "the list at events". */
  constructor(list: string, clock: Pick<Clock, 'now'>, maxRows: number = LIMITS.rows) {
    this.#list = list;
    this.#clock = clock;
    this.#maxRows = maxRows;
    this.#until = clock.now() + LIMITS.milliseconds;
  }

  /** Counts a page. */
  takePage(): void {
    this.#pages += 1;
    if (this.#pages > LIMITS.pages) this.#fail(`has more than ${LIMITS.pages} pages`);
  }

  /** Must be called before every request, retries included. */
  beginAnswer(): void {
    [this.#valuesOfAnswer, this.#isInString, this.#isEscaped] = [0, false, false];
    if (this.#clock.now() > this.#until) this.#fail(`takes longer than ${LIMITS.milliseconds / MINUTE_MS} minutes`);
  }

  /** Counts a chunk of a response before it is parsed. */
  takeChunk(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    const values = this.#valuesIn(chunk);
    this.#values += values;
    this.#valuesOfAnswer += values;
    if (this.#valuesOfAnswer > LIMITS.valuesOfAnswer)
      throw new AnswerTooLong(`the answer has more than ${LIMITS.valuesOfAnswer} values`);
    if (this.#bytes > LIMITS.bytes) throw new AnswerTooLong(`the answers together are over ${LIMITS.bytes} bytes`);
    if (this.#values > LIMITS.values)
      throw new AnswerTooLong(`the answers together have more than ${LIMITS.values} values`);
  }

  /** Counts commas and opening brackets outside of strings. */
  #valuesIn(chunk: Uint8Array): number {
    let [values, isInString, isEscaped] = [0, this.#isInString, this.#isEscaped];
    for (const byte of chunk) {
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1;
    }
    [this.#isInString, this.#isEscaped] = [isInString, isEscaped];
    return values;
  }

  /** Counts the rows of a page. Returns true if at least one of them has a new id. */
  takeRows(rows: readonly unknown[], idOf: (row: unknown) => unknown): boolean {
    this.#rows += rows.length;
    if (this.#rows > this.#maxRows) this.#fail(`has more than ${this.#maxRows} rows`);
    const sizeBefore = this.#ids.size;
    for (const row of rows) this.#ids.add(idOf(row));
    return this.#ids.size > sizeBefore;
  }

  #fail(reason: string): never {
    throw new SourceUnavailable(`${this.#list} ${reason}`);
  }
}

interface Page<Place> {
  readonly rows: readonly unknown[];
  /** Null after the last page. */
  readonly next: Place | null;
  /** True if the previous page was short and might have been the last one. A probe without a new row ends the list. */
  readonly isProbe?: boolean;
}

/**
 * Reads a list page by page within a budget. Throws `SourceUnavailable` for a page without a new row, because the
 * source would return the same rows endlessly.
 */
export async function readPages<Place>(
  {
    list,
    clock,
    idField,
    maxRows,
  }: { readonly list: string; readonly clock: Clock; readonly idField: string; readonly maxRows?: number },
  first: Place,
  readPage: (place: Place, budget: ReadBudget) => Promise<Page<Place>>,
): Promise<readonly unknown[]> {
  const budget = new ReadBudget(list, clock, maxRows);
  const idOf = (row: unknown): unknown => (row as Readonly<Record<string, unknown>> | null)?.[idField];
  const pages: (readonly unknown[])[] = [];
  for (let place: Place | null = first; place !== null; ) {
    budget.takePage();
    const page: Page<Place> = await readPage(place, budget);
    const isNew = budget.takeRows(page.rows, idOf);
    if (!isNew && page.isProbe === true) break;
    if (!isNew && (page.rows.length > 0 || page.next !== null)) {
      throw new SourceUnavailable(
        `page ${pages.length + 1} of ${list} has no row that the pages before it do not have`,
      );
    }
    pages.push(page.rows);
    place = page.next;
  }
  return pages.flat();
}

/**
 * Returns the rows of a list that a source sends in one response. Throws `SourceUnavailable` for more than `maxRows`.
 */
export function requireRowsWithin(
  rows: readonly unknown[],
  list: string,
  maxRows: number = LIMITS.rows,
): readonly unknown[] {
  if (rows.length > maxRows) throw new SourceUnavailable(`${list} has more than ${maxRows} rows`);
  return rows;
}
