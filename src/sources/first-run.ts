import { handleAccountCommand, issueKey } from '../../commands/accounts/account-decider.ts';
import { finishSeed, isSeedFinished, type SeedDependencies, writeSeed } from '../../commands/seeds/write-seed.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { SCOPES } from '../../domain/events/account-events.ts';
import { derivedId } from '../../domain/identifiers.ts';
import type { RandomBytes } from '../../domain/key-secret.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import { recordStream } from '../../domain/streams.ts';
import { CATALOGUE_SEED, catalogueRecords } from './catalogue/catalogue-records.ts';
import { TAXONOMY_SEED, taxonomyRecords } from './taxonomy/taxonomy-records.ts';
import { SAMPLE_IDS, SAMPLE_SEED, sampleRecords } from './sample/sample-records.ts';

const SAMPLE_ACCOUNT_SEED = { name: 'sample_account', version: 1 } as const;
const YEAR_MS = 365 * DAY_MS;
const DEADLINE_MS = 30_000;
export const SAMPLE_ACCOUNT_ID = derivedId('sample', 'account');

type FirstRunDependencies = SeedDependencies & { readonly randomBytes: RandomBytes };

/** `new` fills only an empty log, `on` any log. */
export type SampleWanted = 'new' | 'on' | 'off';

/** The account of the sample; the key is null unless requested. */
export interface SampleAccount {
  readonly accountId: string;
  readonly key: string | null;
}

/** Writes the topics, jurisdictions and covered bodies that other records refer to; a finished seed stays as it is. The catalogue comes last. */
export async function writeReferenceRecords(deps: SeedDependencies): Promise<void> {
  await writeSeed(deps, TAXONOMY_SEED, taxonomyRecords());
  await writeSeed(deps, CATALOGUE_SEED, catalogueRecords());
}

/**
 * Fills a new log: the sample and its account if requested, then topics and catalogue. The next start continues after a crash and never repeats a
 * finished part. Resolves to the sample account in the start that opens it, else to null. `step` runs each part, and can run it again: a failure
 * of the second part does not lose the account of the first.
 */
export async function fillNewLog(
  deps: FirstRunDependencies,
  options: { readonly sample: SampleWanted; readonly sampleKey: boolean },
  step: <Result>(work: () => Promise<Result>) => Promise<Result> = (work) => work(),
): Promise<SampleAccount | null> {
  const account = await step(async () => {
    const withSample = options.sample === 'on' || (options.sample === 'new' && (await isFirstRun(deps)));
    return withSample ? writeSample(deps, options.sampleKey) : null;
  });
  await step(() => writeReferenceRecords(deps));
  return account;
}

/** True if the log has only its opening event, or a first run with the sample ended before its last seed, the catalogue. */
async function isFirstRun({ log }: SeedDependencies): Promise<boolean> {
  const sampleStream = recordStream('jurisdictions', SAMPLE_IDS.jurisdiction);
  const isNew = (await log.readAll({ after: LOG_START, limit: 2 })).events.length < 2;
  return isNew || ((await log.readLast([sampleStream])).size > 0 && !(await isSeedFinished(log, CATALOGUE_SEED)));
}

async function writeSample(deps: FirstRunDependencies, withKey: boolean): Promise<SampleAccount | null> {
  // Times of the sample lie around the log's beginning, so that a start that continues it writes the same records.
  const { events } = await deps.log.readAll({ after: LOG_START, limit: 1 });
  await writeSeed(deps, SAMPLE_SEED, sampleRecords(events[0]?.time ?? deps.clock.now()));
  if (await isSeedFinished(deps.log, SAMPLE_ACCOUNT_SEED)) return null;
  const common = { accountId: SAMPLE_ACCOUNT_ID, context: {}, deadline: deps.clock.now() + DEADLINE_MS };
  const paidUntil = new Date(deps.clock.now() + YEAR_MS).toISOString();
  await handleAccountCommand(deps, {
    ...common,
    commandId: derivedId('sample', 'open-account'),
    command: { type: 'OpenAccount', name: 'Sample account', channel: 'subscription', tier: 'pro', paidUntil },
  });
  const key = withKey ? (await issueKey(deps, { ...common, scopes: SCOPES, expiresAt: null })).secret : null;
  await finishSeed(deps, SAMPLE_ACCOUNT_SEED, 1);
  return { accountId: SAMPLE_ACCOUNT_ID, key };
}
