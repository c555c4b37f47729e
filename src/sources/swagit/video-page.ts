import type { EventDetails } from '../../../domain/ports/source-ports.ts';
import type { WebReader } from '../../../domain/ports/web-reader.ts';
import { oneLine } from '../agendas/values.ts';
import { splitNumber, underNumber } from '../pages/item-number.ts';
import { type PageElement, withAttribute, withClass } from '../pages/parse-page.ts';
import { linkOn, readPage } from '../pages/read-page.ts';

const VIDEO = {
  players: withClass('*', 'playerControl'),
  agenda: withAttribute('*', 'id', 'full-agenda'),
  links: (tag: string, { href }: Readonly<Record<string, string | undefined>>) =>
    tag === 'a' && /\/videos\/\d{1,12}\/agenda(?:[?#]|$)/.test(href ?? ''),
};
/** A block of items under another one has its id. */
const isBlock = withClass('*', 'cpx');
const UNDER = /^md-index(\d{1,15})$/;

/** Reads the items of a recording and the link to its agenda. The index is on the page twice. */
export async function readVideo(
  web: WebReader,
  address: string,
): Promise<{ readonly items: readonly object[]; readonly details: EventDetails }> {
  const page = await readPage(web, address, VIDEO);
  const { players, agenda, links } = page.found;
  const items = readItems(players);
  const file = linkOn(page.address, links[0]?.attribute('href') ?? null);
  return {
    items,
    details: {
      ...(file !== null && { EventAgendaFile: file }),
      ...(items.length === 0 && agenda[0]?.text() != null && { EventAgendaHasText: true }),
    },
  };
}

function readItems(players: readonly PageElement[]): readonly object[] {
  const numbers = new Map<number, string | null>();
  const rows: object[] = [];
  for (const player of players) {
    const id = Number(player.attribute('data-id') ?? '');
    const label = oneLine(player.attribute('data-title')) ?? player.text();
    if (!Number.isSafeInteger(id) || id <= 0 || label === null || numbers.has(id)) continue;
    const { number, title } = splitNumber(label);
    const parent = numbers.get(Number(UNDER.exec(player.around(isBlock)?.attribute('id') ?? '')?.[1] ?? 0)) ?? null;
    const full = underNumber(parent, number);
    numbers.set(id, full ?? parent);
    rows.push({
      EventItemId: id,
      EventItemAgendaSequence: rows.length + 1,
      EventItemAgendaNumber: full,
      EventItemTitle: title,
    });
  }
  return rows;
}
