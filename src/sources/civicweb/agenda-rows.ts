import { plainText } from '../../../domain/plain-text.ts';
import { oneLine } from '../legistar/values.ts';
import { derivedNumber } from '../listed/listed-reader.ts';

// No match runs over the next tag of its kind, so that unclosed tags cost no more than one reading of the text.
const ROW = /<tr\b(?:(?!<tr\b)[\s\S])*?<\/tr>/gi;
const CELL = /<td\b[^<>]*>((?:(?!<td\b)[\s\S])*?)<\/td>/gi;
const LINK = /<a\b[^<>]*\bhref="\/document\/(\d+)[/"][^<>]*>((?:(?!<a\b)[\s\S])*?)<\/a>/gi;
/** A letter numbers a part of the agenda, digits in parentheses an item of it. */
const PART = /^[A-Z]{1,2}\.$/;
const ITEM = /^\(\d{1,3}\)$/;
/** Capitals head a group of items, unless they say what was done with some. */
const GROUP = /^(?!(?:votes?|motion|second|items?|no action|see)\b)(?=.*\p{L}{4})[\p{Lu}\p{M}\d ,.&'’()/-]{4,60}$/iu;
const LOWER_CASE = /\p{Ll}/u;
/** A text of its own, rather than a mark beside a link. */
const OWN_TEXT = /\p{L}{4}|\d/u;

/**
 * Items of the HTML of a CivicWeb agenda, as rows of Legistar. Rows without a number are the headings, names and votes between the items. Some
 * groups of a part count from (1), so that the number of an item has the heading of its group. An item whose text is only links, or a mark beside them, has
 * their names as title.
 */
export function agendaRows(meetingId: number, html: string, portal: string) {
  const rows: object[] = [];
  let [part, group, heading] = ['', '', ''];
  for (const [row] of html.matchAll(ROW)) {
    const [number = '', content = ''] = [...row.matchAll(CELL)].map(([, cell]) => cell!);
    const label = oneLine(plainText(number)) ?? '';
    const links = [...content.matchAll(LINK)].map(([, id, name]) => ({ id, name: oneLine(plainText(name!)) }));
    const text = oneLine(plainText(content.replace(LINK, '')));
    if (label === '' && text !== null) {
      heading = text;
      if (GROUP.test(text) && !LOWER_CASE.test(text)) group = text;
    }
    const names = oneLine(links.flatMap(({ name }) => name ?? []).join('; '));
    const title = text !== null && OWN_TEXT.test(text) ? text : (names ?? text);
    if (title === null) continue;
    if (PART.test(label)) [part, group, heading] = [label, '', ''];
    if (!PART.test(label) && !ITEM.test(label)) continue;
    rows.push({
      // Stable while the item has the same number and title: the agenda gives its items no ids.
      EventItemId: -derivedNumber(String(meetingId), part, heading, label, title),
      EventItemAgendaSequence: rows.length + 1,
      EventItemAgendaNumber: PART.test(label) ? label : [part, group, label].filter(Boolean).join(' '),
      EventItemTitle: title,
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
