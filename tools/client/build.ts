import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/**
 * `npm run build -w client`: writes `client/dist`, or the folder that is named. The interface is compiled file by file, for its readers and for browsers; the command is a bundle
 * with all that it takes from other folders. `pg` stays outside: it is optional.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = resolve(process.argv[2] ?? join(root, 'client/dist'));

function compile(project: string, ...options: readonly string[]): void {
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, project), ...options],
    {
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error(`${project} does not compile: see the lines above`);
}

rmSync(dist, { recursive: true, force: true });
compile('client/tsconfig.json', '--outDir', dist);
// The command may use no more than Node 20 has.
compile('client/tsconfig.node.json');
const bundle = await rolldown({
  cwd: root,
  input: 'client/cli/civic-replicate.ts',
  platform: 'node',
  external: ['pg'],
  transform: { target: 'node20' },
  onLog: (_, { message }) => {
    throw new Error(`the command cannot be bundled: ${message}`);
  },
});
await bundle.write({ dir: dist, entryFileNames: '[name].js', chunkFileNames: 'mirror/[name].js' });
await bundle.close();
cpSync(join(root, 'node_modules/canonicalize/LICENSE'), join(dist, 'mirror/LICENSE-canonicalize'));
