import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { chooseItems, type ChosenItem, type Stratum } from './choose-items.ts';
import { CITIES, recordedItems, type RecordedItem, shippedTopics } from './recordings.ts';

/** Writes the items that judges label, without any answer of the classifier: node tools/labels/sample.ts RECORDINGS FOLDER */
const ITEMS = 640;
const ITEMS_PER_PART = 40;
const LONGEST_TEXT = 1_500;

const shortened = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)} … (shortened)`;

function page({ id, city, day, subject: { item, body } }: RecordedItem, number: number): string {
  const text = item.text === null ? item.title : `${item.title}\n\n${item.text}`;
  const lines = [
    `## ${number}. ${id}`,
    `${city} · ${body.name} · ${day} · file ${item.matterFile}`,
    ...(item.matterName === undefined || item.matterName === item.title ? [] : [`name: ${shortened(item.matterName)}`]),
    `type: ${item.matterType ?? 'not stated'} · status: ${item.matterStatus ?? 'not stated'}`,
    '',
    shortened(text),
  ];
  return `${lines.join('\n')}\n`;
}

function counts(chosen: readonly ChosenItem[]): string {
  const strata: readonly Stratum[] = ['hit', 'near', 'random'];
  const count = (city: string, of: readonly Stratum[]): number =>
    chosen.filter((one) => one.recorded.city === city && of.includes(one.stratum)).length;
  const row = (city: string): string =>
    [city, ...strata.map((stratum) => count(city, [stratum])), count(city, strata)].join('\t');
  return [['city', ...strata, 'all'].join('\t'), ...CITIES.map(({ name }) => row(name))].join('\n');
}

const [recordings, folder] = process.argv.slice(2);
if (recordings === undefined || folder === undefined) {
  process.stderr.write('usage: node tools/labels/sample.ts RECORDINGS FOLDER\n');
  process.exit(2);
}
const chosen = await chooseItems(await recordedItems(recordings), shippedTopics(), topicClassifier(), ITEMS);
await mkdir(folder, { recursive: true });
for (let from = 0; from < chosen.length; from += ITEMS_PER_PART) {
  const part = String(from / ITEMS_PER_PART + 1).padStart(2, '0');
  const pages = chosen.slice(from, from + ITEMS_PER_PART).map(({ recorded }, at) => page(recorded, from + at + 1));
  await writeFile(path.join(folder, `part-${part}.md`), pages.join('\n'));
}
process.stdout.write(`${counts(chosen)}\n${chosen.length} items in ${folder}\n`);
