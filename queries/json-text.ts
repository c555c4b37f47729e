import type { JsonPage } from '../contract/inputs.ts';
import type { PageForm } from '../contract/operation.ts';

const PAGE_TEXTS = {
  json: { begin: '{"data":{"items":[', between: ',', end: ']},"meta":', last: '}' },
  ndjson: { begin: '', between: '\n', end: '{"meta":', last: '}\n' },
} as const satisfies Readonly<Record<PageForm, object>>;

/** Page in a buffer. `text` is computed on demand. */
export type WrittenPage = JsonPage & { readonly body: Buffer };

/** Writes a response body into one buffer of known size, at a third of the cost of joining texts and encoding them. */
export class JsonText {
  readonly #buffer: Buffer;
  #length = 0;

  /** `capacity` is the largest size of the body in bytes. */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  ascii(text: string): this {
    // A call to Node costs more than copying one byte.
    if (text.length === 1) this.#buffer[this.#length++] = text.charCodeAt(0);
    else this.#length += this.#buffer.write(text, this.#length, 'latin1');
    return this;
  }

  text(text: string): this {
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
    return this;
  }

  /** Writes the text before the item with this index, and the beginning of the item in ASCII. */
  item(form: PageForm, index: number, lead = ''): this {
    const { begin, between } = PAGE_TEXTS[form];
    return this.ascii((index === 0 ? begin : between) + lead);
  }

  /** Writes the end of a page of items. `meta` is JSON in ASCII. */
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
