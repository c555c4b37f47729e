import { isGroupTitle, isHeadingTitle, isSectionTitle, isSureSectionTitle } from './heading.ts';
import { beginsWithDeed, isLayoutMark, isMeetingNotice } from './notices.ts';
import { createNumberLevels, isFirst, isPartOf, isSectionNumber, withoutNumber } from './numbers.ts';
import { isClosedSession, isStepTitle } from './steps.ts';
import type { RecordContent, RecordData } from '../records/resources.ts';

type RowField = 'title' | 'agendaNumber' | 'matterFile' | 'matterType' | 'text' | 'actionText' | 'outcome';

/** A row of an agenda, as a source lists it. */
export interface AgendaRow extends Pick<RecordContent<'agenda_items'>, RowField> {
  readonly hasAttachments: boolean;
  readonly hasVotes: boolean;
  /** Heading of the row's group, if the source lists it with the row. */
  readonly group?: string | null;
}

export type RowKind = NonNullable<RecordData<'agenda_items'>['kind']> | 'layout' | 'notice';

/** True if a record is an item of business, which hits, searches and counts use. An absent kind means item. */
export const isBusiness = ({ kind }: Pick<RecordData<'agenda_items'>, 'kind'>): boolean =>
  kind === undefined || kind === 'item';

export interface ReadRow {
  /** Rows of the kinds `layout` and `notice`, page breaks and notes on the meeting, are not published. */
  readonly kind: RowKind;
  readonly section: string | null;
}

/** True for a row with a file, a type or a document. */
const isMatter = ({
  matterFile,
  matterType,
  hasAttachments,
}: Pick<AgendaRow, 'matterFile' | 'matterType' | 'hasAttachments'>): boolean =>
  matterFile != null || matterType != null || hasAttachments;
const hasResult = ({
  actionText,
  outcome,
  hasVotes,
}: Pick<AgendaRow, 'actionText' | 'outcome' | 'hasVotes'>): boolean =>
  actionText != null || outcome != null || hasVotes;
const hasOwnText = ({ text }: AgendaRow): boolean => text != null && !isMeetingNotice(text) && !isLayoutMark(text);
const isNumbered = ({ agendaNumber }: AgendaRow): boolean => agendaNumber != null;

/** True for a row without a number, or with the letter or Roman numeral of a section. */
const isSectionRow = ({ agendaNumber }: AgendaRow): boolean => agendaNumber == null || isSectionNumber(agendaNumber);

const MAX_INTRODUCTION = 200;
/**
 * True if the title could head the rows below it: a group, or an introduction such as "Appointments to the following
 * boards:".
 */
const canHeadRows = (title: string): boolean =>
  isSectionTitle(title) ||
  (!beginsWithDeed(title) &&
    (isGroupTitle(title) || (title.length <= MAX_INTRODUCTION && title.trimEnd().endsWith(':'))));

/** A numbered notice of a hearing might be its matter. */
const HEARING = /\bhearing/i;
/** A notice that the meeting is canceled or moved. Readers of its page look for it. */
const CHANGED = /\b(?:cancel|postpon|reschedul|relocat|moved to\b)/i;

type KindAlone = RowKind | 'group';

/**
 * Returns the kind of a row on its own; `group` if it depends on the rows below it. Its time is bounded, whatever the
 * texts of the row are.
 */
export function kindOfRow(row: AgendaRow): KindAlone {
  const { title } = row;
  if (row.matterFile == null && isLayoutMark(title)) return 'layout';
  if (isStepTitle(title))
    return isClosedSession(title) && (hasOwnText(row) || row.hasAttachments) ? 'item' : 'procedural';
  if (isMatter(row) || hasOwnText(row)) return 'item';
  // The vote on a whole section is recorded on its heading.
  if (isSureSectionTitle(title) || (isSectionTitle(title) && isSectionRow(row))) return 'heading';
  if (hasResult(row)) return 'item';
  if (isMeetingNotice(title) && !(isNumbered(row) && HEARING.test(title)))
    return isNumbered(row) || CHANGED.test(title) ? 'procedural' : 'notice';
  return canHeadRows(title) ? 'group' : 'item';
}

type LevelOf = (number: string) => string;

const levelsOf = (rows: readonly AgendaRow[]): LevelOf =>
  createNumberLevels(rows.flatMap(({ agendaNumber }) => agendaNumber ?? []));

/**
 * True if a record without a kind has only a title and at most the letter of a section, and the title is that of a
 * heading, a step or a notice.
 */
export function isBareHeading(item: RecordData<'agenda_items'>): boolean {
  const { kind, title, agendaNumber } = item;
  if (
    kind !== undefined ||
    isMatter({ ...item, hasAttachments: false }) ||
    hasResult({ ...item, hasVotes: false }) ||
    item.text !== null
  )
    return false;
  if (agendaNumber !== null) return isSectionNumber(agendaNumber) && isHeadingTitle(title);
  return isHeadingTitle(title) || isGroupTitle(title) || isLayoutMark(title) || isMeetingNotice(title);
}

