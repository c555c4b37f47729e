import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { FROZEN_MS } from './civic.ts';
import { openClassification } from './classification.ts';
import { topicClassifier } from '../../src/classifier/classify-item.ts';
import { createClassificationReactor } from '../../src/processors/reactors/classification/classification-reactor.ts';

/**
 * A process that runs the classification. `after-writing`: says `written` once hits are stored and goes no further. `before-writing`: says
 * `classifying`, waits for a line, and says how its batch ended.
 */
const [mode, url, leaseMs] = process.argv.slice(2) as ['after-writing' | 'before-writing', string, string];
const classification = await openClassification(url, { folds: false, idleInTransactionMs: FROZEN_MS });
const lines = createInterface({ input: process.stdin });
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const { writer } = classification.civic;
const inner = topicClassifier();
const classifier = {
  name: inner.name,
  formerNames: [],
  classify: async (...args: Parameters<typeof inner.classify>) => {
    const hits = await inner.classify(...args);
    say('classifying');
    await once(lines, 'line');
    return hits;
  },
};
const stopsAfterWriting = {
  write: async (...args: Parameters<typeof writer.write>) => {
    await writer.write(...args);
    say('written');
    return new Promise<never>(() => undefined);
  },
};
const reactor = createClassificationReactor(
  classification.parts(mode === 'after-writing' ? { writer: stopsAfterWriting } : { classifier }),
);
classification.start(
  {},
  {
    leaseMs: Number(leaseMs),
    reactor: {
      ...reactor,
      begin: () => {
        const handle = reactor.begin();
        return async (batch, running) => {
          await handle(batch, running).then(
            () => say('handled'),
            (error: unknown) => {
              say(`refused: ${(error as Error).message}`);
              throw error;
            },
          );
        };
      },
    },
  },
);
