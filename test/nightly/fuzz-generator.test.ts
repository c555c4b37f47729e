import { describe, expect, test } from 'vitest';
import type { Conversation } from '../fuzz/conversation.ts';
import { conversationAt } from '../fuzz/generate.ts';
import { judge } from '../fuzz/judge.ts';
import { BadHttp, readAnswers } from '../fuzz/read-answers.ts';

const FACTS = { key: 'crs_key', snapshotId: 'snapshot', subscriptionId: 'subscription', reportId: 'report' };
const sequence = (seed: number, count: number): readonly Conversation[] =>
  Array.from({ length: count }, (_, index) => conversationAt(seed, index, FACTS));
const bytesOf = ({ steps }: Conversation): Buffer => Buffer.concat(steps.filter((step) => typeof step !== 'number'));

describe('the sequence of a seed', () => {
  test('is the same each time it is generated', () => {
    expect(sequence(7, 500)).toEqual(sequence(7, 500));
  });

  test('differs between seeds', () => {
    expect(sequence(7, 50)).not.toEqual(sequence(8, 50));
  });

  test('contains every ending, both listeners, and cuts before and within a request', () => {
    const all = sequence(7, 1_000);
    expect(new Set(all.map(({ end }) => end))).toEqual(new Set(['read', 'answers', 'reset', 'leave', 'hold']));
    expect(new Set(all.map(({ listener }) => listener))).toEqual(new Set(['public', 'operators']));
    const resets = all.filter(({ end }) => end === 'reset').map((each) => bytesOf(each).toString('latin1'));
    expect(resets.some((text) => /^\w+ \/[^\r]*$/.test(text))).toBe(true);
    expect(resets.some((text) => text.endsWith('\r\n\r\n'))).toBe(true);
  });
});

const answer = (status: string, body: string, type = 'application/json; charset=utf-8'): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const NOT_FOUND = answer('404 Not Found', '{"error":{"code":"not_found","message":"x"}}');

describe('received bytes are parsed', () => {
  test('answer by answer, without the body of a HEAD and past an interim answer', () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n';
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n';
    const received = Buffer.from(`${head}HTTP/1.1 100 Continue\r\n\r\n${chunked}${NOT_FOUND}`);
    const { answers, rest } = readAnswers(received, ['HEAD', 'POST', 'GET']);
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [200, 0],
      [200, 2],
      [404, 44],
    ]);
    expect(rest).toHaveLength(0);
  });

  test.each(['nonsense', 'HTTP/1.1 abc\r\n\r\n', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\nbody'])(
    'with an error for %j, which is not HTTP',
    (text) => {
      expect(() => readAnswers(Buffer.from(text), ['GET'])).toThrow(BadHttp);
    },
  );
});

describe('a received answer', () => {
  const conversation: Conversation = {
    listener: 'public',
    kind: 'valid',
    steps: [],
    end: 'read',
    methods: ['GET'],
    tools: true,
  };
  test.each([
    ['a failure', answer('500 Internal Server Error', '{"error":{"code":"internal_error","message":"x"}}')],
    ['an outage', answer('503 Service Unavailable', '{"error":{"code":"feed_unavailable","message":"x"}}')],
    ['a refusal without the envelope', answer('400 Bad Request', '{"message":"x"}')],
    ['a refusal in text', answer('400 Bad Request', 'bad', 'text/plain')],
    [
      'a failure of the tool protocol',
      answer('200 OK', '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}'),
    ],
    ['two answers to one request', NOT_FOUND + NOT_FOUND],
    ['half an answer', NOT_FOUND.slice(0, -5)],
    ['an end without an answer', ''],
  ])('is wrong: %s', (_, text) => {
    expect(judge(conversation, { received: Buffer.from(text), how: 'ended' })).toHaveLength(1);
  });

  test('is right when it is a refusal in the envelope', () => {
    expect(judge(conversation, { received: Buffer.from(NOT_FOUND), how: 'ended' })).toEqual([]);
  });

  test('is wrong when it does not arrive in time', () => {
    expect(judge(conversation, { received: Buffer.alloc(0), how: 'unanswered' })).toHaveLength(1);
  });
});
