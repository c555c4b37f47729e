import { expect, test } from 'vitest';
import type { Answer } from '../../infra/kurrentdb/append-calls.ts';
import { AppendQueue } from '../../infra/kurrentdb/append-queue.ts';
import { AnswerLost } from '../../infra/kurrentdb/wire-errors.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { newEvent } from '../support/event-log-builders.ts';

/** A queue whose appends wait until the test answers them. */
function heldQueue() {
  const calls: { readonly stream: string; readonly answer: PromiseWithResolvers<Answer> }[] = [];
  const send = ({ stream }: { readonly stream: string }) => {
    const answer = Promise.withResolvers<Answer>();
    calls.push({ stream, answer });
    return answer.promise;
  };
  return { sent: calls, queue: new AppendQueue({ send, againMs: 60_000, positionOf: async () => '' as Position }) };
}
const appended: Answer = { kind: 'appended', revision: 0, position: '1' as Position };
const append = (stream: string) => ({ stream, expectedRevision: -1, events: [newEvent()] });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('appends of one stream wait for one another, and those of other streams do not wait for them', async () => {
  const { sent, queue } = heldQueue();
  const all = ['a-1', 'a-1', 'b-1'].map((stream) => queue.append(append(stream)));
  await turn();
  expect(sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1']);
  sent[0]!.answer.resolve(appended);
  await expect.poll(() => sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1', 'a-1']);
  for (const { answer } of sent) answer.resolve(appended);
  await Promise.all(all);
});

test('lost appends are sent again in their order, before any later append', async () => {
  const { sent, queue } = heldQueue();
  const all = ['a-1', 'b-1', 'c-1'].map((stream) => queue.append(append(stream)));
  await turn();
  sent[2]!.answer.reject(new AnswerLost('lost'));
  sent[0]!.answer.reject(new AnswerLost('lost'));
  await turn();
  all.push(queue.append(append('d-1')));
  await turn();
  await turn();
  expect(sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1', 'c-1']);
  sent[1]!.answer.resolve(appended);
  await expect.poll(() => sent.map(({ stream }) => stream)).toEqual(['a-1', 'b-1', 'c-1', 'a-1', 'c-1', 'd-1']);
  for (const { answer } of sent) answer.resolve(appended);
  await Promise.all(all);
});
