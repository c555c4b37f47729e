import { makeFacts } from '../fuzz/facts.ts';
import { type FuzzResult, type FuzzTarget, runFuzz } from '../fuzz/run-fuzz.ts';
import type { World } from './world.ts';

const BATCH = 2_500;

/** Restarts the first API process and attacks it with hostile conversations; findings are failures of the soak. */
export async function attackMember(
  world: World,
  key: string,
  onBatch: (description: string) => void = () => undefined,
): Promise<FuzzResult> {
  const { plan, failures } = world;
  const member = world.members.find(({ name }) => name === 'api-1')!;
  const restart = async (): Promise<void> => {
    await member.end('SIGKILL');
    await member.start();
  };
  const target: FuzzTarget = {
    get pid() {
      return member.pid;
    },
    get baseUrl() {
      return member.baseUrl!;
    },
    get opsUrl() {
      return member.opsUrl!;
    },
    memoryFile: member.memoryFile,
    restart,
  };
  await restart();
  const facts = await makeFacts(target.baseUrl, key);
  const result = await runFuzz(target, { seed: plan.seed, facts, count: plan.fuzz, batch: BATCH, onBatch });
  for (const finding of result.findings) failures.add(`hostile conversations: ${finding}`);
  return result;
}
