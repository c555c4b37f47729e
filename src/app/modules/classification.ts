import { recordHistory } from '../../../projections/record-history/projection.ts';
import { recordReferences } from '../../../projections/record-references/projection.ts';
import { currentIds } from '../../../queries/feed/published-records.ts';
import { FORMER_NAMES, CLASSIFIER } from '../../classifier/classifier-names.ts';
import { CLASSIFICATION_WORKER, ITEM_DEADLINE_MS, WorkerClassifier } from '../../classifier/worker-classifier.ts';
import type { Platform } from '../platform.ts';
import { createClassificationReactor } from '../../processors/reactors/classification/classification-reactor.ts';
import type { Module } from './module.ts';
import type { sources } from './sources.ts';

export function classification(platform: Platform, { writer, published }: ReturnType<typeof sources>) {
  const { log, clock, logger, reads, progress } = platform;
  const classifier = new WorkerClassifier({
    name: CLASSIFIER,
    formerNames: FORMER_NAMES,
    entry: CLASSIFICATION_WORKER,
    clock: platform.machineClock,
    deadlineMs: ITEM_DEADLINE_MS,
  });
  platform.onClose(() => classifier.close());
  const reactor = createClassificationReactor({
    log,
    clock,
    logger,
    writer,
    known: published,
    classifier,
    unclassified: platform.stores.unclassifiedItems,
    progress,
    readModels: [recordHistory.name, recordReferences.name],
    currentIds: (resource) => currentIds(reads, resource),
  });
  return { reactors: [reactor] } satisfies Module;
}
