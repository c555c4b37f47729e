import { openCivic } from '../../src/app/composition.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import { PROJECTIONS } from '../../src/app/read-models.ts';
import { readSettings } from '../../src/app/settings.ts';
import { dumpTables } from './projection-spec.ts';
import type { Environment } from './service.ts';

const PLACE = /\d{20}(\/\d{20})?/g;

/**
 * Every row of every read model on a log, by name. Places in the log stand as numbers of events, without those that a restore has added, and
 * the feed's identity as a word: so the dumps of a log and of what was made from its backup are the same text.
 */
export async function readModelsOf(env: Environment): Promise<Readonly<Record<string, string>>> {
  const { settings } = readSettings({ ...env, CIVIC_LOG_LEVEL: 'silent' });
  const civic = await openCivic(settings, 'command', []);
  try {
    civic.startProjector();
    if (!(await civic.caughtUp(await civic.log.head()))) throw new Error('the read models did not catch up');
    const places = new Map<string, string>();
    const feeds = new Set<string>();
    for (let after = LOG_START, own = 0; ; ) {
      const { events, scannedTo } = await civic.log.readAll({ after, limit: 1000 });
      if (scannedTo === after) break;
      after = scannedTo;
      for (const { position, type, data, stream } of events) {
        if (!stream.startsWith('restore-')) places.set(position, `#${(own += 1)}`);
        if (type === 'FeedOpened') feeds.add((JSON.parse(data) as { feedId: string }).feedId);
      }
    }
    const live = (await civic.generations.list()).filter(({ state }) => state === 'live');
    const dumps: Record<string, string> = {};
    for (const projection of PROJECTIONS) {
      const { generation } = live.find(({ projection: name }) => name === projection.name)!;
      let text = (await dumpTables(civic.projectorDependencies, projection, generation)).join('\n');
      if (projection.name === 'record_history') for (const feed of feeds) text = text.replaceAll(feed, '<feed>');
      if (projection.positionColumns !== undefined)
        text = text.replaceAll(PLACE, (place) => places.get(place) ?? place);
      dumps[projection.name] = text;
    }
    return dumps;
  } finally {
    await civic.close();
  }
}
