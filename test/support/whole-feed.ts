import type { TestCivic } from './civic.ts';
import { checkReading, expectedFeed, readPage } from './history-checker.ts';

/** Reads the whole feed and compares it, item by item, with the log. */
export async function checkWholeFeed({ log, changes }: Pick<TestCivic, 'log' | 'changes'>): Promise<void> {
  const expected = await expectedFeed(log);
  const items = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = readPage(
      (await changes({ ...(cursor === undefined ? {} : { cursor }), limit: 500, maxResponseBytes: 50_000_000 })).text,
    );
    items.push(...page.items);
    [cursor, more] = [page.nextCursor, page.hasMore];
  }
  checkReading(expected, items, { from: 0, to: expected.length, resource: null });
}
