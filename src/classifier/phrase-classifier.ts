import type { Classifier } from '../../domain/ports/classifier.ts';
import type { RecordData } from '../../domain/records/resources.ts';
import { classifyItem, PHRASE_CLASSIFIER } from './classify-item.ts';
import { type CompiledTopics, compileTopics } from './compile-topics.ts';

/** The shipped classifier: whole-word phrases. Topics are compiled once per array: pass the same array while they are unchanged. */
export function phraseClassifier(): Classifier {
  const compiled = new WeakMap<readonly RecordData<'topics'>[], CompiledTopics>();
  return {
    name: PHRASE_CLASSIFIER,
    classify: async (subject, topics) => {
      const ready = compiled.get(topics) ?? compileTopics(topics);
      compiled.set(topics, ready);
      return classifyItem(subject, ready);
    },
  };
}
