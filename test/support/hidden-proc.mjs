import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Loaded before the program (`node --import`): `/proc` is not there for it, as on macOS. */
for (const name of ['existsSync', 'readdirSync', 'readlinkSync', 'readFileSync']) {
  const real = fs[name];
  fs[name] = (path, ...rest) => real(String(path).startsWith('/proc') ? '/no-proc' : path, ...rest);
}
syncBuiltinESMExports();
