import * as fc from 'fast-check';
import { v5 } from 'uuid';
import { expect, test } from 'vitest';
import { testSeed } from '../support/test-seed.ts';
import { derivedId, eventId } from '../../domain/identifiers.ts';

const NAMESPACE = '6a1c9c5e-0d6f-5d6b-9d51-3f7c2b1f8e10';

test('a derived id is the name-based uuid of RFC 9562, version 5', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), (parts) => {
      expect(derivedId(...parts)).toBe(v5(parts.join('\n'), NAMESPACE));
    }),
    { seed: testSeed() },
  );
});

test('the id of an event is the name-based uuid of its number in the namespace of its command', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.nat(), (command, number) => {
      expect(eventId(command, number)).toBe(v5(String(number), command));
    }),
    { seed: testSeed() },
  );
});
