import { load } from 'cheerio/slim';
import { DomHandler, Parser } from 'htmlparser2';
import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { Steps } from '../../../domain/text/steps.ts';
import { oneLine } from '../agendas/values.ts';

/** True for an element that a reader looks for, by its tag and attributes. */
export type Matcher = (tag: string, attributes: Readonly<Record<string, string | undefined>>) => boolean;

/** Matches a tag with a class; `*` is any tag. */
export const withClass =
  (tag: string, name: string): Matcher =>
  (each, { class: classes = '' }) =>
    (tag === '*' || tag === each) && classes.split(/\s+/).includes(name);

/** Matches a tag whose attribute starts with a text. */
export const withAttribute =
  (tag: string, attribute: string, start: string): Matcher =>
  (each, attributes) =>
    (tag === '*' || tag === each) && attributes[attribute]?.startsWith(start) === true;

type Selection = ReturnType<ReturnType<typeof load>>;

/** An element of a page. Selectors are those of CSS. */
export class PageElement {
  readonly #$: ReturnType<typeof load>;
  readonly #selection: Selection;

  constructor($: ReturnType<typeof load>, selection: Selection) {
    this.#$ = $;
    this.#selection = selection;
  }

  attribute(name: string): string | null {
    return this.#selection.attr(name) ?? null;
  }
  /** Text in one line, of the element or of the first one that the selector finds in it; null without one. */
  text(selector?: string): string | null {
    return oneLine((selector === undefined ? this.#selection : this.#selection.find(selector).first()).text());
  }
  first(selector: string): PageElement | null {
    return this.all(selector)[0] ?? null;
  }
  all(selector: string): readonly PageElement[] {
    return this.#selection
      .find(selector)
      .map((_, node) => new PageElement(this.#$, this.#$(node)))
      .get();
  }
  /** The elements that the selector finds and that no other `container` below this element contains. */
  own(selector: string, container: string): readonly PageElement[] {
    return this.all(selector).filter((each) => each.#selection.parent().closest(container).is(this.#selection));
  }
  /** The closest element around this one. */
  around(selector: string): PageElement | null {
    const found = this.#selection.parent().closest(selector);
    return found.length === 0 ? null : new PageElement(this.#$, found);
  }
}

/** The elements that each matcher found, in the order of the page. Elements inside a found one are not listed. */
export type Found<Name extends string> = Readonly<Record<Name, readonly PageElement[]>>;

const MAX_CHARACTERS = 20_000_000;
const MAX_ELEMENTS = 400_000;
const MAX_DEPTH = 400;
const CHARACTERS_A_STEP = 20_000;

type Node = DomHandler['tagStack'][number];
type SelectableNode = Selection[number];

/** Builds the tree, notes the elements that are looked for, and refuses pages that only an attacker would write. */
class BoundedHandler extends DomHandler {
  readonly found = new Map<string, SelectableNode[]>();
  readonly #matchers: readonly (readonly [string, Matcher])[];
  readonly #open = new Map<string, Node>();
  #elements = 0;

  constructor(matchers: Readonly<Record<string, Matcher>>) {
    super();
    this.#matchers = Object.entries(matchers);
    for (const [name] of this.#matchers) this.found.set(name, []);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw new SourceUnavailable(`the page has more than ${MAX_ELEMENTS} elements`);
    if (this.tagStack.length > MAX_DEPTH) throw new SourceUnavailable('the elements of the page are nested too deeply');
    const node = this.tagStack.at(-1)!;
    for (const [matched, matches] of this.#matchers) {
      if (this.#open.has(matched) || !matches(name, attributes)) continue;
      this.#open.set(matched, node);
      // The library for selectors has another release of the same tree.
      this.found.get(matched)!.push(node as object as SelectableNode);
    }
  }

  override onclosetag(): void {
    const node = this.tagStack.at(-1);
    for (const [matched, open] of this.#open) if (open === node) this.#open.delete(matched);
    super.onclosetag();
  }
}

/** Throws `SourceUnavailable` for a page that is too long, too large or too deep. */
export function* parsePageInSteps<Name extends string>(
  html: string,
  matchers: Readonly<Record<Name, Matcher>>,
): Steps<Found<Name>> {
  if (html.length > MAX_CHARACTERS)
    throw new SourceUnavailable(`the page has ${html.length} characters; at most ${MAX_CHARACTERS} are read`);
  const handler = new BoundedHandler(matchers);
  const parser = new Parser(handler);
  for (let from = 0; from < html.length; from += CHARACTERS_A_STEP) {
    parser.write(html.slice(from, from + CHARACTERS_A_STEP));
    yield;
  }
  parser.end();
  const $ = load('');
  return mapValues(matchers, (name) => handler.found.get(name)!.map((node) => new PageElement($, $(node))));
}

function mapValues<Name extends string, Value>(
  record: Readonly<Record<Name, unknown>>,
  valueOf: (name: Name) => Value,
): Readonly<Record<Name, Value>> {
  const names = Object.keys(record) as Name[];
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
