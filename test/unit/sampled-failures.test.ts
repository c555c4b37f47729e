import { expect, test } from 'vitest';
import { createSampledFailures } from '../../src/edge/admission/sampled-failures.ts';

function start() {
  const logged: object[] = [];
  const clock = { at: 1_000_000, now: () => clock.at };
  const say = (fields: object, message: string) => void logged.push({ ...fields, message });
  const failed = createSampledFailures({ clock, logger: { debug: say, info: say, warn: say, error: say } }, 'gone');
  return { logged, clock, failed };
}

test('one of a thousand failures in a second is logged, and the next one states the number between them', () => {
  const { logged, clock, failed } = start();
  for (let nth = 0; nth < 1_000; nth += 1) {
    failed(new Error(`failure ${nth}`));
    clock.at += 1;
  }
  failed(new Error('one more'));
  expect(logged).toEqual([
    { failures: 1, error: 'failure 0', message: 'gone' },
    { failures: 1_000, error: 'one more', message: 'gone' },
  ]);
});

test('a clock set back does not stop the logging, and a value that is not an Error is logged as text', () => {
  const { logged, clock, failed } = start();
  failed(new Error('before'));
  clock.at -= 3_600_000;
  failed('after');
  expect(logged).toEqual([
    { failures: 1, error: 'before', message: 'gone' },
    { failures: 1, error: 'after', message: 'gone' },
  ]);
});
