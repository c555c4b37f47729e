import { listNumber } from './list-numbers.ts';

/** Numbering of one level of a list in Word. */
export interface NumberLevel {
  /** `decimal`, `upperRoman`, `bullet`, … */
  readonly format: string;
  /** "%1.%2": the number of each level after a percent sign. */
  readonly text: string;
  readonly start: number;
  /** Id of the style whose paragraphs have this level. */
  readonly style: string | null;
  /** Points. */
  readonly indent: number;
}

/** Levels of a list, by the number of the level from 0. */
export type NumberLevels = ReadonlyMap<number, NumberLevel>;

const TYPES: Readonly<Record<string, string>> = {
  upperRoman: 'I',
  lowerRoman: 'i',
  upperLetter: 'A',
  lowerLetter: 'a',
};

/** Counts the paragraphs of numbered lists. */
export class NumberCounter {
  readonly #lists: ReadonlyMap<string, NumberLevels>;
  /** Last values by list and level. */
  readonly #values = new Map<string, Map<number, number>>();

  constructor(lists: ReadonlyMap<string, NumberLevels>) {
    this.#lists = lists;
  }

  /** The level of a list to which a style of paragraphs belongs. */
  levelOfStyle(list: string, style: string | null): number {
    const levels = [...(this.#lists.get(list) ?? [])];
    return levels.find(([, level]) => style !== null && level.style === style)?.[0] ?? 0;
  }

  /** Points by which a level of a list is indented. */
  indentOf(list: string, level: number): number {
    return this.#lists.get(list)?.get(level)?.indent ?? 0;
  }

  /** Returns the number of the next paragraph of a level, as Word shows it; empty if the list is not known. */
  next(list: string, level: number): string {
    const levels = this.#lists.get(list);
    const own = levels?.get(level);
    if (levels === undefined || own === undefined || own.format === 'none') return '';
    const values = this.#values.get(list) ?? new Map<number, number>();
    this.#values.set(list, values);
    values.set(level, (values.get(level) ?? own.start - 1) + 1);
    for (const deeper of values.keys()) if (deeper > level) values.delete(deeper);
    if (own.format === 'bullet') return '•';
    return own.text.slice(0, 40).replace(/%(\d)/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const { format, start } = levels.get(at) ?? own;
      return listNumber(TYPES[format] ?? '1', values.get(at) ?? start);
    });
  }
}
