import type { Examples } from '../../../contract/operation.ts';
import type { JsonSchema } from './json-schemas.ts';

/** By media type. */
export type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly examples: Examples }>>;

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: true; readonly description: string; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** Whether the program that serves the document answers this operation too. */
  readonly 'x-served': true;
  readonly 'x-required-scope': string | null;
}
