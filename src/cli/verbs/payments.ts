import type { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { readAccountEvent } from '../../../domain/events/account-events.ts';
import { NETWORK, PAYMENT_STATES, transactionHash } from '../../../domain/payments/payment.ts';
import type { ListedPayment, PaymentRow } from '../../../domain/ports/payments.ts';
import { streamEvents } from '../../../domain/read-log.ts';
import { uuid } from '../../../domain/records/fields.ts';
import { accountStream } from '../../../domain/streams.ts';
import type { Civic } from '../../app/civic.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { isoOrNull as iso } from '../output.ts';
import { choiceParser, parser, runs, textParser, wholeParser } from '../verb.ts';
import { resolveByHand } from '../../processors/reactors/payments/reconcile-payments.ts';

/** Returns the fields of a payment to print, without those that could be used to pay or to read the result. */
const printable = (row: ListedPayment) => ({
  paymentId: row.paymentId,
  state: row.state,
  accountId: row.accountId,
  tool: row.tool,
  amount: row.amount,
  payer: row.payer,
  nonce: row.nonce,
  cause: row.cause,
  transaction: row.transaction,
  settleAttempts: row.settleAttempts,
  createdAt: iso(row.createdAt),
  validBefore: iso(row.validBefore),
  settledAt: iso(row.settledAt),
});

async function paymentOf({ paymentLedger }: Civic, id: string): Promise<PaymentRow> {
  const row = await paymentLedger.get(id);
  if (row === null) throw new CommandFailed(`there is no payment ${id}`);
  return row;
}

async function factsOf({ log }: Civic, row: PaymentRow): Promise<readonly unknown[]> {
  const facts: unknown[] = [];
  for await (const stored of streamEvents(log, accountStream(row.accountId), row.factsAfter)) {
    const { type, data } = readAccountEvent(stored);
    if ('paymentId' in data && data.paymentId === row.paymentId) facts.push({ type, at: iso(stored.time), ...data });
  }
  return facts;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const address = z.string().regex(ADDRESS).toLowerCase();
const ofPayment = (command: Command) => command.argument('<id>', '', parser('the payment', uuid, 'a payment id'));

export function addPaymentsCommands(program: Command, context: CliContext): void {
  const payments = program.command('payments').description('inspect and settle payments for single calls');
  const list = payments
    .command('list')
    .description('list payments, newest first')
    .option('--state <state>', PAYMENT_STATES.join(', '), choiceParser('--state', PAYMENT_STATES))
    .option('--limit <number>', 'how many', wholeParser('--limit', 1, 10_000), 100);
  runs(context, 'log', list, async ({ paymentLedger }, { state = null, limit }) =>
    (await paymentLedger.list({ state, limit })).map(printable),
  );
  const show = ofPayment(payments.command('show')).description('show a payment and its events');
  runs(context, 'log', show, async (civic, id) => {
    const row = await paymentOf(civic, id);
    return { ...printable(row), facts: await factsOf(civic, row) };
  });
  addReconcile(payments, context);
  addWallet(payments, context);
}

function addReconcile(payments: Command, context: CliContext): void {
  const reconcile = ofPayment(payments.command('reconcile'))
    .description('record the outcome of a payment, as seen on the chain')
    .option(
      '--settled <tx>',
      'hash of the transaction that paid',
      parser('--settled', transactionHash, 'a transaction hash: 0x and 64 hex digits'),
    )
    .option(
      '--failed <reason>',
      'why nothing was paid; use it only when the chain can no longer accept the payment',
      textParser('--failed', 200, 'a reason of at most 200 characters'),
    );
  runs(context, 'read models', reconcile, async (civic, id, { settled, failed }) => {
    if ((settled === undefined) === (failed === undefined))
      throw new CommandFailed('give one of --settled TX and --failed REASON', MISUSE);
    const { paymentId } = await paymentOf(civic, id);
    const outcome = settled === undefined ? { failed: failed! } : { settled };
    const row = await resolveByHand(civic.reconciling, paymentId, outcome);
    await civic.caughtUp(await civic.log.head());
    return printable(row);
  });
}

function addWallet(payments: Command, context: CliContext): void {
  const wallet = payments
    .command('wallet')
    .argument('<address>', '', parser('the address', address, '0x and 40 hex digits'))
    .description('block or unblock a wallet, or release it for another account')
    .option('--bar', 'reject its payments')
    .option('--unbar', 'take them again')
    .option('--release', 'detach it from its account');
  runs(context, 'log', wallet, async ({ paymentLedger, clock }, payer, options) => {
    const { bar = false, unbar = false, release = false } = options;
    if ([bar, unbar, release].filter(Boolean).length !== 1)
      throw new CommandFailed('give one of --bar, --unbar and --release', MISUSE);
    if (release) {
      if (!(await paymentLedger.release(NETWORK, payer, clock.now())))
        throw new CommandFailed(`no account has paid from ${payer}`);
    } else await paymentLedger.bar(NETWORK, payer, bar, clock.now());
    return { wallet: payer, barred: bar, released: release };
  });
}
