import type { operations } from '../generated/contract.ts';
import { OPERATIONS } from '../generated/operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export type OperationId = keyof typeof OPERATIONS;

type Part<Name extends string, Value> = [Exclude<Value, undefined>] extends [never]
  ? unknown
  : undefined extends Value
    ? { readonly [Key in Name]?: Exclude<Value, undefined> }
    : { readonly [Key in Name]: Value };
type BodyOf<Operation> = Operation extends { readonly requestBody: { readonly content: { readonly 'application/json': infer Body } } }
  ? Body
  : never;

/** What an operation takes: `path`, `query`, `headers` and `body`, each where the operation has it. */
export type Input<Id extends OperationId> = Part<'path', operations[Id]['parameters']['path']> &
  Part<'query', operations[Id]['parameters']['query']> &
  Part<'headers', operations[Id]['parameters']['header']> &
  Part<'body', BodyOf<operations[Id]>>;

type Json<Response> = Response extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** What an operation answers. */
export type Answer<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: Json<operations[Id]['responses'][Status]>;
}[keyof operations[Id]['responses']];

type Arguments<Given> = unknown extends Given
  ? [input?: Readonly<Record<string, never>>, options?: CallOptions]
  : object extends Given
    ? [input?: Given, options?: CallOptions]
    : [input: Given, options?: CallOptions];

/** Every operation of the interface as a function, by its name in the API reference. Throws `CivicError`, the reason of a signal, or `TypeError` for other parts. */
export type Operations = { readonly [Id in OperationId]: (...given: Arguments<Input<Id>>) => Promise<Answer<Id>> };

type Values = Readonly<Record<string, string | number | boolean | undefined>>;
interface AnyInput {
  readonly path?: Values;
  readonly query?: Values;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function operationsOver({ send }: Transport): Operations {
  const functions = Object.entries(OPERATIONS).map(([id, { method, path, key }]) => [
    id,
    async ({ path: values = {}, query = {}, headers, body, ...others }: AnyInput = {}, options?: CallOptions) => {
      const [other] = Object.keys(others);
      if (other !== undefined)
        throw new TypeError(`the input of ${id} has no ${other}: ${id}(input, { signal }), where the input may be {}`);
      return send(
        { method, path: filled(path, values) + queryText(query), withKey: key, ...(headers === undefined ? {} : { headers }), body },
        options,
      );
    },
  ]);
  return Object.fromEntries(functions) as Operations;
}

const filled = (path: string, values: Values): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`the path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });

function queryText(query: Values): string {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
