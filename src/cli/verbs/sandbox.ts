import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { Rejection } from '../../../domain/rejections.ts';
import type { Civic } from '../../app/civic.ts';
import { BadSetting } from '../../app/settings.ts';
import type { CliContext } from '../context.ts';
import { warn } from '../output.ts';
import type { ChangeablePlans } from '../sandbox/settings.ts';
import { wholeParser } from '../verb.ts';

const LOOPBACK = '127.0.0.1';

export function addSandboxCommand(program: Command, context: CliContext): void {
  program
    .command('sandbox')
    .description(
      'run a throw-away service with made-up records, a movable clock and failures on request, until SIGTERM or SIGINT',
    )
    .option(
      '--control-port <port>',
      'port of the control address on 127.0.0.1; 0 picks a free one',
      wholeParser('--control-port', 0, 65_535),
      0,
    )
    .option('--json', 'print addresses and keys as one JSON value')
    .action(async (options) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'civic-sandbox-'));
      try {
        // Where root starts it, the embedded PostgreSQL runs as another user, who must reach its own folder below.
        chmodSync(folder, 0o755);
        await runSandbox(context, folder, options);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
}

interface Printed {
  readonly service: string;
  readonly control: string;
  readonly operators: string | null;
  readonly key: string;
  readonly payAsYouGoKey: string;
}

async function runSandbox(
  context: CliContext,
  folder: string,
  { controlPort, json }: { readonly controlPort: number; readonly json?: true },
) {
  // Only here, as with `serve`: half of the program's code.
  const [{ serve }, { createControl }, { createFailures, withFailures }, { openAccounts }, { sandboxSettings }] =
    await Promise.all([
      import('../../app/serving/serve.ts'),
      import('../sandbox/control.ts'),
      import('../sandbox/failures.ts'),
      import('../sandbox/changes.ts'),
      import('../sandbox/settings.ts'),
    ]);
  let ahead = 0;
  let running: { readonly civic: Civic; readonly plans: ChangeablePlans; readonly printed: Printed } | undefined;
  const started = () => {
    if (running === undefined) throw new Rejection('feed_unavailable', 'the sandbox is still starting');
    return running;
  };
  const failures = createFailures(
    { sleep: (...given) => started().civic.machineClock.sleep(...given) },
    () => started().civic.deadlineMs,
  );
  const say = (fields: object, message: string): void => warn(context, `${message} ${JSON.stringify(fields)}`);
  const control = createControl({
    civic: () => started().civic,
    failures,
    plans: () => started().plans,
    clock: { advance: (milliseconds) => void (ahead += milliseconds) },
    printed: () => started().printed,
    logger: { debug: () => undefined, info: () => undefined, warn: say, error: say },
  });
  const { url } = await control.listen({ host: LOOPBACK, port: controlPort }).catch((error: Error) => {
    throw new BadSetting(
      `${LOOPBACK}:${controlPort} is not available (${error.message}): pass another --control-port, or 0`,
    );
  });
  try {
    const opened = sandboxSettings(context.examination.environment, {
      dataDir: path.join(folder, 'data'),
      facilitatorUrl: `${url}/facilitator`,
    });
    if (opened.left.length > 0) warn(context, `a sandbox uses its own data and ignores ${opened.left.join(', ')}`);
    const civic = await context.openAhead(opened.settings, () => ahead);
    try {
      const keys = await openAccounts(civic);
      const banner = ({
        baseUrl,
        opsUrl,
      }: {
        readonly baseUrl: string | null;
        readonly opsUrl: string | null;
      }): string => {
        const printed = { service: baseUrl!, control: `${url}/sandbox`, operators: opsUrl, ...keys };
        running = { civic, plans: opened.plans, printed };
        return json === true ? `${JSON.stringify(printed)}\n` : bannerText(printed);
      };
      await serve(withFailures(civic, failures), {
        role: 'all',
        stopping: context.stopping,
        hurrying: context.hurrying,
        print: (text) => void context.stdout.write(text),
        toTerminal: false,
        banner,
        disturb: (operation, answer) => failures.disturb(operation, answer),
      });
    } finally {
      await civic.close();
    }
  } finally {
    await control.close(context.hurrying);
  }
}

function bannerText({ service, control, operators, key, payAsYouGoKey }: Printed): string {
  const post = (what: string, body: string): string =>
    `  curl -H 'Content-Type: application/json' -d '${body}' ${control}${what}`;
  return [
    '',
    `Civic Records  ${service}  (a sandbox: its data is deleted at the end)`,
    ...(operators === null ? [] : [`operators      ${operators}/ops`]),
    `control        ${control}`,
    `API key        ${key}  (an Ultra account)`,
    `API key        ${payAsYouGoKey}  (pay as you go)`,
    '',
    'Try:',
    `  curl -H 'Authorization: Bearer ${key}' '${service}/api/v1/data/changes?limit=2'`,
    post('/failures', '{"operation":"readCivicChanges","answer":503,"times":3}'),
    post('/clock', '{"advance":"P31D"}'),
    '',
    'All of it: docs/developers/sandbox.md',
    '',
    '',
  ].join('\n');
}
