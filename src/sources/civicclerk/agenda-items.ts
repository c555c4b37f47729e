import { z } from 'zod';
import { anyPhrase, pattern } from '../../../domain/text/patterns.ts';
import { plainText } from '../../../domain/text/source-text.ts';
import type { Steps } from '../../../domain/text/steps.ts';
import { MAX_EVENT_ITEMS } from '../../../domain/ports/source-ports.ts';
import { oneLine } from '../agendas/values.ts';
import { underNumber } from '../pages/item-number.ts';

const text = z.string().nullish();
const attachmentRow = z.object({
  id: z.int(),
  fileName: text,
  url: text,
  pdfVersionFullPath: text,
  mediaFullPath: text,
});
const itemRow = z.object({
  id: z.int(),
  agendaObjectItemName: text,
  agendaObjectItemOutlineNumber: text,
  agendaObjectItemDescription: text,
  isSection: z.unknown().optional(),
  childItems: z.array(z.unknown()).nullish(),
  attachmentsList: z.array(z.unknown()).nullish(),
});
const agendaRow = z.object({ items: z.array(z.unknown()).nullish() });

const MAX_DEPTH = 20;
const SECTION: ReadonlySet<unknown> = new Set([true, 1, '1', 'true']);
const MARKS = /^\(|(?<![.):\s])[.):\s]+$/g;
/** Name of an item that nobody has filled in. */
const PLACEHOLDER = pattern(
  'i',
  String.raw`^[[(*\s-]{0,5}`,
  anyPhrase('placeholder(?: items?)?, (?:new )?agenda item, item name, tbd, to be determined'),
  String.raw`[\])*\s.-]{0,5}$`,
);

interface Around {
  readonly number: string | null;
  readonly section: string | null;
  readonly depth: number;
}

/** Converts the tree of an agenda to rows of Legistar, in its order. Sections are rows, and the group of the rows below them. */
export function* civicClerkItemsInSteps(agenda: unknown): Steps<readonly object[]> {
  const rows: object[] = [];
  const itemIds = new Set<number>();
  function* addAll(items: readonly unknown[], around: Around): Steps<void> {
    if (around.depth > MAX_DEPTH) return;
    for (const item of items) {
      yield;
      const { data: row } = itemRow.safeParse(item);
      if (row === undefined || itemIds.has(row.id) || rows.length > MAX_EVENT_ITEMS) continue;
      itemIds.add(row.id);
      const title = titleOf(row.agendaObjectItemName);
      const own = oneLine(row.agendaObjectItemOutlineNumber?.replace(MARKS, ''));
      const number = underNumber(around.number, own) ?? around.number;
      const isSection = SECTION.has(row.isSection);
      if (title !== null)
        rows.push({
          EventItemId: row.id,
          EventItemAgendaSequence: rows.length + 1,
          EventItemAgendaNumber: own === null ? null : number,
          EventItemTitle: title,
          EventItemAgendaNote: row.agendaObjectItemDescription,
          EventItemGroup: isSection ? null : around.section,
          EventItemMatterAttachments: (row.attachmentsList ?? []).flatMap(attachmentOf),
        });
      const section = isSection && title !== null ? title : around.section;
      yield* addAll(row.childItems ?? [], { number, section, depth: around.depth + 1 });
    }
  }
  yield* addAll(agendaRow.safeParse(agenda).data?.items ?? [], { number: null, section: null, depth: 0 });
  return rows;
}

/** The name without markup; null for an empty one and for a placeholder. */
function titleOf(name: string | null | undefined): string | null {
  const title = oneLine(plainText((name ?? '').slice(0, 100_000)));
  return title === null || PLACEHOLDER.test(title) ? null : title;
}

/** An attachment whose address the service states. */
function attachmentOf(value: unknown): readonly object[] {
  const { data: row } = attachmentRow.safeParse(value);
  const url = [row?.pdfVersionFullPath, row?.mediaFullPath, row?.url].find((each) => /^https?:\/\//i.test(each ?? ''));
  if (row === undefined || url === undefined) return [];
  return [
    {
      MatterAttachmentId: row.id,
      MatterAttachmentName: row.fileName,
      MatterAttachmentFileName: row.fileName,
      MatterAttachmentHyperlink: url,
    },
  ];
}
