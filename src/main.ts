import { enableCompileCache } from 'node:module';
import path from 'node:path';

// Compiled code is kept between starts, which halves the time of one; it must be on before the program is imported.
enableCompileCache(path.join(import.meta.dirname, '../node_modules/.cache/civic'));
const [{ runCli }, { openCivic, probesOf }] = await Promise.all([import('./cli/run.ts'), import('./composition.ts')]);

process.exitCode = await runCli({ process, open: openCivic, probes: probesOf, clock: Date });
