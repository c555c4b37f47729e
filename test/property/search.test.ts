import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { searchAgenda } from '../../contract/tools/search-agenda.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { RecordData, Resource } from '../../domain/records/resources.ts';
import { spellableWords } from '../../domain/text/words.ts';
import { recordOfStream, recordStream } from '../../domain/streams.ts';
import { agendaId } from '../support/agenda-events.ts';
import { openTestSearch, type SearchArguments, type TestSearch } from '../support/agenda-search.ts';
import { DAY_MS, TEST_TIME } from '../support/civic.ts';
import { below } from '../support/civic-records.ts';
import { withSeed } from '../support/test-seed.ts';
import { dumpTables } from '../support/projection-spec.ts';
import { testRuns } from '../support/test-runs.ts';
import { foldInBatches, one, type Random, shuffled } from '../support/shuffled-events.ts';

const ROUNDS = testRuns(5);
const CHANGES = 120;
const QUERIES = 25;
/** Words that no stemmer changes and that are not near other words. */
const WORDS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'];

let search: TestSearch;
let other: number;

beforeAll(async () => {
  search = await openTestSearch();
  other = await search.scratch();
});
afterAll(async () => search?.close());

const some = (random: Random, most: number): string =>
  Array.from({ length: 1 + below(random, most) }, () => one(random, WORDS)).join(' ');
const hours = (random: Random): string => new Date(TEST_TIME + (below(random, 97) - 48) * 3_600_000).toISOString();
/** The age of a record never changes; two of the three ages are equal. */
const aged = (number: number): string => new Date(TEST_TIME - (number % 3) * DAY_MS).toISOString();

/** A change of one of few records, so that records collide. */
function change(random: Random): StoredEvent {
  const { events } = search;
  const number = below(random, 4);
  const body = () => `b${below(random, 4)}`;
  const item = () => `i${below(random, 10)}`;
  const kinds: readonly (() => StoredEvent)[] = [
    () =>
      events.jurisdiction(`j${number}`, {
        slug: `place-${number % 3}`,
        // No query contains the whole name, which would prefer the items of the place.
        name: `place ${some(random, 2)}`,
        createdAt: aged(number),
      }),
    () =>
      events.body(`b${number}`, {
        jurisdictionId: agendaId('jurisdictions', `j${below(random, 4)}`),
        name: some(random, 2),
      }),
    () =>
      events.source(`b${number}`, {
        publicBodyId: agendaId('public_bodies', body()),
        active: random() < 0.8,
        createdAt: aged(number),
      }),
    () =>
      events.topic(`t${number}`, {
        slug: `topic-${number % 3}`,
        name: some(random, 1),
        publicLabel: some(random, 2),
        createdAt: aged(number),
      }),
    () =>
      events.meeting(`m${number}`, body(), hours(random), {
        timezone: one(random, ['America/Chicago', 'Asia/Tokyo', 'UTC']),
      }),
    () => events.meeting(`m${number}`, body(), hours(random), { status: 'cancelled', sourceId: null }),
    () =>
      events.item(item(), `m${below(random, 4)}`, {
        title: some(random, 4),
        text: random() < 0.5 ? some(random, 5) : null,
      }),
    () =>
      events.item(item(), `m${below(random, 4)}`, {
        title: some(random, 4),
        matterFile: one(random, WORDS),
        actionText: some(random, 2),
      }),
    () => events.hit(`h${below(random, 12)}`, item(), `t${below(random, 4)}`),
    () =>
      events.publish('documents', `d${number}`, {
        agendaItemId: random() < 0.7 ? agendaId('agenda_items', item()) : null,
        kind: 'exhibit',
        title: some(random, 2),
        url: 'https://example.org/d',
      }),
  ];
  const event = one(random, kinds)();
  return random() < 0.07 ? { ...event, type: 'RecordWithdrawn' } : event;
}

interface ModelHit {
  readonly id: string;
  readonly fields: readonly (readonly string[])[];
  readonly jurisdiction: RecordData<'jurisdictions'>;
  readonly matterFile: string | null;
  readonly topicIds: readonly string[];
  readonly day: string;
}

