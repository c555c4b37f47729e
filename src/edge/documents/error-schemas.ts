import type { EnvelopeName } from '../../../contract/error-codes.ts';
import type { Examples, ClosedOperation, Operation } from '../../../contract/operation.ts';
import { STATUSES } from '../../../contract/statuses.ts';
import { type RejectionCode, REJECTIONS, REPORTS_FORBIDDEN } from '../../../domain/rejections.ts';
import type { JsonSchema } from './document-types.ts';
import { referenceTo } from './json-schemas.ts';

const PREFIXES: Readonly<Record<EnvelopeName, string>> = {
  public: 'Public',
  feed: 'Feed',
  report: 'Report',
  tools: 'ToolEndpoint',
  closed: 'ClosedRoute',
};

const envelopeOf = ({ access, path }: Operation | ClosedOperation): EnvelopeName => {
  if (access !== 'key') return access;
  if (path.startsWith('/api/v1/data/')) return 'feed';
  return path.startsWith('/api/v1/data-reports') ? 'report' : 'tools';
};

/** The refusals of an operation, by status in rising order. */
export const refusalsByStatus = (operation: Operation | ClosedOperation): ReadonlyMap<number, readonly RejectionCode[]> => {
  const byStatus = new Map<number, RejectionCode[]>();
  const add = (status: number, code: RejectionCode) => byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  for (const code of operation.refusals) add(STATUSES[code], code);
  const elsewhere = operation.access === 'closed' ? {} : (operation.refusalsAt ?? {});
  for (const [status, codes] of Object.entries(elsewhere)) for (const code of codes) add(Number(status), code);
  return new Map([...byStatus].toSorted(([a], [b]) => a - b));
};

const pascal = (code: string): string => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const nameOf = (prefix: string, status: number, codes: readonly RejectionCode[]): string => {
  if (codes.length <= 2) return `${prefix}Error${codes.map(pascal).join('Or')}`;
  return `${codes.some((code) => code.startsWith('feed_subscription')) ? 'Subscription' : prefix}Error${status}`;
};

export interface ErrorSchemas {
  /** The schema of one status of an operation: its envelope, narrowed to the codes that can come. */
  of(operation: Operation | ClosedOperation, status: number, codes: readonly RejectionCode[]): JsonSchema;
  /** What `of` has named so far. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/** Each code appears twice: in the envelope and at its status. */
const narrowed = (envelope: JsonSchema, prefix: string, codes: readonly RejectionCode[]): JsonSchema => {
  const error = envelope.properties?.['error'];
  const code = {
    allOf: [referenceTo(`${prefix}ErrorCode`), { type: 'string', enum: codes }],
    description: 'What happened, for a program.',
  };
  return { ...envelope, properties: { error: { ...error, properties: { ...error?.properties, code } } } };
};

/** `envelope` is the schema of the error envelope with every code. */
export const createErrorSchemas = (envelope: JsonSchema): ErrorSchemas => {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    of: (operation, status, codes) => {
      const prefix = PREFIXES[envelopeOf(operation)];
      const name = nameOf(prefix, status, codes);
      const schema = narrowed(envelope, prefix, codes);
      if (components[name] !== undefined && JSON.stringify(components[name]) !== JSON.stringify(schema)) {
        throw new Error(`two sets of error codes have the name ${name}`);
      }
      components[name] = schema;
      return referenceTo(name);
    },
  };
};

/** The meaning of a code in the answer of an operation. */
export function meaningOf(operation: Operation | ClosedOperation, code: RejectionCode): string {
  return code === 'forbidden' && envelopeOf(operation) === 'report' ? REPORTS_FORBIDDEN : REJECTIONS[code];
}

export function errorExamples(operation: Operation | ClosedOperation, codes: readonly RejectionCode[]): Examples {
  return Object.fromEntries(
    codes.map((code) => {
      const message = meaningOf(operation, code);
      return [code, { summary: message, value: { error: { code, message } } }];
    }),
  );
}
