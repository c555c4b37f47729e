import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run build -w client`: writes `client/dist`, the JavaScript and the types of the package. */
const root = fileURLToPath(new URL('../..', import.meta.url));
rmSync(join(root, 'client/dist'), { recursive: true, force: true });
const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'client')], {
  stdio: 'inherit',
});
if (compiled.status !== 0) throw new Error('the client does not compile: see the lines above');
