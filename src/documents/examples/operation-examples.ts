import type { Examples } from '../document-types.ts';

/** What the documents show of one operation; a test holds each value against its schema. */
export interface OperationExamples {
  /** By name, as they go into the documents and the client examples. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly body?: Examples;
  readonly success?: Examples;
}
