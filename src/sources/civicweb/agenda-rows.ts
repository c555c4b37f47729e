import { createNumberLevels, numberParts } from '../../../domain/agenda/numbers.ts';
import { oneLine } from '../agendas/values.ts';
import { derivedNumber } from '../listed/listed-reader.ts';
import { type Steps } from '../../../domain/text/steps.ts';
import { type Cell, tableRowsInSteps } from './table-rows.ts';

/**
 * A letter numbers a part of the agenda, digits in parentheses an item of it. Parts and groups are in the ids of
 * published items.
 */
const PART = /^[A-Z]{1,2}\.$/;
const ITEM = /^\(\d{1,3}\)$/;
/** Other numbers: "1.", "2)", "1.1", "A.1", "(a)", "iv.", "12". */
const TOKEN = String.raw`(?:\d{1,3}|[A-Z]{1,2}|[a-z]{1,2}|[IVXL]{1,7}|[ivxl]{1,7})`;
const FURTHER = String.raw`(?:[.-]\(?${TOKEN}\)?|\(${TOKEN}\)|(?<=\d)[A-Za-z]|(?<=[A-Za-z])\d{1,3})`;
const NUMBER = new RegExp(String.raw`^(?:\(${TOKEN}\)|${TOKEN}${FURTHER}{0,4}[.):]|\d{1,3}|${TOKEN}${FURTHER}{1,4})$`);
/** A number at the beginning of a text, without a separate cell. */
const NUMBERED_TEXT = new RegExp(String.raw`^(\(${TOKEN}\)|${TOKEN}(?:\.${TOKEN}){0,4}[.)])\s+(.*)$`, 's');
const ACTION = String.raw`(?:votes?|motion|second|items?|no action|see)\b`;
/** Capitals head a group of items, unless they state an action: "CONSENT AGENDA", not "MOTION TO APPROVE". */
const GROUP = new RegExp(String.raw`^(?!${ACTION})(?=.*\p{L}{4})[\p{Lu}\p{M}\d ,.&'’()/-]{4,60}$`, 'iu');
const LOWER_CASE = /\p{Ll}/u;
/** A separate text, rather than a mark next to a link. */
const OWN_TEXT = /\p{L}{4}|\d/u;

const isNumber = (label: string): boolean => PART.test(label) || ITEM.test(label) || NUMBER.test(label);

interface NumberedRow {
  readonly label: string;
  readonly text: string | null;
  readonly links: Cell['links'];
}

/** Rows with the number in a separate cell or, in an agenda without such rows, at the beginning of the text. */
function numberedRows(rows: readonly (readonly Cell[])[]): readonly NumberedRow[] {
  if (rows.some(([number]) => isNumber(number?.text ?? '')))
    return rows.map(([number, content]) => ({
      label: number?.text ?? '',
      text: content?.text ?? null,
      links: content?.links ?? [],
    }));
  return rows.map((cells) => {
    const { text = null, links = [] } = cells.find((cell) => cell.text !== null) ?? {};
    const [, label = '', rest = text] = NUMBERED_TEXT.exec(text ?? '') ?? [];
    return { label, text: rest, links };
  });
}

/** The numbers around a row, outermost first: "2." and "(a)" around "i." in "2. (a) i.". */
class NumberPath {
  #labels: readonly string[] = [];
  readonly #levelOf: (label: string) => string;

  /** `labels` are those of the whole agenda. */
  constructor(labels: readonly string[]) {
    this.#levelOf = createNumberLevels(labels);
  }

  get outer(): readonly string[] {
    return this.#labels.slice(0, -1);
  }
  get depth(): number {
    return this.#labels.length;
  }

  /**
   * A number of a style that is in the path replaces the one there and all below it. A part, or a number that names its
   * parents, starts a new path.
   */
  enter(label: string): void {
    const own = this.#levelOf(label);
    const level = this.#labels.map(this.#levelOf).findIndex((outer) => outer === own || outer.startsWith(`${own}.`));
    const around = level === -1 ? this.#labels : this.#labels.slice(0, level);
    this.#labels = PART.test(label) || numberParts(label).length > 1 ? [label] : [...around, label];
  }
}

/** The heading in capitals over rows of one depth. Ends at a row further out. */
class OpenGroup {
  title = '';
  #depth: number | null = null;

  open(title: string): void {
    this.title = title;
    this.#depth = null;
  }

  enter(depth: number): void {
    if (this.#depth !== null && depth < this.#depth) this.open('');
    this.#depth ??= depth;
  }
}

/**
 * Creates a function that returns the same id for the same texts. The ids of further rows with the same texts include
 * their count.
 */
function createRowIds() {
  const places = new Map<string, number>();
  return (...texts: readonly string[]): number => {
    const key = JSON.stringify(texts);
    const place = (places.get(key) ?? 0) + 1;
    places.set(key, place);
    return -(place === 1 ? derivedNumber(...texts) : derivedNumber(...texts, String(place)));
  };
}

const ROWS_A_STEP = 500;

/**
 * Returns the items of the HTML of a CivicWeb agenda as rows of Legistar. Rows without a number are headings, names and
 * votes between the items. Groups of a part can count from (1), so the number of an item includes the heading of its
 * group. The title of an item that consists of links is their names.
 */
export function* agendaRowsInSteps(meetingId: number, html: string, portal: string): Steps<object[]> {
  const rows: object[] = [];
  const rowId = createRowIds();
  const numbered = numberedRows(yield* tableRowsInSteps(html));
  const path = new NumberPath(numbered.map(({ label }) => label).filter(isNumber));
  const group = new OpenGroup();
  let [part, heading] = ['', ''];
  for (const [index, { label, text, links }] of numbered.entries()) {
    if (index % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    if (label === '' && text !== null) {
      heading = text;
      if (GROUP.test(text) && !LOWER_CASE.test(text)) group.open(text);
    }
    const names = oneLine(links.flatMap(({ name }) => name ?? []).join('; '));
    const title = text !== null && OWN_TEXT.test(text) ? text : (names ?? text);
    if (title === null) continue;
    if (PART.test(label)) {
      [part, heading] = [label, ''];
      group.open('');
    }
    if (!isNumber(label)) continue;
    path.enter(label);
    group.enter(path.depth);
    rows.push({
      // Stable while the item has the same number and title: the items have no ids at the source.
      EventItemId: rowId(String(meetingId), part, heading, label, title),
      EventItemAgendaSequence: rows.length + 1,
      EventItemAgendaNumber: [
        ...path.outer,
        ...(ITEM.test(label) && group.title !== '' ? [group.title] : []),
        label,
      ].join(' '),
      EventItemTitle: title,
      EventItemGroup: group.title || null,
      EventItemMatterAttachments: links.map(({ id, name }) => ({
        MatterAttachmentId: Number(id),
        MatterAttachmentName: name,
        MatterAttachmentHyperlink: `${portal}/document/${id}`,
        MatterAttachmentFileName: null,
      })),
    });
  }
  return rows;
}
