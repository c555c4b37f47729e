import { expect, test } from 'vitest';
import { type Answer, AnswerLost } from '../../infra/kurrentdb/append-outcomes.ts';
import { AppendQueue } from '../../infra/kurrentdb/append-queue.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { newEvent } from '../support/event-log-builders.ts';

/** A lane that stores its appends until the test answers them. */
function heldLane() {
  const sent: { readonly stream: string; readonly answer: PromiseWithResolvers<Answer> }[] = [];
  const lane = {
    send({ stream }: { readonly stream: string }) {
      const answer = Promise.withResolvers<Answer>();
      sent.push({ stream, answer });
      return answer.promise;
    },
  };
  return { sent, queue: new AppendQueue({ lane, againMs: 60_000, positionOf: async () => '' as Position }) };
}
const done: Answer = { kind: 'appended', revision: 0, place: { commit: '1', prepare: '1' } };
const append = (stream: string) => ({ stream, expectedRevision: -1, events: [newEvent()] });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('appends of one stream wait for one another, and those of other streams do not wait for them', async () => {
  const { sent, queue } = heldLane();
  const all = ['a-1', 'a-1', 'b-1'].map((stream) => queue.append(append(stream)));
  await turn();
  expect(sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1']);
  sent[0]!.answer.resolve(done);
  await expect.poll(() => sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1', 'a-1']);
  for (const { answer } of sent) answer.resolve(done);
  await Promise.all(all);
});

test('lost appends are sent again in their order, before any later append', async () => {
  const { sent, queue } = heldLane();
  const all = ['a-1', 'b-1', 'c-1'].map((stream) => queue.append(append(stream)));
  await turn();
  sent[2]!.answer.reject(new AnswerLost('lost'));
  sent[0]!.answer.reject(new AnswerLost('lost'));
  await turn();
  all.push(queue.append(append('d-1')));
  await turn();
  await turn();
  expect(sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1', 'c-1']);
  sent[1]!.answer.resolve(done);
  await expect.poll(() => sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1', 'c-1', 'a-1', 'c-1', 'd-1']);
  for (const { answer } of sent) answer.resolve(done);
  await Promise.all(all);
});
