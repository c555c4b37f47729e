import { hash } from 'node:crypto';
import { canonicalJson } from '../../../../domain/digests.ts';
import type { Classifier, UnclassifiedItem, UnclassifiedItems } from '../../../../domain/ports/classifier.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { Logger } from '../../../../domain/ports/logger.ts';
import type { RecordData } from '../../../../domain/records/resources.ts';

type Item = RecordData<'agenda_items'>;
type Topics = readonly RecordData<'topics'>[];

export interface GivenUpDependencies {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly classifier: Pick<Classifier, 'name'>;
  readonly unclassified: UnclassifiedItems;
}

/**
 * Tracks the items on which the classifier gave up. Reads the stored ones once, because only the lease owner writes
 * them.
 */
export function createGivenUpItems({ clock, logger, classifier, unclassified }: GivenUpDependencies) {
  let rowsByItem: Map<string, UnclassifiedItem> | undefined;
  const digests = new WeakMap<Topics, string>();
  const changed = { failed: new Map<string, UnclassifiedItem>(), cleared: new Set<string>() };

  const load = async () => (rowsByItem ??= new Map((await unclassified.list()).map((row) => [row.itemId, row])));
  const digestOf = ({ createdAt: _createdAt, updatedAt: _updatedAt, ...content }: Item, topics: Topics): string => {
    const ofTopics = digests.get(topics) ?? sha256(topics);
    digests.set(topics, ofTopics);
    return sha256([content, ofTopics]);
  };

  return {
    /** True if the item failed with this content, these topics and this classifier. */
    async has(item: Item, topics: Topics): Promise<boolean> {
      const row = (await load()).get(item.id);
      return row !== undefined && row.classifier === classifier.name && row.digest === digestOf(item, topics);
    },
    add(item: Item, topics: Topics, reason: string): void {
      changed.cleared.delete(item.id);
      const failed = {
        itemId: item.id,
        classifier: classifier.name,
        digest: digestOf(item, topics),
        reason,
        failedAt: clock.now(),
      };
      changed.failed.set(item.id, failed);
    },
    /** Forgets an item that was classified or withdrawn. */
    async clear(itemId: string): Promise<void> {
      changed.failed.delete(itemId);
      if ((await load()).has(itemId)) changed.cleared.add(itemId);
    },
    /** Returns the items that failed under another classifier. */
    async ofFormerRules(): Promise<readonly string[]> {
      return [...(await load()).values()]
        .filter((row) => row.classifier !== classifier.name)
        .map(({ itemId }) => itemId);
    },
    /** Stores the added and cleared items. `confirm` is awaited before each write. */
    async save(confirm: () => Promise<void>): Promise<void> {
      const rows = await load();
      if (changed.failed.size > 0) {
        await confirm();
        await unclassified.put([...changed.failed.values()]);
        for (const [itemId, row] of changed.failed) {
          rows.set(itemId, row);
          logger.warn({ itemId, reason: row.reason }, 'an agenda item could not be classified and has no hits');
        }
        changed.failed.clear();
      }
      if (changed.cleared.size > 0) {
        await confirm();
        await unclassified.remove([...changed.cleared]);
        for (const itemId of changed.cleared) rows.delete(itemId);
        changed.cleared.clear();
      }
    },
  };
}

export type GivenUpItems = ReturnType<typeof createGivenUpItems>;

const sha256 = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex');
