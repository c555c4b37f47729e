import type { JsonPage } from '../contract/inputs.ts';
import type { PageForm } from '../contract/operation.ts';

const PAGE_TEXTS = {
  json: { begin: '{"data":{"items":[', between: ',', end: ']},"meta":', last: '}' },
  ndjson: { begin: '', between: '\n', end: '{"meta":', last: '}\n' },
} as const satisfies Readonly<Record<PageForm, object>>;

/** `text` is computed on demand. */
export type WrittenPage = JsonPage & { readonly body: Buffer };

/** Writes a response body into one buffer of known size: cheaper by two thirds than joining texts and encoding the whole. */
export class JsonText {
  readonly #buffer: Buffer;
  #length = 0;

  /** At most this many bytes may be written. `own`: not of Node's shared pool, of which a text that is kept would hold what others have. */
  constructor(capacity: number, memory: 'own' | 'shared' = 'shared') {
    this.#buffer = memory === 'own' ? Buffer.allocUnsafeSlow(capacity) : Buffer.allocUnsafe(capacity);
  }

  ascii(text: string): this {
    // A call to Node for one byte would take longer than the byte.
    if (text.length === 1) this.#buffer[this.#length++] = text.charCodeAt(0);
    else this.#length += this.#buffer.write(text, this.#length, 'latin1');
    return this;
  }

  text(text: string): this {
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
    return this;
  }

  /** UTF-8, and not the end of a page. */
  bytes(text: Buffer): this {
    this.#length += text.copy(this.#buffer, this.#length);
    return this;
  }

  get length(): number {
    return this.#length;
  }

  /** What stands before the item of this index, and the item's own beginning in ASCII. */
  item(form: PageForm, index: number, lead = ''): this {
    const { begin, between } = PAGE_TEXTS[form];
    return this.ascii((index === 0 ? begin : between) + lead);
  }

  /** Ends a page of items. `meta` is JSON in ASCII. */
  endOfItems(form: PageForm, items: number, meta: string): WrittenPage {
    const { begin, end, last } = PAGE_TEXTS[form];
    if (items === 0) this.ascii(begin);
    else if (form === 'ndjson') this.ascii('\n');
    return this.ascii(end).ascii(meta).ascii(last).page(items);
  }

  page(items: number): WrittenPage {
    const body = this.#buffer.subarray(0, this.#length);
    return {
      body,
      items,
      get text() {
        return body.toString();
      },
    };
  }
}
