import type { CustomerOperationId } from './operations.ts';

/** Path of the workflows, a document in the format of Arazzo. It requires no key and is not an operation. */
export const WORKFLOWS_PATH = '/arazzo.json';

/** Runtime expressions of Arazzo, or literal values. */
type Values = Readonly<Record<string, string | number>>;

export interface Workflow {
  readonly summary: string;
  readonly description: string;
  /** Meanings of the inputs by name; each workflow also has the API key as `key`. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly steps: readonly WorkflowStep[];
}

export interface WorkflowStep {
  readonly stepId: string;
  readonly operationId: CustomerOperationId;
  readonly description: string;
  /** Keyed by the parameters of the operation. */
  readonly parameters?: Values;
  readonly payload?: Values;
  /** A status other than success with which the workflow continues. */
  readonly alsoExpected?: number;
  /** Additional conditions. */
  readonly checks?: readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
  /** The first one whose condition is true applies. If none is, the next step follows. */
  readonly next?: readonly NextWorkflow[];
}

/** Continues with another workflow, or ends without one. */
export interface NextWorkflow {
  readonly name: string;
  readonly condition?: string;
  readonly workflowId?: string;
  /** Inputs of that workflow besides the key. */
  readonly inputs?: Values;
}

const HAS_MORE = '$response.body#/meta/hasMore == true';
const NEXT_CURSOR = '$response.body#/meta/nextCursor';
const CURSOR = 'Cursor that was stored with the records that precede it.';

const restOfSnapshot = (snapshotId: string, boundaryCursor: string): readonly NextWorkflow[] => [
  {
    name: 'nextPage',
    condition: HAS_MORE,
    workflowId: 'readRestOfSnapshot',
    inputs: { resource: '$inputs.resource', snapshotId, boundaryCursor, cursor: NEXT_CURSOR },
  },
  { name: 'follow', workflowId: 'followFeed', inputs: { cursor: boundaryCursor } },
];

/** Workflows by their ids. A page with a successor continues with a workflow whose input is the next cursor. */
export const WORKFLOWS: Readonly<Record<string, Workflow>> = {
  snapshotThenFollow: {
    summary: 'Take a snapshot, then follow the feed',
    description: `Makes a complete copy of a resource: a frozen export, read page by page, and the changes since. Store the records of each page
and the cursor in one transaction. For a copy of everything, read each resource of the snapshot before you follow: the changes are
those of every resource. A copy of one passes over the others.`,
    inputs: { resource: 'The resource to copy, such as `meetings`.' },
    steps: [
      {
        stepId: 'takeSnapshot',
        operationId: 'createCivicSnapshot',
        description: 'Freezes the records at one position of the feed.',
        outputs: {
          snapshotId: '$response.body#/data/snapshotId',
          boundaryCursor: '$response.body#/data/boundaryCursor',
        },
      },
      {
        stepId: 'readFirstPage',
        operationId: 'readCivicSnapshotPage',
        description: 'Reads the first page of the resource.',
        parameters: { snapshotId: '$steps.takeSnapshot.outputs.snapshotId', resource: '$inputs.resource' },
        next: restOfSnapshot('$steps.takeSnapshot.outputs.snapshotId', '$steps.takeSnapshot.outputs.boundaryCursor'),
      },
    ],
  },
  readRestOfSnapshot: {
    summary: 'Read on in a snapshot, then follow the feed',
    description:
      'One more page of a resource; the workflow goes on with itself while there are more, and then follows the feed.',
    inputs: {
      resource: 'The resource that is read.',
      snapshotId: 'The snapshot that is read.',
      boundaryCursor: 'Feed cursor of the boundary of the snapshot.',
      cursor: 'The `nextCursor` of the page before.',
    },
    steps: [
      {
        stepId: 'readNextPage',
        operationId: 'readCivicSnapshotPage',
        description: 'Reads the page after the cursor.',
        parameters: { snapshotId: '$inputs.snapshotId', resource: '$inputs.resource', cursor: '$inputs.cursor' },
        next: restOfSnapshot('$inputs.snapshotId', '$inputs.boundaryCursor'),
      },
    ],
  },
  followFeed: {
    summary: 'Read the feed to its head',
    description: `Reads the changes after a cursor; the workflow goes on with itself while there are more. At the head, store \`nextCursor\`, wait, and
start again from it.`,
    inputs: { cursor: CURSOR },
    steps: [
      {
        stepId: 'readChanges',
        operationId: 'readCivicChanges',
        description: 'Reads the changes after the cursor.',
        parameters: { cursor: '$inputs.cursor' },
        outputs: { cursor: NEXT_CURSOR },
        next: [
          { name: 'nextPage', condition: HAS_MORE, workflowId: 'followFeed', inputs: { cursor: NEXT_CURSOR } },
          { name: 'atHead' },
        ],
      },
    ],
  },
  recoverFromExpiredCursor: {
    summary: 'Recover from 410 cursor_expired',
    description: `Reads the feed after a stored cursor. Where the answer is 410, the cursor is older than what is retained, or of another feed: take a
snapshot, build a new copy beside the old one, and follow the feed from the snapshot's \`boundaryCursor\`. The cursor is one of all
resources; one that was read with a filter is 400 here.`,
    inputs: { cursor: CURSOR, resource: 'The resource to copy again, such as `meetings`.' },
    steps: [
      {
        stepId: 'readStoredCursor',
        operationId: 'readCivicChanges',
        description: 'Reads the changes after the stored cursor.',
        parameters: { cursor: '$inputs.cursor' },
        alsoExpected: 410,
        next: [
          {
            name: 'expired',
            condition: '$statusCode == 410',
            workflowId: 'snapshotThenFollow',
            inputs: { resource: '$inputs.resource' },
          },
          { name: 'nextPage', condition: HAS_MORE, workflowId: 'followFeed', inputs: { cursor: NEXT_CURSOR } },
          { name: 'atHead' },
        ],
      },
    ],
  },
  reportAndRetry: {
    summary: 'Report a missing record, and repeat the request safely',
    description: `A report is sent with an \`Idempotency-Key\` of your own. After a lost answer, 429, 503 or 504, the same request is sent again: it creates
no second report and answers with the first receipt. Read the status when \`nextCheckAt\` has come.`,
    inputs: {
      idempotencyKey: 'A text of your own for this report, the same in each attempt.',
      sourceUrl: 'Address of the record at its official source.',
      expectedRecord: 'Description of the missing record.',
    },
    steps: [
      {
        stepId: 'submit',
        operationId: 'submitDataReport',
        description: 'Sends the report.',
        parameters: { 'Idempotency-Key': '$inputs.idempotencyKey' },
        payload: { sourceUrl: '$inputs.sourceUrl', expectedRecord: '$inputs.expectedRecord' },
        outputs: { reportId: '$response.body#/data/reportId' },
      },
      {
        stepId: 'submitAgain',
        operationId: 'submitDataReport',
        description: 'Sends it again, as after a lost answer.',
        parameters: { 'Idempotency-Key': '$inputs.idempotencyKey' },
        payload: { sourceUrl: '$inputs.sourceUrl', expectedRecord: '$inputs.expectedRecord' },
        checks: ['$response.body#/data/reportId == $steps.submit.outputs.reportId'],
      },
      {
        stepId: 'readStatus',
        operationId: 'getDataReport',
        description: 'Reads what has become of the report.',
        parameters: { reportId: '$steps.submit.outputs.reportId' },
        outputs: { status: '$response.body#/data/status' },
      },
    ],
  },
};
