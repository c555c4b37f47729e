import { CUSTOMER_OPERATIONS } from '../../../contract/operations.ts';
import { type NextWorkflow, type Workflow, WORKFLOWS, type WorkflowStep } from '../../../contract/workflows.ts';
import { getOpenApiDocument } from '../../../contract/get-openapi-document.ts';
import type { OpenApiDocument, OperationObject } from './openapi.ts';

/** The first version in which a workflow can pass inputs to the next one. */
const ARAZZO_VERSION = '1.1.0';
const SOURCE = 'civic';
/** Statuses after which a client sends the same request again. `Retry-After` overrides the seconds. */
const TRANSIENT = ['429', '503', '504'];
const RETRY = { retryAfter: 1, retryLimit: 5 };

const KEY = { type: 'string', format: 'password', description: 'API key.' };
const AUTHORIZATION = { name: 'Authorization', in: 'header', value: 'Bearer {$inputs.key}' };

/**
 * Builds the workflows for the operations of an OpenAPI document. Throws if an operation, a parameter or a workflow
 * does not exist.
 */
export function buildArazzoDocument({ info, servers, paths }: Pick<OpenApiDocument, 'info' | 'servers' | 'paths'>) {
  const operations = new Map(
    Object.values(paths)
      .flatMap(Object.values)
      .map((each: OperationObject) => [each.operationId, each]),
  );
  return {
    arazzo: ARAZZO_VERSION,
    info: {
      title: `${info.title}: workflows`,
      version: info.version,
      summary: 'Sequences of requests that customers send, and what they do when a request is refused.',
    },
    sourceDescriptions: [{ name: SOURCE, type: 'openapi', url: `${servers[0]?.url ?? ''}${getOpenApiDocument.path}` }],
    workflows: Object.entries(WORKFLOWS).map(([workflowId, { summary, description, inputs, steps }]) => ({
      workflowId,
      summary,
      description,
      inputs: {
        type: 'object',
        required: ['key', ...Object.keys(inputs)],
        properties: {
          key: KEY,
          ...Object.fromEntries(Object.entries(inputs).map(([name, meaning]) => [name, describeInput(meaning)])),
        },
      },
      parameters: [AUTHORIZATION],
      steps: steps.map((step) => stepObject(step, operations.get(step.operationId))),
    })),
  };
}

const describeInput = (description: string) => ({ type: 'string', description });

function stepObject(step: WorkflowStep, operation: OperationObject | undefined) {
  const { stepId, operationId, description, payload, alsoExpected, checks = [], outputs, next } = step;
  if (operation === undefined) throw new Error(`${stepId}: there is no operation ${operationId}`);
  const parameters = buildParameters(step, operation);
  const expected = [
    CUSTOMER_OPERATIONS[operationId].success.status,
    ...(alsoExpected === undefined ? [] : [alsoExpected]),
  ];
  const unknown = expected.find((status) => !(status in operation.responses));
  if (unknown !== undefined) throw new Error(`${stepId}: ${operationId} does not answer ${unknown}`);
  return {
    stepId,
    operationId,
    description,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(payload && { requestBody: { contentType: 'application/json', payload } }),
    successCriteria: [expected.map((status) => `$statusCode == ${status}`).join(' || '), ...checks].map(
      (condition) => ({ condition }),
    ),
    ...(next && { onSuccess: next.map(buildAction) }),
    onFailure: [
      { name: 'later', type: 'retry', ...RETRY, criteria: [{ condition: buildTransientCondition(operation) }] },
    ],
    ...(outputs && { outputs }),
  };
}

function buildParameters({ stepId, operationId, parameters = {} }: WorkflowStep, operation: OperationObject) {
  const missing = operation.parameters?.find(({ name, required }) => required && !(name in parameters));
  if (missing !== undefined) throw new Error(`${stepId}: ${operationId} needs the parameter ${missing.name}`);
  return Object.entries(parameters).map(([name, value]) => {
    const place = operation.parameters?.find((parameter) => parameter.name === name)?.in;
    if (place === undefined) throw new Error(`${stepId}: ${operationId} has no parameter ${name}`);
    return { name, in: place, value };
  });
}

const buildTransientCondition = ({ responses }: OperationObject): string =>
  TRANSIENT.filter((status) => status in responses)
    .map((status) => `$statusCode == ${status}`)
    .join(' || ');

function buildAction({ name, condition, workflowId, inputs = {} }: NextWorkflow) {
  const criteria = condition === undefined ? {} : { criteria: [{ condition }] };
  if (workflowId === undefined) return { name, type: 'end', ...criteria };
  const allInputs = Object.entries({ key: '$inputs.key', ...inputs });
  const target: Workflow | undefined = WORKFLOWS[workflowId];
  const required = ['key', ...Object.keys(target?.inputs ?? {})].toSorted().join(', ');
  if (
    allInputs
      .map(([input]) => input)
      .toSorted()
      .join(', ') !== required
  )
    throw new Error(`${name}: ${workflowId} takes ${required}`);
  return {
    name,
    type: 'goto',
    workflowId,
    parameters: allInputs.map(([input, value]) => ({ name: input, value })),
    ...criteria,
  };
}
