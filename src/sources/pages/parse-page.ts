import { DomHandler, ElementType, Parser } from 'htmlparser2';
import { SourceUnavailable } from '../../../domain/ports/source-ports.ts';
import type { Steps } from '../../../domain/text/steps.ts';
import { oneLine } from '../agendas/values.ts';

/** Matches elements by tag and attributes. */
export type Matcher = (tag: string, attributes: Readonly<Record<string, string | undefined>>) => boolean;

export const withTag =
  (...tags: readonly string[]): Matcher =>
  (tag) =>
    tags.includes(tag);

/** Matches a tag with a class; `*` is any tag. */
export const withClass =
  (tag: string, name: string): Matcher =>
  (each, { class: classes = '' }) =>
    (tag === '*' || tag === each) && classes.split(/\s+/).includes(name);

/** Matches a tag whose attribute starts with a text; any tag for `*`. */
export const withAttribute =
  (tag: string, attribute: string, start = ''): Matcher =>
  (each, attributes) =>
    (tag === '*' || tag === each) && attributes[attribute]?.startsWith(start) === true;

type Node = DomHandler['tagStack'][number];

/** Maximum nodes that one search visits below an element: a row or an item has far fewer. */
const MAX_VISITS = 20_000;

/** Visits the nodes below one in the order of the page until `visit` returns true. */
function walk(root: Node, visit: (node: Node['children'][number]) => boolean): void {
  const pending = root.children.toReversed();
  for (let visits = 0; visits < MAX_VISITS; visits += 1) {
    const node = pending.pop();
    if (node === undefined || visit(node)) return;
    if ('children' in node)
      for (let index = node.children.length; index > 0; ) pending.push(node.children[(index -= 1)]!);
  }
}

const matchesNode = (node: object, matches: Matcher): node is Node & { readonly attribs: Record<string, string> } =>
  'attribs' in node && 'name' in node && matches(node.name as string, node.attribs as Record<string, string>);

/** An element of a page. */
export class PageElement {
  readonly #node: Node;

  constructor(node: Node) {
    this.#node = node;
  }

  /** The same object for each `PageElement` of one element. */
  get identity(): object {
    return this.#node;
  }
  attribute(name: string): string | null {
    return ('attribs' in this.#node ? this.#node.attribs[name] : undefined) ?? null;
  }
  /** Text in one line; null without one. */
  text(): string | null {
    const texts: string[] = [];
    walk(this.#node, (node) => {
      if ('data' in node && node.type === ElementType.Text) texts.push(node.data);
      return false;
    });
    return oneLine(texts.join(''));
  }
  /** The elements below this one, at most `limit`. */
  all(matches: Matcher, limit = Infinity): readonly PageElement[] {
    const elements: PageElement[] = [];
    walk(this.#node, (node) => {
      if (matchesNode(node, matches)) elements.push(new PageElement(node));
      return elements.length >= limit;
    });
    return elements;
  }
  first(matches: Matcher): PageElement | null {
    return this.all(matches, 1)[0] ?? null;
  }
  /** The elements that no other `container` below this element contains. */
  own(matches: Matcher, container: Matcher): readonly PageElement[] {
    return this.all(matches).filter((each) => each.#around(container) === this.#node);
  }
  /** The closest element around this one. */
  around(matches: Matcher): PageElement | null {
    const node = this.#around(matches);
    return node === null ? null : new PageElement(node);
  }

  #around(matches: Matcher): Node | null {
    for (let { parent } = this.#node; parent !== null; { parent } = parent)
      if (matchesNode(parent, matches)) return parent;
    return null;
  }
}

/** The elements that each matcher found, in the order of the page. Elements inside a found one are not listed. */
export type Found<Name extends string> = Readonly<Record<Name, readonly PageElement[]>>;

const MAX_CHARACTERS = 20_000_000;
const MAX_ELEMENTS = 400_000;
const MAX_DEPTH = 400;
const CHARACTERS_A_STEP = 20_000;

/** Builds the tree, notes the elements that are looked for, and refuses pages that only an attacker would write. */
class BoundedHandler extends DomHandler {
  readonly found = new Map<string, PageElement[]>();
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
      this.found.get(matched)!.push(new PageElement(node));
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
  return Object.fromEntries<readonly PageElement[]>(handler.found) as Found<Name>;
}