/** The expected result, computed from the last event of each record. */
class Model {
  readonly #records = new Map<Resource, Map<string, { id: string }>>();
  readonly shown: readonly ModelHit[];

  constructor(events: readonly StoredEvent[]) {
    for (const { stream, type, data } of events) {
      const { resource, recordId } = recordOfStream(stream);
      const records = this.#records.get(resource) ?? new Map<string, { id: string }>();
      this.#records.set(resource, records);
      if (type === RECORD_PUBLISHED) records.set(recordId, JSON.parse(data) as { id: string });
      else records.delete(recordId);
    }
    this.shown = this.all('agenda_items').flatMap((item) => {
      const meeting = this.get('meetings', item.meetingId);
      const body = meeting && this.get('public_bodies', meeting.publicBodyId);
      const jurisdiction = body && this.get('jurisdictions', body.jurisdictionId);
      if (meeting === undefined || body === undefined || jurisdiction === undefined) return [];
      const hits = this.all('agenda_hits').filter(({ agendaItemId }) => agendaItemId === item.id);
      const topics = hits.map(({ topicId }) => this.get('topics', topicId)).filter((topic) => topic !== undefined);
      const documents = this.all('documents').filter(({ agendaItemId }) => agendaItemId === item.id);
      const texts = [
        ...[item.title, item.text, item.matterFile, item.actionText, body.name, jurisdiction.name],
        ...topics.flatMap(({ name, publicLabel }) => [name, publicLabel]),
        ...documents.map(({ title }) => title),
      ];
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: meeting.timezone, dateStyle: 'short' }).format(
        Date.parse(meeting.startsAt),
      );
      return [
        {
          id: item.id,
          matterFile: item.matterFile!,
          fields: texts.map((text) => text?.split(' ') ?? []),
          jurisdiction,
          topicIds: topics.map(({ id }) => id),
          day,
        },
      ];
    });
  }

  all<R extends Resource>(resource: R): readonly RecordData<R>[] {
    return [...(this.#records.get(resource)?.values() ?? [])] as unknown as readonly RecordData<R>[];
  }

  get<R extends Resource>(resource: R, id: string): RecordData<R> | undefined {
    return this.#records.get(resource)?.get(id) as unknown as RecordData<R> | undefined;
  }

  oldest(resource: 'jurisdictions' | 'topics', recordSlug: string): string | undefined {
    const age = ({ id, createdAt }: { id: string; createdAt: string }) => `${createdAt} ${id}`;
    return this.all(resource)
      .filter(({ slug }) => slug === recordSlug)
      .toSorted((left, right) => (age(left) < age(right) ? -1 : 1))[0]?.id;
  }

  filtered({ jurisdictionSlug, topicSlug, fromDate, toDate }: SearchArguments): readonly ModelHit[] {
    const [jurisdictionId, topicId] = [
      jurisdictionSlug && this.oldest('jurisdictions', jurisdictionSlug),
      topicSlug && this.oldest('topics', topicSlug),
    ];
    return this.shown.filter(
      ({ jurisdiction, topicIds, day }) =>
        (jurisdictionSlug === undefined || jurisdiction.id === jurisdictionId) &&
        (topicSlug === undefined || (topicId !== undefined && topicIds.includes(topicId))) &&
        day >= (fromDate ?? '') &&
        day <= (toDate ?? '9999'),
    );
  }
}

/** A part of a query: adjacent words, wanted or excluded. */
interface Part {
  readonly words: readonly string[];
  readonly wanted: boolean;
}

const has = ({ fields }: ModelHit, words: readonly string[]): boolean =>
  fields.some((field) => field.some((_, at) => words.every((word, offset) => field[at + offset] === word)));
const isMet = (hit: ModelHit, { words, wanted }: Part): boolean => has(hit, words) === wanted;
const textOf = ({ words, wanted }: Part): string =>
  `${wanted ? '' : '-'}${words.length > 1 ? `"${words.join(' ')}"` : words[0]}`;

const somePart = (random: Random, mayLack: boolean): Part => ({
  words: some(random, random() < 0.3 ? 2 : 1).split(' '),
  wanted: !mayLack || random() < 0.8,
});

/** A query with or, minus and quotes, and the items that it must find. */
function someQuery(
  random: Random,
  from: readonly ModelHit[],
): { readonly query: string; readonly expected: readonly ModelHit[] } {
  const lenient = random() < 0.5;
  const groups = Array.from({ length: lenient ? 1 : 1 + below(random, 3) }, () =>
    Array.from({ length: 1 + below(random, 4) }, () => somePart(random, !lenient)),
  );
  const query = groups.map((group) => group.map(textOf).join(' ')).join(one(random, [' or ', ' OR ']));
  const expected = from.filter((hit) => groups.some((group) => group.every((part) => isMet(hit, part))));
  if (expected.length > 0 || groups.length > 1 || groups[0]!.some(({ wanted }) => !wanted)) return { query, expected };
  // Each distinct part counts once; a single part is required.
  const parts = [...new Map(groups[0]!.map((part) => [part.words.join(' '), part])).values()];
  for (let lacking = 1; lacking <= Math.floor(parts.length / 2); lacking++) {
    const matching = from.filter((hit) => parts.filter((part) => isMet(hit, part)).length >= parts.length - lacking);
    if (matching.length > 0) return { query, expected: matching };
  }
  return { query, expected: [] };
}

function someFilters(random: Random): Omit<SearchArguments, 'query'> {
  const day = (offset: number) => new Date(TEST_TIME + offset * DAY_MS).toISOString().slice(0, 10);
  const from = below(random, 5) - 2;
  return {
    ...(random() < 0.3 ? { jurisdictionSlug: `place-${below(random, 3)}` } : {}),
    ...(random() < 0.3 ? { topicSlug: `topic-${below(random, 3)}` } : {}),
    ...(random() < 0.3 ? { fromDate: day(from) } : {}),
    ...(random() < 0.3 ? { toDate: day(from + below(random, 3)) } : {}),
  };
}

async function expectAnswers(random: Random, model: Model): Promise<number> {
  let matches = 0;
  for (let times = 0; times < QUERIES; times++) {
    const filters = someFilters(random);
    const { query, expected } = someQuery(random, model.filtered({ query: '', ...filters }));
    const whole = await search.all({ query, ...filters, limit: 20 });
    const matter = ({ id, jurisdiction, matterFile }: ModelHit) => `${jurisdiction.id} ${matterFile ?? id}`;
    // One item of each matter, and none that does not match.
    const matters = whole
      .map((id) => expected.find((hit) => hit.id === id))
      .map((hit) => (hit === undefined ? 'unexpected' : matter(hit)));
    expect({ query, filters, found: matters.toSorted() }).toEqual({
      query,
      filters,
      found: [...new Set(expected.map(matter))].toSorted(),
    });
    // Pages of any size return the same order, each row once.
    expect(await search.all({ query, ...filters, limit: 1 + below(random, 3) })).toEqual(whole);
    matches += whole.length;
  }
  for (let number = 0; number < 10; number++) {
    const id = agendaId('agenda_items', `i${number}`);
    expect([number, (await search.item(`i${number}`))?.itemId]).toEqual([
      number,
      model.shown.some((hit) => hit.id === id) ? id : undefined,
    ]);
  }
  return matches;
}

describe('the search', () => {
  test('is the same for any order and batches of the events and finds the last event of each record', async () => {
    await withSeed(async (random) => {
      let matches = 0;
      for (let round = 0; round < ROUNDS; round++) {
        await search.clear([search.generation, other]);
        const events = Array.from({ length: CHANGES }, () => change(random));
        await foldInBatches(random, events, (batch) => search.fold(batch, search.generation));
        await foldInBatches(random, shuffled(random, events), (batch) => search.fold(batch, other));
        const dumps = await Promise.all(
          [search.generation, other].map((number) => dumpTables(search.database, agendaSearch, number)),
        );
        expect(dumps[0]).toEqual(dumps[1]);
        matches += await expectAnswers(random, new Model(events));
      }
      // A run without any result would prove nothing.
      expect(matches).toBeGreaterThan(ROUNDS);
    });
  });

  test('keeps the number of records per word, and of entries per period, through any changes', async () => {
    await withSeed(async (random) => {
      const texts = [
        'Zoning change',
        'zoned parks',
        'Parks, parks and café',
        'short list',
        'Peñas Café change',
        'long-term lists',
      ];
      await search.clear();
      const { events } = search;
      const all = Array.from({ length: 150 }, () => {
        const event = one(random, [
          () =>
            events.item(`i${below(random, 8)}`, `m${below(random, 3)}`, {
              title: one(random, texts),
              text: one(random, [null, ...texts]),
            }),
          () => events.topic(`t${below(random, 3)}`, { name: one(random, texts), publicLabel: one(random, texts) }),
          () => events.jurisdiction('j', { name: one(random, texts) }),
          () => events.body('b', { jurisdictionId: agendaId('jurisdictions', 'j'), name: one(random, texts) }),
          () =>
            events.meeting(
              `m${below(random, 3)}`,
              'b',
              new Date(TEST_TIME + below(random, 400) * DAY_MS).toISOString(),
            ),
          () =>
            events.publish('documents', 'd', {
              kind: 'exhibit',
              title: one(random, texts),
              url: 'https://example.org/d',
            }),
        ])();
        return random() < 0.1 ? { ...event, type: 'RecordWithdrawn' } : event;
      });
      await foldInBatches(random, all, (batch) => search.fold(batch, search.generation));
      const model = new Model(all);
      const counts = new Map<string, number>();
      const count = (...of: readonly (string | null)[]) => {
        for (const word of spellableWords(of.filter((text) => text !== null).join('\n')))
          counts.set(word, (counts.get(word) ?? 0) + 1);
      };
      for (const { title, text } of model.all('agenda_items')) count(title, text);
      for (const { name, publicLabel } of model.all('topics')) count(name, publicLabel);
      for (const { name } of [...model.all('jurisdictions'), ...model.all('public_bodies')]) count(name);
      for (const { title } of model.all('documents')) count(title);
      const rows = async (part: 'words' | 'periods', columns: string) =>
        (
          await search.execute<{ word: string; records: number; entries: number }>({
            text: `select ${columns} from civic.agenda_search_${part}_g${search.generation}`,
            values: [],
          })
        ).rows;
      expect(new Map((await rows('words', 'word, records')).map(({ word, records }) => [word, records]))).toEqual(
        counts,
      );
      const periods = (await rows('periods', 'entries')).reduce((sum, { entries }) => sum + entries, 0);
      expect(periods).toBe(model.shown.length);
      for (const resource of ['agenda_items', 'topics', 'jurisdictions', 'public_bodies', 'documents'] as const) {
        for (const { id } of model.all(resource))
          await search.fold([{ ...all.at(-1)!, stream: recordStream(resource, id), type: 'RecordWithdrawn' }]);
      }
      expect([await rows('words', 'word'), await rows('periods', 'period')]).toEqual([[], []]);
    });
  });
});

describe('any query', () => {
  /** Texts that the query parser of the database may fail on. */
  const PIECES = [
    '-',
    '"',
    ' ',
    'or',
    'OR',
    'w1',
    '(',
    ')',
    '!',
    '&',
    '|',
    '<->',
    ':*',
    '\\',
    "'",
    'é',
    '𝔘',
    '\0',
    '\u{dc00}',
    '.',
    '/',
    '@',
    'a-b',
    '%',
  ];

  test('made of pieces of the query language is answered with pages that contain each item once', async () => {
    await withSeed(async (random) => {
      await search.clear();
      await search.fold([
        ...search.events.place('dallas'),
        search.events.meeting('m', 'dallas', new Date(TEST_TIME).toISOString()),
      ]);
      await search.fold(WORDS.map((word, index) => search.events.item(`i${index}`, 'm', { title: word })));
      for (let times = 0; times < 400; times++) {
        const pieces = Array.from({ length: 1 + below(random, 60) }, () => one(random, PIECES)).join('');
        const input = { query: pieces.slice(0, 200), limit: 1 + below(random, 20) };
        if (!searchAgenda.input.safeParse(input).success) throw new Error('the schema refuses what it should take');
        const page = await search.all(input);
        expect(new Set(page).size).toBe(page.length);
      }
    });
  });
});
