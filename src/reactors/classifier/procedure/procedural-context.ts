import type { ClassificationSubject } from '../../../domain/ports/classifier.ts';
import type { NormalizedContent } from '../../../domain/records/resources.ts';
import { nextStep } from './next-step.ts';
import { publicAction } from './public-action.ts';
import { proceduralStage } from './stage.ts';

type ProceduralContext = NormalizedContent<'agenda_hits'>['proceduralContext'];

/** Where an item stands in its procedure (specification, "Agenda hit"); what the records do not say is `unknown` or null. */
export const proceduralContext = (subject: ClassificationSubject): ProceduralContext => {
  const { item, body } = subject;
  const texts = [item.title, item.text, item.actionText].filter((text) => text !== null);
  const stage = proceduralStage(subject);
  const next = nextStep(subject, texts);
  return {
    proceduralStage: stage,
    actingBodyRole: body.actingBodyRole,
    nextBodyName: next.bodyName,
    nextMeetingDate: next.date,
    ...publicAction(subject, stage, texts),
  };
};
