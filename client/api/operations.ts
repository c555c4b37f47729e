import type { operations } from '../generated/contract.ts';
import { OPERATIONS } from '../generated/operations.ts';
import type { CallOptions, Transport } from './transport.ts';

export type OperationId = keyof typeof OPERATIONS;

type Part<Name extends string, Value> = [Exclude<Value, undefined>] extends [never]
  ? unknown
  : undefined extends Value
    ? { readonly [Key in Name]?: Exclude<Value, undefined> }
    : { readonly [Key in Name]: Value };
type BodyOf<Operation> = Operation extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer Body } };
}
  ? Body
  : never;

/** Input of an operation: those of `path`, `query`, `headers` and `body` that the operation has. */
export type Input<Id extends OperationId> = Part<'path', operations[Id]['parameters']['path']> &
  Part<'query', operations[Id]['parameters']['query']> &
  Part<'headers', operations[Id]['parameters']['header']> &
  Part<'body', BodyOf<operations[Id]>>;

type Json<Response> = Response extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** Body of a successful response. */
export type Answer<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: Json<operations[Id]['responses'][Status]>;
}[keyof operations[Id]['responses']];

type Arguments<Parts> = unknown extends Parts
  ? [input?: Readonly<Record<string, never>>, options?: CallOptions]
  : object extends Parts
    ? [input?: Parts, options?: CallOptions]
    : [input: Parts, options?: CallOptions];

/**
 * Every operation of the interface as a function, named as in the API reference. Throws `CivicError`, the reason of an aborted signal, or
 * `TypeError` for an unknown part of the input.
 */
export type Operations = { readonly [Id in OperationId]: (...input: Arguments<Input<Id>>) => Promise<Answer<Id>> };

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
        {
          method,
          path: fillPath(path, values) + formatQuery(query),
          withKey: key,
          ...(headers === undefined ? {} : { headers }),
          body,
        },
        options,
      );
    },
  ]);
  return Object.fromEntries(functions) as Operations;
}

const fillPath = (path: string, values: Values): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`the path ${path} needs ${name}`);
    return encodeURIComponent(value);
  });

function formatQuery(query: Values): string {
  const parameters = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`;
}
