import { recordHistory } from '../../projections/record-history/projection.ts';
import { recordReferences } from '../../projections/record-references/projection.ts';
import { currentIds } from '../../queries/feed/published-records.ts';
import { phraseClassifier } from '../classifier/classify-item.ts';
import type { Platform } from '../platform.ts';
import { createClassificationReactor } from '../processors/reactors/classification/classification-reactor.ts';
import type { Module } from './module.ts';
import type { sources } from './sources.ts';

export function classification({ log, clock, reads, progress }: Platform, { writer, published }: ReturnType<typeof sources>) {
  const reactor = createClassificationReactor({
    log,
    clock,
    writer,
    known: published,
    classifier: phraseClassifier(),
    progress,
    readModels: [recordHistory.name, recordReferences.name],
    currentIds: (resource) => currentIds(reads, resource),
  });
  return { reactors: [reactor] } satisfies Module;
}
