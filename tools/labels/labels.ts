import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { compileTopics } from '../../src/classifier/keywords.ts';
import { shippedLexicon } from '../../src/classifier/topics/lexicon.ts';
import { SHIPPED } from '../../src/classifier/topic-hits.ts';
import { parseLabelledTitles, readTrainingTitles } from './corpus.ts';
import { measure } from './measure.ts';
import { predict } from './predict.ts';
import { shippedTopics } from './recordings.ts';
import { trainTopics } from './topic-training.ts';

const USAGE = `usage:
  npm run labels -- --corpus DIR [--recordings DIR] [--train] [--json]
      measures each jurisdiction with models that never saw it; --train writes the shipped weights
  npm run labels -- --items FILE [--json] [--predict]
      measures the shipped weights on a file like labels.tsv; --predict prints what is read in each item
DIR of --recordings holds legistar-api and legistar; by default it is the parent folder of the corpus.
`;
const WEIGHTS = new URL('../../src/classifier/topics/weights.json', import.meta.url);

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    recordings: { type: 'string' },
    items: { type: 'string' },
    train: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    predict: { type: 'boolean', default: false },
  },
});
const topics = compileTopics(shippedTopics());
const print = (text: string): void => void process.stdout.write(text);

async function measureCorpus(folder: string): Promise<void> {
  const { corpus, others, hash } = await readTrainingTitles(folder, values.recordings ?? `${folder}/..`);
  const { model, leftOut } = trainTopics([...corpus, ...others], hash, { topics, lexicon: shippedLexicon() });
  if (values.train) await writeFile(WEIGHTS, `${JSON.stringify(model)}\n`);
  print(measure(corpus, { topics, trainedFor: (title) => leftOut.get(title)!, isJson: values.json }));
}

async function judgeItems(file: string): Promise<void> {
  const titles = parseLabelledTitles(await readFile(file, 'utf8'));
  if (values.predict) print(predict(titles, topics, values.json));
  else print(measure(titles, { topics, trainedFor: () => SHIPPED, isJson: values.json }));
}

if (values.corpus !== undefined) await measureCorpus(values.corpus);
else if (values.items !== undefined) await judgeItems(values.items);
else {
  process.stderr.write(USAGE);
  process.exitCode = 2;
}
