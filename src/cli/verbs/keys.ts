import { type Command, Option } from '@commander-js/extra-typings';
import { issueKey, rotateKey } from '../../../commands/accounts/account-decider.ts';
import { DAY_MS } from '../../../domain/durations.ts';
import { MAX_KEY_LABEL, SCOPES } from '../../../domain/events/account-events.ts';
import { notStorable } from '../../../domain/key-secret.ts';
import { countSubscriptions, findKey, listAccounts, listKeys } from '../../../queries/accounts/account-lists.ts';
import type { Civic } from '../../app/civic.ts';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import {
  DEADLINE_MS,
  durationParser,
  listParser,
  requireHandled,
  runs,
  textParser,
  timeParser,
  uuidParser,
} from '../verb.ts';
import { commandAccount, ofAccount } from './accounts.ts';

type ListedKey = Awaited<ReturnType<typeof listKeys>>[number];

const ofKey = (command: Command) => command.requiredOption('--key <id>', 'key id', uuidParser('--key'));
const MAX_OLD_DAYS = 90;

async function existing({ reads }: Civic, keyId: string): Promise<ListedKey> {
  const key = await findKey(reads, keyId);
  if (key === null) throw new CommandFailed(`there is no key ${keyId}`);
  return key;
}

function labelOf(text: string): string {
  const label = textParser('--label', MAX_KEY_LABEL)(text);
  const refusal = notStorable(label);
  if (refusal !== null) throw new CommandFailed(`--label: ${refusal}`, MISUSE);
  return label;
}

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('manage the API keys of an account');
  addIssueCommand(keys, context);
  const label = ofKey(keys.command('label').description('change the label of a key')).requiredOption(
    '--label <text>',
    `1 to ${MAX_KEY_LABEL} characters`,
    labelOf,
  );
  runs(context, 'read models', label, async (civic, { key: keyId, label }) => {
    const { accountId } = await existing(civic, keyId);
    await commandAccount(context, civic, accountId, { type: 'LabelKey', keyId, label });
    return { keyId, label };
  });
  addRotateCommand(keys, context);
  addRevokeCommand(keys, context);
  const list = ofAccount(
    keys
      .command('list')
      .description('list the keys of an account, without secrets; last use is accurate to about an hour'),
  );
  runs(context, 'read models', list, async ({ reads }, { account: accountId, json }) => {
    const listed = await listKeys(reads, accountId);
    if (listed.length === 0 && !(await listAccounts(reads)).some((account) => account.accountId === accountId)) {
      throw new CommandFailed(`there is no account ${accountId}`);
    }
    return json === true ? listed : listed.map(forAPerson);
  });
}

function addIssueCommand(keys: Command, context: CliContext): void {
  const issue = ofAccount(keys.command('issue').description('issue a key; prints its secret once'))
    .requiredOption(
      '--scope <scopes>',
      `one or more of ${SCOPES.join(',')}`,
      listParser('--scope', SCOPES, SCOPES.join(',')),
    )
    .option('--label <text>', 'what the key is for', labelOf)
    .option('--expires <time>', 'when it stops working', timeParser('--expires'));
  runs(context, 'read models', issue, async (civic, { account: accountId, scope, label, expires = null }) => {
    if (expires !== null && Date.parse(expires) <= civic.clock.now()) {
      throw new CommandFailed(
        `--expires is ${JSON.stringify(expires)}, which is in the past; allowed is a time in the future`,
        MISUSE,
      );
    }
    const deadline = civic.clock.now() + DEADLINE_MS;
    const request = { accountId, scopes: scope, expiresAt: expires, label, context: {}, deadline };
    const { keyId, secret, handled } = await issueKey(civic, request);
    await requireHandled(context, civic, handled);
    return { keyId, key: secret };
  });
}

/** Former secrets as texts. */
const forAPerson = ({ secrets, ...key }: ListedKey) => ({
  ...key,
  formerSecrets: secrets
    .slice(0, -1)
    .map(({ expiresAt, lastUsedAt }) => `until ${expiresAt ?? '-'}, used ${lastUsedAt ?? 'never'}`),
});

function addRotateCommand(keys: Command, context: CliContext): void {
  const oldValidFor = new Option(
    '--old-valid-for <duration>',
    'how long the old secret keeps working; use PT1S if it has leaked',
  );
  const rotate = ofKey(
    keys
      .command('rotate')
      .description('issue a new secret for a key and print it once; id, scopes and subscriptions do not change'),
  ).addOption(oldValidFor.argParser(durationParser('--old-valid-for', MAX_OLD_DAYS)).default(DAY_MS, 'P1D'));
  runs(context, 'read models', rotate, async (civic, { key: keyId, oldValidFor }) => {
    const { accountId, expiresAt } = await existing(civic, keyId);
    const now = civic.clock.now();
    if (expiresAt !== null && Date.parse(expiresAt) <= now)
      throw new CommandFailed(`key ${keyId} has expired; issue a new one`);
    const formerUntil = new Date(now + oldValidFor).toISOString();
    const request = { accountId, keyId, formerUntil, context: {}, deadline: now + DEADLINE_MS };
    const { secret, handled } = await rotateKey(civic, request);
    await requireHandled(context, civic, handled);
    return { keyId, key: secret, formerUntil };
  });
}

function addRevokeCommand(keys: Command, context: CliContext): void {
  const revoke = ofKey(keys.command('revoke').description('permanently revoke a key and all of its secrets')).option(
    ...YES,
  );
  runs(context, 'read models', revoke, async (civic, { key: keyId, yes }) => {
    const key = await existing(civic, keyId);
    const consequences = async (): Promise<string> => {
      const now = civic.clock.now();
      const ended = await countSubscriptions(civic.reads, keyId, now);
      const others = (await listKeys(civic.reads, key.accountId)).filter(
        (each) =>
          each.keyId !== keyId &&
          each.revokedAt === null &&
          (each.expiresAt === null || Date.parse(each.expiresAt) > now),
      );
      return `revokes 1 key and ends its ${numbered(ended, 'polling subscription')}; account ${key.accountId} has ${numbered(others.length, 'other key')} that can be used`;
    };
    if (key.revokedAt === null) await confirm(context, { yes, what: consequences });
    await commandAccount(context, civic, key.accountId, { type: 'RevokeKey', keyId });
    return { keyId };
  });
}
