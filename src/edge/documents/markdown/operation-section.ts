import type { Examples } from '../../../../contract/operation.ts';
import type { OpenApiDocument, OperationObject, Parameter } from '../openapi.ts';
import { type SampleLanguage, samples } from './operation-samples.ts';
import { blocks, fence, json, table, typeText } from './schema-text.ts';

export interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

export const placedOperations = ({ paths }: OpenApiDocument): readonly Placed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

function access({ security, 'x-required-scope': scope }: OperationObject): string {
  if (security.length === 0) return 'No key is needed.';
  return scope === null ? 'Needs any active API key.' : `Needs an API key with the scope \`${scope}\`.`;
}

const shownExamples = (examples: Examples): string =>
  blocks(
    ...Object.values(examples).map(
      ({ summary, value }) => `${summary}:\n\n${typeof value === 'string' ? fence('', value) : json(value)}`,
    ),
  );

function parameterRow({ name, in: place, required, schema, description }: Parameter): readonly string[] {
  return [`\`${name}\``, place, required ? 'yes' : 'no', typeText(schema), description];
}

const isRefusal = (status: string): boolean => Number(status) >= 400;

/** Writes the section of an operation. `level` is the Markdown prefix of its heading, such as `##`. */
export function operationSection(
  { path, method, operation }: Placed,
  baseUrl: string,
  level: string,
  languages: readonly SampleLanguage[],
): string {
  const { parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const answers = Object.entries(responses);
  return blocks(
    `${level} ${operation.operationId}`,
    `${operation.summary}.`,
    `\`${method.toUpperCase()} ${path}\``,
    access(operation),
    operation.description,
    ...samples(languages, baseUrl, path, method, operation),
    table(['Parameter', 'In', 'Required', 'Type', 'Meaning'], parameters.map(parameterRow)),
    body === undefined
      ? ''
      : blocks(`Body: ${typeText(body.schema)}. ${requestBody!.description}`, shownExamples(body.examples)),
    ...answers
      .filter(([status]) => !isRefusal(status))
      .map(([status, { description, content = {} }]) => {
        const answer = content['application/json'];
        const shape = answer === undefined ? '' : ` ${typeText(answer.schema)}.`;
        return blocks(
          `Answer ${status}: ${description}${shape}`,
          answer === undefined || status === '304' ? '' : shownExamples(answer.examples),
        );
      }),
    table(
      ['Status', 'Codes'],
      answers.filter(([status]) => isRefusal(status)).map(([status, { description }]) => [status, description]),
    ),
  );
}
