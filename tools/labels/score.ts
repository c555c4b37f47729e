import { readFile } from 'node:fs/promises';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { type Case, FIGURE_COLUMNS, figures, undecidedItems, withoutAnyHit } from './figures.ts';
import { agreedAnswer, HALVES, halfOf, type LabelledItem, parseLabels, strictAnswer } from './labels-file.ts';
import { CITIES, recordedItems, shippedTopics } from './recordings.ts';

/** Prints precision and recall of the classifier on labelled items: node tools/labels/score.ts RECORDINGS LABELS */
const [recordings, file] = process.argv.slice(2);
if (recordings === undefined || file === undefined) {
  process.stderr.write('usage: node tools/labels/score.ts RECORDINGS LABELS\n');
  process.exit(2);
}
const topics = shippedTopics();
const labels = parseLabels(await readFile(file, 'utf8'), new Set(topics.map(({ slug }) => slug)));
const items = new Map((await recordedItems(recordings)).map((item) => [item.id, item]));
const classifier = topicClassifier();

async function hitTopics(id: string): Promise<{ readonly city: string; readonly found: ReadonlySet<string> }> {
  const item = items.get(id);
  if (item === undefined) throw new Error(`${file}: ${id} is not in the recordings`);
  const hits = await classifier.classify(item.subject, topics);
  return { city: item.city, found: new Set(hits.map(({ content }) => content.topicId)) };
}

async function casesOf(answer: (label: LabelledItem, topic: string) => boolean | null): Promise<Case[]> {
  const cases: Case[] = [];
  for (const label of labels) {
    const { city, found } = await hitTopics(label.id);
    for (const { id, slug } of topics)
      cases.push({ item: label.id, city, topic: slug, belongs: answer(label, slug), found: found.has(id) });
  }
  return cases;
}

function printTable(title: string, cases: readonly Case[]): void {
  const figuresOf = (key: 'topic' | 'city', name: string): string[] =>
    figures(
      name,
      cases.filter((one) => one[key] === name),
    );
  const rows = [
    [...FIGURE_COLUMNS],
    ...topics.map(({ slug }) => figuresOf('topic', slug)),
    ...CITIES.map(({ name }) => figuresOf('city', name)),
    figures('all', cases),
  ];
  const widths = FIGURE_COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const count = new Set(cases.map(({ item }) => item)).size;
  process.stdout.write(
    `\n${title}: ${count} items, ${undecidedItems(cases)} of them with a topic that is left out\n${lines.join('\n')}\n`,
  );
  process.stdout.write(`items that belong to a topic and have no hit: ${withoutAnyHit(cases)}\n`);
}

process.stdout.write(`${classifier.name}: ${labels.length} labelled items; intervals of 95 % (Wilson)\n`);
const strict = await casesOf(strictAnswer);
const agreed = await casesOf(agreedAnswer);
for (const half of HALVES) {
  const ofHalf = (cases: readonly Case[]): Case[] => cases.filter(({ item }) => halfOf(item) === half);
  printTable(`${half} half, both judges the same`, ofHalf(strict));
  printTable(`${half} half, agreed label`, ofHalf(agreed));
}
