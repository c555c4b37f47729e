import { html as template } from 'hono/html';
import { cutAfter } from '../../../domain/text/words.ts';

/** Markup that is safe to put into other markup. */
export type Html = Exclude<ReturnType<typeof template>, Promise<unknown>>;
export type Content = string | number | Html | null | false | undefined | readonly Content[];

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g;

/** Removes characters that HTML, XML and iCalendar do not allow. */
export const printable = (text: string): string => text.toWellFormed().replaceAll(CONTROLS, '');

function allowed(value: Content): Content {
  if (typeof value === 'string') return printable(value);
  return Array.isArray(value) ? (value as readonly Content[]).map(allowed) : value;
}

/** Escapes every value that is not markup. The result is a promise only if a value is one. */
export const html = (strings: TemplateStringsArray, ...values: readonly Content[]): Html =>
  template(strings, ...values.map(allowed)) as Html;

const [POP_EMBEDDING, POP_ISOLATE] = ['\u202c', '\u2069'];

/** Appends the marks that end the text's own direction marks, so that the direction after it is unchanged (Unicode Annex 9). */
function withDirectionEnded(text: string): string {
  const open: string[] = [];
  for (const [mark] of text.matchAll(/[\u202a-\u202e\u2066-\u2069]/g)) {
    const last = open.lastIndexOf(mark);
    if (mark !== POP_ISOLATE && mark !== POP_EMBEDDING) open.push(mark >= '\u2066' ? POP_ISOLATE : POP_EMBEDDING);
    // The end of an isolate ends the embeddings in it. The end of an embedding ends no isolate.
    else if (last >= 0 && (mark === POP_ISOLATE || last === open.length - 1)) open.length = last;
  }
  return `${text}${open.toReversed().join('')}`;
}

/** Clips a text to `max` characters on one line and closes its direction marks. Splits a word only if it is most of the text. */
export function clipped(text: string, max: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= max ? withDirectionEnded(line) : `${withDirectionEnded(cutAfter(line, max))}${CUT}`;
}

/** End of a text that was cut. */
export const CUT = ' …';

export const bytesOf = (markup: Html): number => Buffer.byteLength(markup.toString());

/** Returns the first rows that together fit into this many bytes, but at least one. */
export function fitting<Row>(rows: readonly Row[], size: number, render: (row: Row) => Html): readonly Html[] {
  const fits: Html[] = [];
  let used = 0;
  for (const row of rows) {
    const rendered = render(row);
    used += bytesOf(rendered);
    if (used > size && fits.length > 0) break;
    fits.push(rendered);
  }
  return fits;
}
