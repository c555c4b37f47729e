import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../domain/durations.ts';
import { classifyItem } from '../../src/classifier/classify-item.ts';
import { shippedTaxonomy } from '../support/classifier-subjects.ts';
import { adversarialTexts } from '../support/text-rules/adversarial-texts.ts';
import { FED, NOT_FED } from '../support/text-rules/fed-functions.ts';
import { modulesWithExpressions } from '../support/text-rules/modules-with-expressions.ts';
import { processorTime } from '../support/text-rules/processor-time.ts';
import { subjectOfText } from '../support/text-rules/records-of-text.ts';
import { type ShortReading, slowExpressions } from '../support/text-rules/slow-expressions.ts';

/** Processor time of one rule on one text of 8,000 UTF-16 code units. */
const LIMIT_MS = 20;
const ITEM_LIMIT_MS = 200;
const ROOT = new URL('../..', import.meta.url).pathname;
const PROGRAM = ['commands', 'contract', 'domain', 'infra', 'plumbing', 'projections', 'queries', 'src'];
/** Folders whose functions get texts from outside. */
const READERS = [
  'commands',
  'domain',
  'plumbing',
  'projections',
  'queries',
  'src/classifier',
  'src/edge/pages',
  'src/processors',
  'src/sources',
];

const SHORT: readonly ShortReading[] = [
  { start: String.raw`(?<![\s,;])(?:’s|`, readsAtMost: 1_000, because: 'it reads one name' },
  {
    start: String.raw`^[^\p{L}\p{N}]*(?:(?:insert )?page`,
    readsAtMost: 200,
    because: 'it reads titles of this length',
  },
  {
    start: String.raw`(?<![\s,;:–—-])[\s,;:–—-]+(?:(?:and|or|the`,
    readsAtMost: 200,
    because: 'it reads the end of a cut title',
  },
];

it('no regular expression of the program takes more than 20 ms for 8,000 characters of any kind', async () => {
  const { measured, slow } = await slowExpressions(
    { root: ROOT, folders: PROGRAM, limitMs: LIMIT_MS, exceptions: SHORT },
    10 * MINUTE_MS,
  );
  expect(measured).toBeGreaterThan(400);
  expect(slow).toEqual([]);
});

it('each exported function of a module with a regular expression is fed, or is not for a reason', () => {
  const modules = modulesWithExpressions(ROOT, READERS);
  const missing = [...modules]
    .filter(([path]) => NOT_FED[path] === undefined)
    .flatMap(([path, names]) =>
      names.filter((name) => FED[path]?.[name] === undefined).map((name) => `${path}: ${name}`),
    );
  expect(missing).toEqual([]);
  expect([...Object.keys(FED), ...Object.keys(NOT_FED)].filter((path) => !modules.has(path))).toEqual([]);
});

describe.each(Object.entries(FED))('%s', (_, functions) => {
  const fed = Object.entries(functions).flatMap(([name, feed]) => (feed === null ? [] : [[name, feed] as const]));
  it.each(fed)('%s takes at most 20 ms for 8,000 characters of any kind', (_name, feed) => {
    const slow = adversarialTexts().flatMap(({ kind, text }) => {
      const spent = processorTime(() => feed(text), LIMIT_MS);
      return spent > LIMIT_MS ? `${kind}: ${spent} ms` : [];
    });
    expect(slow).toEqual([]);
  });
});

it('an item takes at most 200 ms with the shipped topics, whatever its texts', () => {
  const slow = adversarialTexts(100_000).flatMap(({ kind, text }) => {
    // Includes a topic, so that a whole hit is created.
    const whole = subjectOfText(`Authorize rezoning of land; ${text}`);
    expect(classifyItem(whole, shippedTaxonomy)).not.toEqual([]);
    const spent = processorTime(() => classifyItem(whole, shippedTaxonomy), ITEM_LIMIT_MS);
    return spent > ITEM_LIMIT_MS ? `${kind}: ${spent} ms` : [];
  });
  expect(slow).toEqual([]);
});
