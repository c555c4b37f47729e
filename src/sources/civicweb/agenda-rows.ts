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

/**
 * Items of the HTML of a CivicWeb agenda, as rows of Legistar. Rows without a number are the headings, names and votes between the items;
 * the heading above an item makes its number unique within a part.
 */
export function agendaRows(meetingId: number, html: string, portal: string) {
  const rows: object[] = [];
  let [part, heading] = ['', ''];
  for (const [row] of html.matchAll(ROW)) {
    const [number = '', content = ''] = [...row.matchAll(CELL)].map(([, cell]) => cell!);
    const label = oneLine(plainText(number)) ?? '';
    const title = oneLine(plainText(content.replace(LINK, '')));
    if (title === null) continue;
    if (label === '') heading = title;
    if (PART.test(label)) [part, heading] = [label, ''];
    if (!PART.test(label) && !ITEM.test(label)) continue;
    rows.push({
      // Stable while the item has the same number and title: the agenda gives its items no ids.
      EventItemId: -derivedNumber(String(meetingId), part, heading, label, title),
      EventItemAgendaSequence: rows.length + 1,
      EventItemAgendaNumber: PART.test(label) ? label : `${part} ${label}`.trim(),
      EventItemTitle: title,
      EventItemMatterAttachments: [...content.matchAll(LINK)].map(([, id, name]) => ({
        MatterAttachmentId: Number(id),
        MatterAttachmentName: oneLine(plainText(name!)),
        MatterAttachmentHyperlink: `${portal}/document/${id}`,
        MatterAttachmentFileName: null,
      })),
    });
  }
  return rows;
}
