import type { RowKind } from '../agenda/kinds.ts';
import { beginsWithDeed } from '../agenda/notices.ts';
import type { FoundItem } from './agenda-items.ts';

const MAX_WORDS = 12;
const SMALL_WORDS = 'and|or|of|on|for|by|to|the|in|from|with|&';
/** "Bills", "Bills,", "License(s)" */
const CAPITALIZED = String.raw`[(“"]?\p{Lu}[\p{L}’'()\/&-]{0,40}`;
/** "Bills on Introduction and First Reading": capitals, small words and no digits or end. */
const NAME = new RegExp(String.raw`^(?:(?:${CAPITALIZED}|${SMALL_WORDS})[,:]?(?:\s|$))+$`, 'u');

const isName = (title: string): boolean =>
  title.length <= 200 && title.split(' ').length <= MAX_WORDS && NAME.test(title) && !beginsWithDeed(title);

/** Returns the outermost items that are the name of a group and have a matter below them. */
export function headsOf(items: readonly FoundItem[], kinds: readonly RowKind[]): ReadonlySet<FoundItem> {
  const withMatter = new Set(items.flatMap(({ parent }, index) => (kinds[index] === 'item' ? [parent] : [])));
  return new Set(
    items.filter(
      (item, index) => kinds[index] === 'item' && item.parent === null && withMatter.has(item) && isName(item.title),
    ),
  );
}
