import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { runInTurns, type Steps } from '../../../domain/text/steps.ts';
import { derivedNumber } from '../listed/listed-reader.ts';
import { underNumber } from '../pages/item-number.ts';
import { type Matcher, type PageElement, withClass } from '../pages/parse-page.ts';
import { linkOn, readPage } from '../pages/read-page.ts';

const isItem = withClass('div', 'item');
const [isTitle, isText, isBullet] = ['title', 'desc', 'bullet'].map((name) => withClass('*', name)) as [
  Matcher,
  Matcher,
  Matcher,
];
const isFile = withClass('a', 'file');
const AGENDA = { items: isItem };
/** A longer page is not an agenda: searches in it could end early. */
const MAX_CHARACTERS = 1_000_000;
/** Level of an item: `level2`. */
const LEVEL = /\blevel-?(\d)\b/;
const MARKS = /^\(|(?<![.):\s])[.):\s]+$/g;

interface HtmlItem {
  readonly number: string | null;
  readonly title: string;
  readonly text: string | null;
  readonly files: readonly { readonly name: string | null; readonly url: string }[];
}

/**
 * Reads the items of an agenda that is published as a page. Returns none if the page is not divided into numbered items, such as a list of files: the
 * file of the agenda is read then.
 */
export async function readHtmlAgenda(web: WebReader, address: string, eventId: number): Promise<readonly object[]> {
  const page = await readPage(web, address, AGENDA);
  if (page.text.length > MAX_CHARACTERS) return [];
  const items = await runInTurns(readItemsInSteps(page.found.items, page.address));
  const numbered = items.filter(({ number }) => number !== null);
  if (numbered.length < 2 || numbered.length * 2 < items.length) return [];
  const places = new Map<string, number>();
  return items.map(({ number, title, text, files }, index) => {
    const key = `${number} ${title}`;
    places.set(key, (places.get(key) ?? 0) + 1);
    return {
      // Stable while the item has the same number and title: the items have no ids at the source.
      EventItemId: -derivedNumber(String(eventId), key, String(places.get(key))),
      EventItemAgendaSequence: index + 1,
      EventItemAgendaNumber: number,
      EventItemTitle: title,
      EventItemAgendaNote: text,
      EventItemMatterAttachments: files.map(({ name, url }) => ({
        MatterAttachmentId: derivedNumber(url),
        MatterAttachmentName: name,
        MatterAttachmentHyperlink: url,
        MatterAttachmentFileName: name,
      })),
    };
  });
}

function* readItemsInSteps(outermost: readonly PageElement[], address: string): Steps<readonly HtmlItem[]> {
  const items: HtmlItem[] = [];
  /** Numbers of the items around, by level. */
  let outer: readonly (string | null)[] = [];
  for (const element of outermost.flatMap((each) => [each, ...each.all(isItem)])) {
    yield;
    const level = Number(LEVEL.exec(element.attribute('class') ?? '')?.[1] ?? 1);
    const own = (matches: Matcher) => element.own(matches, isItem)[0]?.text() ?? null;
    const [heading, text] = [own(isTitle), own(isText)];
    const title = heading ?? text;
    if (title === null) continue;
    const number = own(isBullet)?.replace(MARKS, '') || null;
    const parent = outer.slice(0, level - 1).findLast((each) => each !== null) ?? null;
    const full = underNumber(parent, number);
    outer = [...outer.slice(0, level - 1), full];
    const files = element.own(isFile, isItem).flatMap((link) => {
      const url = linkOn(address, link.attribute('href'));
      return url === null ? [] : [{ name: link.text(), url }];
    });
    items.push({ number: full, title, text: heading === null ? null : text, files });
  }
  return items;
}
