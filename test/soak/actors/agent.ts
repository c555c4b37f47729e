import { TOOL_ERRORS } from '../../../contract/tools/tool-errors.ts';
import { currentRequest, type RpcMessage } from '../../support/tool-requests.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { Customer } from '../customer.ts';
import type { World } from '../world.ts';

const PAUSE_MS = 1_000;

/** An agent that calls the tools; refusals of tools are checked as answers of the interface. */
export class Agent {
  calls = 0;
  readonly refusals = new Map<string, number>();
  readonly #world: World;
  readonly #random: SeededRandom;

  constructor(world: World, random: SeededRandom) {
    this.#world = world;
    this.#random = random;
  }

  async work(customer: Customer): Promise<void> {
    const calls: readonly (readonly [string, object])[] = [
      ['search_agenda', { query: 'rezoning' }],
      ['get_coverage', {}],
      ['get_data_coverage', { county: 'dallas' }],
    ];
    for (;;) {
      const [name, input] = calls[this.#random.below(calls.length)]!;
      const { headers, body } = currentRequest('tools/call', { params: { name, arguments: input } });
      const description = await customer.ask({
        operation: 'postMcpJsonRpc',
        path: '/api/v1/mcp',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      this.calls += 1;
      this.#look(name, JSON.parse(description.text) as RpcMessage, description);
      await customer.rest(this.#random.below(2 * PAUSE_MS));
    }
  }

  #look(name: string, message: RpcMessage, { member, from, to }: { member: string; from: number; to: number }): void {
    const { failures, disturbances } = this.#world;
    const result = message.result as
      | { isError?: boolean; structuredContent?: { error?: { code: string; message: string } } }
      | undefined;
    if (result === undefined) failures.add(`${name} at ${member} answered ${JSON.stringify(message).slice(0, 300)}`);
    const error = result?.isError === true ? result.structuredContent?.error : undefined;
    if (error === undefined) return;
    this.refusals.set(error.code, (this.refusals.get(error.code) ?? 0) + 1);
    const passing = error.code === 'service_unavailable' || error.code === 'timeout';
    if (!Object.hasOwn(TOOL_ERRORS, error.code) || !passing)
      failures.add(`${name} at ${member} said ${error.code}: ${error.message}`);
    else if (!disturbances.during(from, to, ['database', `process ${member}`, `link ${member}`])) {
      failures.add(`${name} at ${member} said ${error.code} and nothing was disturbed`);
    }
  }
}
