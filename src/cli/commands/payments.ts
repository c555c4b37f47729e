import type { Command } from 'commander';
import { z } from 'zod';
import { readAccountEvent } from '../../domain/events/read-account-event.ts';
import type { ListedPayment, PaymentRow } from '../../domain/ports/payment-ledger.ts';
import { NETWORK } from '../../domain/payments/payment.ts';
import { PAYMENT_STATES } from '../../domain/payments/payment-states.ts';
import { transactionHash } from '../../domain/payments/receipt.ts';
import { uuid } from '../../domain/records/fields.ts';
import { accountStream } from '../../domain/streams.ts';
import { NotResolved, resolveByHand } from '../../reactors/payments/resolve-by-hand.ts';
import type { Civic } from '../../civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { parseOption } from '../options.ts';
import { print } from '../output.ts';
import { withCivic } from '../with-civic.ts';

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

/** What an operator sees of a payment: enough to find it on the chain, nothing to pay or to read with. */
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

const paymentOf = async (civic: Civic, id: string): Promise<PaymentRow> => {
  const row = await civic.paymentLedger.get(parseOption('the payment', uuid, id, 'a payment id'));
  if (row === null) throw new CommandFailed(`there is no payment ${id}`);
  return row;
};

const PAGE = 500;
const factsOf = async ({ log }: Civic, row: PaymentRow): Promise<readonly unknown[]> => {
  const facts: unknown[] = [];
  for (let after = row.factsAfter; ; ) {
    const page = await log.readStream(accountStream(row.accountId), after, PAGE);
    for (const stored of page) {
      const { type, data } = readAccountEvent(stored);
      if ('paymentId' in data && data.paymentId === row.paymentId) facts.push({ type, at: iso(stored.time), ...data });
      after = stored.revision;
    }
    if (page.length < PAGE) return facts;
  }
};

export const addPaymentsCommands = (program: Command, context: CliContext): void => {
  const payments = program.command('payments').description('payments for single calls, and what became of them');
  payments
    .command('list')
    .description('the newest payments first')
    .option('--state <state>', PAYMENT_STATES.join(', '))
    .option('--limit <number>', 'how many', '100')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: false }, async (civic) => {
        const state =
          options.state === undefined ? null : parseOption('--state', z.enum(PAYMENT_STATES), options.state, PAYMENT_STATES.join(', '));
        const limit = parseOption('--limit', z.coerce.number().int().min(1).max(10_000), options.limit, '1 to 10000');
        print(context, (await civic.paymentLedger.list({ state, limit })).map(shown), options);
      }),
    );
  payments
    .command('show <id>')
    .description('one payment with what its account was told of it')
    .option('--json', 'print one JSON value')
    .action((id: string, options: Options) =>
      withCivic(context, { projector: false }, async (civic) => {
        const row = await paymentOf(civic, id);
        print(context, { ...shown(row), facts: await factsOf(civic, row) }, options);
      }),
    );
  payments
    .command('reconcile <id>')
    .description('say what became of a payment of unknown outcome, as seen on the chain')
    .option('--settled <tx>', 'hash of the transaction that paid')
    .option('--failed <reason>', 'why nothing was paid; only once the chain takes the payment no more')
    .option('--json', 'print one JSON value')
    .action((id: string, options: Options) => runReconcile(context, id, options));
  payments
    .command('wallet <address>')
    .description('bar a wallet from paying, or let another account pay from it')
    .option('--bar', 'refuse its payments')
    .option('--unbar', 'take them again')
    .option('--release', 'forget which account it belongs to')
    .option('--json', 'print one JSON value')
    .action((address: string, options: Options) => runWallet(context, address, options));
};

const runReconcile = (context: CliContext, id: string, options: Options): Promise<void> =>
  withCivic(context, { projector: true }, async (civic) => {
    const { settled, failed } = options;
    if ((settled === undefined) === (failed === undefined)) throw new CommandFailed('give one of --settled TX and --failed REASON');
    const { paymentId } = await paymentOf(civic, id);
    const seen =
      settled !== undefined
        ? { settled: parseOption('--settled', transactionHash, settled, 'a transaction hash: 0x and 64 hex digits') }
        : { failed: parseOption('--failed', z.string().trim().min(1).max(200), failed ?? '', 'a reason of at most 200 characters') };
    try {
      const row = await resolveByHand(civic.reconciling, paymentId, seen);
      await civic.settled(await civic.log.head());
      print(context, shown(row), options);
    } catch (error) {
      throw error instanceof NotResolved ? new CommandFailed(error.message) : error;
    }
  });

const runWallet = (context: CliContext, address: string, options: Options): Promise<void> =>
  withCivic(context, { projector: false }, async ({ paymentLedger, clock }) => {
    const wallet = parseOption('the address', z.string().regex(/^0x[0-9a-fA-F]{40}$/), address, '0x and 40 hex digits').toLowerCase();
    const chosen = [options.bar, options.unbar, options.release].filter((option) => option === true);
    if (chosen.length !== 1) throw new CommandFailed('give one of --bar, --unbar and --release');
    if (options.release === true) {
      const released = await paymentLedger.release(NETWORK, wallet, clock.now());
      if (!released) throw new CommandFailed(`no account has paid from ${wallet}`);
    } else await paymentLedger.bar(NETWORK, wallet, options.bar === true, clock.now());
    print(context, { wallet, barred: options.bar === true, released: options.release === true }, options);
  });
