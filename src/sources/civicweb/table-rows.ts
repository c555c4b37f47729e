import { type Tag, tagsInSteps } from '../../../domain/text/html-text.ts';
import { plainText } from '../../../domain/text/source-text.ts';
import { oneLine } from '../agendas/values.ts';
import { mapInSteps, type Steps } from '../../../domain/text/steps.ts';

interface Link {
  readonly id: string;
  readonly name: string | null;
}

export interface Cell {
  /** The text next to the links. */
  readonly text: string | null;
  readonly links: readonly Link[];
}

interface OpenCell {
  html: string;
  readonly links: { readonly id: string; html: string }[];
}

const STRUCTURE = new Set(['table', 'tr', 'td', 'th', 'a']);
const DOCUMENT = /\shref="\/document\/(\d+)[/"]/i;

const textOf = (html: string): string | null => oneLine(plainText(html));

const cellOf = ({ html, links }: OpenCell): Cell => ({
  text: textOf(html),
  links: links.map(({ id, html }) => ({ id, name: textOf(html) })),
});

const TAGS_A_STEP = 5_000;

/**
 * Reads tags in order. `#row`, `#cell` and `#link` are those that are open; `#outer` has those around the tables that
 * are open.
 */
class TableReader {
  readonly #rows: OpenCell[][] = [];
  readonly #outer: (readonly [OpenCell[] | null, OpenCell | null])[] = [];
  #row: OpenCell[] | null = null;
  #cell: OpenCell | null = null;
  #link: OpenCell['links'][number] | null = null;

  *read(html: string, tags: readonly Tag[]): Steps<readonly OpenCell[][]> {
    let copied = 0;
    for (const [index, tag] of tags.entries()) {
      if (index % TAGS_A_STEP === TAGS_A_STEP - 1) yield;
      if (!STRUCTURE.has(tag.name)) continue;
      const open = this.#link ?? this.#cell;
      if (open !== null) open.html += html.slice(copied, tag.start);
      copied = tag.end;
      this.#enter(tag, html);
    }
    return this.#rows;
  }

  #enter({ name, isClosing, start, end }: Tag, html: string): void {
    this.#link = null;
    if (name === 'a') {
      const id = isClosing ? undefined : DOCUMENT.exec(html.slice(start, end))?.[1];
      if (id === undefined || this.#cell === null) return;
      this.#link = { id, html: '' };
      this.#cell.links.push(this.#link);
    } else if (name === 'table') {
      if (!isClosing) this.#outer.push([this.#row, this.#cell]);
      [this.#row, this.#cell] = (isClosing && this.#outer.pop()) || [null, null];
    } else if (name === 'tr') {
      [this.#row, this.#cell] = [isClosing ? null : [], null];
      if (this.#row !== null) this.#rows.push(this.#row);
    } else {
      this.#cell = isClosing ? null : { html: '', links: [] };
      if (this.#cell !== null) this.#row?.push(this.#cell);
    }
  }
}

/**
 * The rows of all tables of a document in the order in which they begin. The text of a table in a cell is in the cells
 * of that table alone.
 */
export function* tableRowsInSteps(html: string): Steps<readonly (readonly Cell[])[]> {
  const tags = yield* tagsInSteps(html);
  return yield* mapInSteps(yield* new TableReader().read(html, tags), (cells) => cells.map(cellOf));
}
