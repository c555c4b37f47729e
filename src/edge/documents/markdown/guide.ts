import { blocks, fence, table } from './table.ts';

const ERRORS = `## Errors

Every refusal is \`{"error": {"code", "message", "details"?}}\`. Judge by \`code\`; the words of \`message\` may change. \`details\` may carry \`docs\` and
\`recovery\`, a list of \`{operationId, hint}\`. \`Retry-After\` (whole seconds, at least 1) comes with 429 and with nothing else, never with 503 or 504.
Customer answers, refusals included, are \`Cache-Control: no-store\`. Public successes may be cached, also when a failure behind them made them empty; public
refusals carry no cache directive. A path that there is not is 404 \`not_found\`, a method that a path does not have 405 \`invalid_parameter\`. Unknown and
repeated query parameters are 400 everywhere; an alias beside its normalised name is allowed and loses.`;

const CURSORS = blocks(
  `## Cursors

A cursor is opaque text: take it as it was given. It authorizes nothing. One that does not decode, is of another kind or is bound to something else is
400 \`invalid_parameter\`; a feed cursor of another feed, beyond the head or older than what is retained is 410 \`cursor_expired\`. Binding is judged before expiry.`,
  table(
    ['Cursor', 'Bound to', 'At most'],
    [
      ['Change feed, subscription', 'nothing (`boundaryCursor`), every resource, or one resource', '512 characters'],
      ['Snapshot page', 'the snapshot and the resource', '512 characters'],
      ['Coverage', 'filters, limit and catalogue version', '4096 characters'],
      ['Upcoming hits', 'nothing', '200 characters'],
      ['search_agenda', 'the query and its filters', '512 characters'],
    ],
  ),
);

const LIMITS = blocks(
  `## Limits

Requests are refused, never slowed down. Windows are fixed and aligned to the clock. Days are UTC.`,
  table(
    ['What', 'Limit'],
    [
      ['Public requests', '120 in 60 seconds for each client address and operation'],
      ['Report requests', '60 in 60 seconds for each client address and operation, before the key is looked at'],
      ['Requests of an account', '120 a minute and 30 a second; Pro 300 and 50, Ultra 900 and 90, while paid'],
      ['Snapshots of an account', '12 an hour; Pro 24, Ultra 60, while paid'],
      ['Page', '500 items, default 100'],
      ['Answer', '5,000,000 bytes before compression; a larger one is refused (413), never cut'],
      ['Batch', '100 requests, 100 ids in all, a body of 65,536 bytes'],
      ['Subscriptions', 'Pro 10, Ultra 100 live feeds for each account; a body of 8,192 bytes'],
      ['Reports', '5 a minute, 20 new ones a day, 20 open ones, 30 status reads a minute; a body of 8,192 bytes'],
      ['Tools', 'a body of 65,536 bytes, a payload of 16,384 bytes, 10 seconds'],
      ['An account on a subscription, whatever its plan', '1,000 requests a minute and 100 a second, refused ones included'],
      ['Replay', '30 days'],
      ['Snapshot', 'seven days'],
    ],
  ),
);

const DIGESTS = `## State digests

A digest proves that a copy holds exactly the records that we hold. For one resource it is the sum, modulo 2^256, over its current records of the SHA-256
(read as a big-endian number) of the UTF-8 text \`resource\`, line feed, \`id\`, line feed, canonical JSON (RFC 8785) of \`data\`; written as 64 lower-case
hexadecimal digits, zeros when there are no records. The order of the records does not matter. A snapshot carries the digests at its boundary,
readCivicHealth those at the head with the head's cursor. To compute one:`;

const DIGEST_CODE = `const digest = (resource, records) => {
  let sum = 0n;
  for (const data of records) {
    const text = \`\${resource}\\n\${data.id}\\n\${canonicalize(data)}\`;
    sum += BigInt('0x' + createHash('sha256').update(text).digest('hex'));
  }
  return (sum % 2n ** 256n).toString(16).padStart(64, '0');
};`;

const recipe = (baseUrl: string): string => `# 1. Freeze the state.
curl -sS -X POST ${baseUrl}/api/v1/data/snapshots -H "Authorization: Bearer $CIVIC_KEY"
# 2. For each resource, page through it: send meta.nextCursor as cursor until meta.hasMore is false.
curl -sS "${baseUrl}/api/v1/data/snapshots/$SNAPSHOT_ID/topics?limit=500" -H "Authorization: Bearer $CIVIC_KEY"
# 3. Go on from the snapshot's boundaryCursor; store meta.nextCursor in the transaction that applies the page.
curl -sS "${baseUrl}/api/v1/data/changes?cursor=$CURSOR&limit=500" -H "Authorization: Bearer $CIVIC_KEY"
# 4. After 410 cursor_expired start again at 1.`;

const DEVIATIONS = `## Where the service deviates knowingly

- Tool endpoint: errors of headers, era, batch, method and media types are JSON-RPC errors (\`error.code\` a number), with the code of this interface in
  \`error.data.code\`. 401, 403, 413, 415, 429 and 503 keep the envelope.
- Tool endpoint: the id of a request is a string or a whole number; JSON-RPC refuses null, booleans and objects.
- Tool endpoint: each tool call of a batch is charged like a request; a batch without room for all its calls is refused as a whole and nothing runs. A
  batch has at most 20 elements and no id twice.
- Tool endpoint: a tool that there is not, and arguments that are no object, are JSON-RPC errors with 200. An agenda item that there is not is
  \`empty_result_not_chargeable\`, for every account; so is a paid search that finds nothing.
- A feed cursor of another feed, or beyond the head, is 410, not 400, so that a client recovers by itself after a restore.
- \`report_limit_reached\` always carries \`Retry-After: 86400\`.
- A payment that is invalid or does not match is answered by the error wrapper with a fresh challenge in its details where paying again makes sense, not by
  the bare challenge, so that a client which pays by itself does not pay twice.
- A write whose answer is not ready in time is 504 \`timeout\`, and stands; the same request finds it.`;

/** Rules for the whole interface. */
export const guide = (baseUrl: string): string =>
  blocks(
    ERRORS,
    CURSORS,
    LIMITS,
    `## From a snapshot to the present

A snapshot and the changes after its boundary are one consistent state: nothing is missing in between.`,
    fence('sh', recipe(baseUrl)),
    'Each change replaces the whole record (`upsert`) or takes it away (`remove`), so applying a page twice does no harm.',
    DIGESTS,
    fence('js', DIGEST_CODE),
    DEVIATIONS,
  );
