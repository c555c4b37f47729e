import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requireReadable } from '../../domain/events/read-any-event.ts';

const FOLDER = new URL('../fixtures/events/', import.meta.url);
interface Golden {
  readonly event: { readonly stream: string; readonly type: string; readonly data: unknown };
}

test.each(readdirSync(FOLDER).filter((file) => file.endsWith('.json')))(
  'the verification of a backup reads %s, and refuses a damaged one',
  (file) => {
    const { event } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden;
    requireReadable({ ...event, data: JSON.stringify(event.data) });
    expect(() => requireReadable({ ...event, data: '{"other":1}' })).toThrow();
    expect(() => requireReadable({ ...event, type: 'SomethingElse', data: JSON.stringify(event.data) })).toThrow();
  },
);
