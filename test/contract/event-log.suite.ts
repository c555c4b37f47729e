import { describe } from 'vitest';
import { appendContract } from './event-log-append.suite.ts';
import { readContract } from './event-log-read.suite.ts';
import { retryContract } from './event-log-retry.suite.ts';
import { subscribeContract } from './event-log-subscribe.suite.ts';
import type { OpenStore } from '../support/event-log-builders.ts';

/**
 * The contract of every adapter of the log. `openStore` gives access to one store, which may contain other events; the suite uses
 * its own streams.
 */
export function eventLogContract(name: string, openStore: OpenStore): void {
  describe(`the event log on ${name}`, () => {
    appendContract(openStore);
    readContract(openStore);
    subscribeContract(openStore);
    retryContract(openStore);
  });
}
