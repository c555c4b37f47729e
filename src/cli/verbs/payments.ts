import type { Command } from 'commander';
import { z } from 'zod';
import { streamEvents } from '../../../domain/read-log.ts';
import { readAccountEvent } from '../../../domain/events/account-events.ts';
import type { ListedPayment, PaymentRow } from '../../../domain/ports/payment-ledger.ts';
import { NETWORK, PAYMENT_STATES, transactionHash } from '../../../domain/payments/payment.ts';
import { uuid } from '../../../domain/records/fields.ts';
import { accountStream } from '../../../domain/streams.ts';
import { NotResolved, resolveByHand } from '../../processors/reactors/payments/reconcile-payments.ts';
import type { Civic } from '../../civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { oneOf, parseOption, runs } from '../verb.ts';

interface Options {
  readonly json?: boolean;
  readonly state?: string;
  readonly limit: string;
  readonly settled?: string;
  readonly failed?: string;
  readonly bar?: boolean;
  readonly unbar?: boolean;
  readonly release?: boolean;
}

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** A payment without what could be used to pay or to read. */
const shown = ({ paymentId, state, accountId, tool, amount, payer, nonce, cause, transaction, ...row }: ListedPayment) => ({
  paymentId,
  state,
  accountId,
  tool,
  amount,
  payer,
  nonce,
  cause,
  transaction,
  settleAttempts: row.settleAttempts,
  createdAt: iso(row.createdAt),
  validBefore: iso(row.validBefore),
  settledAt: iso(row.settledAt),
});

async function paymentOf(civic: Civic, id: string): Promise<PaymentRow> {
  const row = await civic.paymentLedger.get(parseOption('the payment', uuid, id, 'a payment id'));
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

export function addPaymentsCommands(program: Command, context: CliContext): void {
  const payments = program.command('payments').description('payments for single calls, and what became of them');
  const list = payments
    .command('list')
    .description('the newest payments first')
    .option('--state <state>', PAYMENT_STATES.join(', '))
    .option('--limit <number>', 'how many', '100');
  runs(context, 'log', list, async ({ paymentLedger }, options: Options) => {
    const state = options.state === undefined ? null : oneOf('--state', PAYMENT_STATES, options.state);
    const limit = parseOption('--limit', z.coerce.number().int().min(1).max(10_000), options.limit, '1 to 10000');
    return (await paymentLedger.list({ state, limit })).map(shown);
  });
  const show = payments.command('show <id>').description('one payment with the events about it on its account');
  runs(context, 'log', show, async (civic, _, id) => {
    const row = await paymentOf(civic, id);
    return { ...shown(row), facts: await factsOf(civic, row) };
  });
  const reconcile = payments
    .command('reconcile <id>')
    .description('say what became of a payment of unknown outcome, as seen on the chain')
    .option('--settled <tx>', 'hash of the transaction that paid')
    .option('--failed <reason>', 'why nothing was paid; only once the chain takes the payment no more');
  runs(context, 'projector', reconcile, async (civic, { settled, failed }: Options, id) => {
    if ((settled === undefined) === (failed === undefined)) throw new CommandFailed('give one of --settled TX and --failed REASON');
    const { paymentId } = await paymentOf(civic, id);
    const seen =
      settled !== undefined
        ? { settled: parseOption('--settled', transactionHash, settled, 'a transaction hash: 0x and 64 hex digits') }
        : { failed: parseOption('--failed', z.string().trim().min(1).max(200), failed ?? '', 'a reason of at most 200 characters') };
    try {
      const row = await resolveByHand(civic.reconciling, paymentId, seen);
      await civic.caughtUp(await civic.log.head());
      return shown(row);
    } catch (error) {
      throw error instanceof NotResolved ? new CommandFailed(error.message) : error;
    }
  });
  const wallet = payments
    .command('wallet <address>')
    .description('bar a wallet from paying, or let another account pay from it')
    .option('--bar', 'refuse its payments')
    .option('--unbar', 'take them again')
    .option('--release', 'forget which account it belongs to');
  runs(context, 'log', wallet, async ({ paymentLedger, clock }, { bar = false, unbar = false, release = false }: Options, address) => {
    const payer = parseOption('the address', z.string().regex(/^0x[0-9a-fA-F]{40}$/), address, '0x and 40 hex digits').toLowerCase();
    if ([bar, unbar, release].filter(Boolean).length !== 1) throw new CommandFailed('give one of --bar, --unbar and --release');
    if (release) {
      if (!(await paymentLedger.release(NETWORK, payer, clock.now()))) throw new CommandFailed(`no account has paid from ${payer}`);
    } else await paymentLedger.bar(NETWORK, payer, bar, clock.now());
    return { wallet: payer, barred: bar, released: release };
  });
}
