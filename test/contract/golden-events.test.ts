import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountDecider } from '../../commands/accounts/account-decider.ts';
import type { Fold } from '../../commands/decider.ts';
import { evolve as evolveRecord, initialState as noRecord } from '../../commands/records/record-decider.ts';
import { intakeDecider } from '../../commands/report-intake/intake-decider.ts';
import { reportDecider } from '../../commands/reports/report-decider.ts';
import { sourceListDecider } from '../../commands/sources/source-list.ts';
import { accountKeys } from '../../commands/subscriptions/change-subscriptions.ts';
import { subscriptionDecider } from '../../commands/subscriptions/subscription-decider.ts';
import { type NewEvent, NO_STREAM, type Position, type StoredEvent } from '../../domain/ports/event-log.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { recordVersion } from '../../domain/events/record-events.ts';
import { isResource } from '../../domain/records/resources.ts';
import { category } from '../../domain/streams.ts';
import { PROJECTIONS } from '../../src/app/read-models.ts';
import { openFreshCivic, type TestCivic } from '../support/civic.ts';
import { eventForms, readAsProgram, schemaText } from '../support/event-inventory.ts';
import { dumpTables } from '../support/projection-spec.ts';
import { linesWith, sourceFiles } from '../support/source-text.ts';

/**
 * A stored event is readable for ever. A golden file contains an event of one type and version as it is stored, its current
 * form, and the schema of that version. CONTRIBUTING.md says how to change the schema of an event; of its earlier files only `current` may change.
 */
interface Golden {
  readonly name: string;
  readonly version: number;
  /** The order in which the events of all files form one history. */
  readonly order: number;
  readonly event: Omit<NewEvent, 'data'> & { readonly stream: string; readonly data: unknown };
  readonly current: unknown;
  /** Left out in a new file: the test adds it. */
  readonly schema?: unknown;
}

const FOLDER = new URL('../fixtures/events/', import.meta.url);

function goldenOf(file: string): Golden {
  const [, name, version] = /^([\w.]+)\.v([1-9]\d*)\.json$/.exec(file)!;
  return {
    ...(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden),
    name: name!,
    version: Number(version),
  };
}

const goldens = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map(goldenOf)
  .toSorted((one, other) => one.order - other.order);
const forms = await eventForms();
const latestOf = (type: string): Golden | undefined =>
  goldens.filter(({ name }) => name === type).toSorted((one, other) => other.version - one.version)[0];

/** The version in which the program writes events of a category, where a decider states it. */
const DECIDER_VERSIONS: Readonly<Record<string, number>> = {
  account: accountDecider.schemaVersion,
  account_feeds: subscriptionDecider.schemaVersion,
  account_reports: intakeDecider.schemaVersion,
  report: reportDecider.schemaVersion,
  source_list: sourceListDecider.schemaVersion,
};

function versionWritten({ event: { stream, type } }: Golden): number {
  return isResource(category(stream))
    ? recordVersion(stream, type).schemaVersion
    : (DECIDER_VERSIONS[category(stream)] ?? 1);
}

/** Exactly as the log stores it: canonical text, whatever the spacing of the file. */
const stored = ({ event }: Golden, revision = 0): StoredEvent => ({
  ...event,
  data: canonicalJson(event.data),
  metadata: JSON.stringify(event.metadata),
  position: '' as Position,
  revision,
});