/** True if the second row might belong to the first, which precedes it. */
function canHead({ agendaNumber: head }: AgendaRow, { agendaNumber: next }: AgendaRow, levelOf: LevelOf): boolean {
  if (head == null) return true;
  if (next == null) return isSectionNumber(head);
  return isPartOf(next, head) || (isSectionNumber(head) && levelOf(head) !== levelOf(next) && isFirst(next));
}

const hasNoLowerCase = (title: string): boolean => !/\p{Ll}/u.test(title);
/** A share of the matters of an agenda. */
const NEARLY_ALL = 0.9;

/** True if nearly all matters of the agenda have a file, so that a row without one is probably not a matter. */
function hasFilesOfMatters(rows: readonly AgendaRow[], alone: readonly KindAlone[]): boolean {
  const items = rows.filter((_, index) => alone[index] === 'item');
  return items.length > 0 && items.filter((row) => row.matterFile != null).length >= NEARLY_ALL * items.length;
}

/** Returns the kinds of the rows of one agenda, in its order. A row that might be a matter is an item. */
function kindsOf(rows: readonly AgendaRow[], alone: readonly KindAlone[], levelOf: LevelOf): readonly RowKind[] {
  const hasMarks = hasFilesOfMatters(rows, alone);
  const kinds: RowKind[] = [];
  let below: number | null = null;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const ownKind = alone[index]!;
    const row = rows[index]!;
    let kind: RowKind;
    if (ownKind === 'group') {
      const next = below === null ? null : rows[below]!;
      const heads = next !== null && kinds[below!] !== 'procedural' && canHead(row, next, levelOf);
      // If the items are in capitals, a title in capitals is not a heading.
      const isHeading =
        heads && (kinds[below!] === 'heading' || isNumbered(next) || isMatter(next) || !hasNoLowerCase(next.title));
      kind = isHeading || (hasMarks && !isNumbered(row)) ? 'heading' : 'item';
    } else kind = ownKind;
    kinds[index] = kind;
    if (kind !== 'layout' && kind !== 'notice') below = index;
  }
  return kinds;
}

/** Returns the title of a section without its number and "continued". */
const sectionTitle = (title: string): string =>
  withoutNumber(title)
    .replace(/(?<![\s(–—-])[\s(–—-]*\bcont(?:inued|['’]d|\.)?\)?\s*$/i, '')
    .replace(/(?<![\s:])[\s:]+$/, '')
    .trim();

/**
 * Returns kind and section of each row of an agenda. `rows` is in the order of the agenda, `alone` the kind of each on
 * its own.
 */
export function readAgendaRows(
  rows: readonly AgendaRow[],
  alone: readonly KindAlone[] = rows.map(kindOfRow),
): readonly ReadRow[] {
  const levelOf = levelsOf(rows);
  const kinds = kindsOf(rows, alone, levelOf);
  // If an agenda has no headings, the types of its matters can be the groups.
  const isTyped = !kinds.includes('heading') && hasTypeGroups(rows);
  let heading: { readonly title: string; readonly number: string | null } | null = null;
  return rows.map((row, index): ReadRow => {
    const kind = kinds[index]!;
    if (kind === 'heading') {
      heading = { title: sectionTitle(row.title) || row.title, number: row.agendaNumber ?? heading?.number ?? null };
      return { kind, section: null };
    }
    if (kind !== 'item' && kind !== 'procedural') return { kind, section: null };
    if (heading !== null && endsSection(row, kind, heading.number, levelOf)) heading = null;
    return { kind, section: row.group ?? heading?.title ?? (isTyped ? (row.matterType ?? null) : null) };
  });
}

/**
 * True if a row is next to the heading rather than below it: its number has the same level, or both have none and it is
 * a step.
 */
function endsSection(row: AgendaRow, kind: RowKind, heading: string | null, levelOf: LevelOf): boolean {
  const { agendaNumber } = row;
  if (agendaNumber != null && heading !== null)
    return !isPartOf(agendaNumber, heading) && levelOf(agendaNumber) === levelOf(heading);
  return kind === 'procedural' && agendaNumber == null && heading === null && !isMatter(row);
}

/**
 * True if an agenda is grouped by the types of its matters: the rows of each type are consecutive, or each new type
 * counts from the start.
 */
function hasTypeGroups(rows: readonly AgendaRow[]): boolean {
  const typed = rows.filter(({ matterType }) => matterType != null);
  const firsts = typed.filter(({ matterType }, index) => matterType !== typed[index - 1]?.matterType);
  const types = new Set(firsts.map(({ matterType }) => matterType));
  return types.size === firsts.length || firsts.slice(1).some(({ agendaNumber }) => isFirst(agendaNumber ?? ''));
}