describe('every type of event', () => {
  test('has a golden file for each of its versions, and there is no other file', () => {
    const versions = Object.fromEntries(
      [...forms.keys()].map((name) => [
        name,
        goldens.filter((golden) => golden.name === name).map(({ version }) => version),
      ]),
    );
    for (const [name, files] of Object.entries(versions))
      expect([name, files.toSorted((one, other) => one - other)]).toEqual([name, files.map((_, nth) => nth + 1)]);
    expect(Object.entries(versions).filter(([, files]) => files.length === 0)).toEqual([]);
    expect(goldens.filter(({ name }) => !forms.has(name)).map(({ name }) => name)).toEqual([]);
  });

  test('that a read model folds has golden files', () => {
    const types = new Set([...forms.values()].map(({ type }) => type));
    expect(PROJECTIONS.flatMap(({ handles }) => handles).filter((type) => !types.has(type))).toEqual([]);
  });

  test.each([...forms.keys()])('%s is written in the version of its latest golden file', (name) => {
    const latest = latestOf(name)!;
    const newestVersion = versionWritten(latest);
    expect(
      newestVersion,
      `${name} needs the golden file ${name}.v${newestVersion}.json, or another version in the program`,
    ).toBe(latest.version);
  });

  test('is written in version 1 where neither a decider nor its record states another', () => {
    const sources = sourceFiles(['domain', 'plumbing', 'src', 'commands']).filter(
      ({ path }) => path !== 'domain/events/record-events.ts',
    );
    const literals = linesWith(sources, /\bschemaVersion(?:: | = )\d/);
    expect(literals.length).toBeGreaterThan(5);
    const later = Object.values(DECIDER_VERSIONS).filter((version) => version !== 1);
    const other = literals.filter((line) => !/schemaVersion(?:: | = )1\b/.test(line));
    expect(other, 'the version of a category belongs in DECIDER_VERSIONS').toHaveLength(later.length);
  });

  test.each([...forms])('%s has the schema of its latest golden file', (type, { schema }) => {
    const { name, version, ...golden } = latestOf(type)!;
    if (golden.schema === undefined) {
      writeFileSync(
        new URL(`${name}.v${version}.json`, FOLDER),
        `${JSON.stringify({ ...golden, schema: schemaText(schema) }, null, 2)}\n`,
      );
      expect.unreachable(`the schema was added to ${name}.v${version}.json: read it, and run this test again`);
    }
    expect(
      schemaText(schema),
      `the schema of ${name} is not that of stored events: CONTRIBUTING.md says how to change it`,
    ).toEqual(golden.schema);
  });
});

describe('every stored version', () => {
  test.each(goldens.map((golden) => [`${golden.name}.v${golden.version}`, golden] as const))(
    '%s is read in the current form',
    (_, golden) => {
      const form = forms.get(golden.name)!;
      expect(golden.event).toMatchObject({ type: form.type, schemaVersion: golden.version });
      expect(readAsProgram(stored(golden), form)).toEqual({ type: form.type, data: golden.current });
    },
  );

  const FOLDS: readonly (readonly [string, Fold<unknown, unknown>])[] = [
    ['account', accountDecider],
    ['account', accountKeys],
    ['account_feeds', subscriptionDecider],
    ['account_reports', intakeDecider],
    ['report', reportDecider],
    ['source_list', sourceListDecider],
  ];
  test.each(FOLDS.map(([name, fold], nth) => [name, nth, fold] as const))(
    'of %s (fold %i) is folded by its decider',
    (name, _, fold) => {
      const events = goldens.filter(({ event }) => category(event.stream) === name);
      expect(events.length).toBeGreaterThan(0);
      let state = fold.initialState();
      events.forEach((golden, nth) => (state = fold.evolve(state, fold.read(stored(golden, nth)))));
      expect(state).toMatchSnapshot();
    },
  );

  test('of a record is the state that the next decision on the record starts from', () => {
    const records = goldens.filter(({ event }) => isResource(category(event.stream)));
    expect(records.length).toBeGreaterThan(11);
    for (const golden of records) {
      const { createdAt } = golden.current as { readonly createdAt: string };
      const kind = golden.event.type === 'RecordWithdrawn' ? 'withdrawn' : 'published';
      expect(evolveRecord(noRecord(), stored(golden))).toMatchObject({ kind, createdAt });
    }
  });
});

describe('the read models', () => {
  let civic: TestCivic;
  beforeAll(async () => {
    civic = await openFreshCivic();
  });
  afterAll(() => civic?.close());

  test('have the same rows from every stored version, and none pauses', async () => {
    const revisions = new Map<string, number>([['feed-civic', 0]]);
    const places = new Map<string, string>();
    for (const { event, name, version } of goldens) {
      const { stream, ...added } = event;
      const expectedRevision = revisions.get(stream) ?? NO_STREAM;
      const outcome = await civic.log.append({
        stream,
        expectedRevision,
        events: [{ ...added, data: canonicalJson(event.data) }],
      });
      if (outcome.kind !== 'appended') throw new Error(`${name} was not appended`);
      revisions.set(stream, outcome.revision);
      places.set(outcome.position, `<${name}.v${version}>`);
    }
    civic.startProjector(PROJECTIONS);
    await civic.caughtUp(
      undefined,
      PROJECTIONS.map(({ name }) => name),
    );
    expect(civic.logger.errors).toEqual([]);
    const dumps: string[] = [];
    for (const projection of PROJECTIONS) {
      const dump = await dumpTables(civic.dependencies(), projection, await civic.live(projection.name));
      dumps.push(`${projection.name} ${projection.version}`, ...dump, '');
    }
    const text = [...places].reduce((all, [position, place]) => all.replaceAll(position, place), dumps.join('\n'));
    await expect(text).toMatchFileSnapshot('../fixtures/events/read-models.txt');
  });
});
