import { createRequire } from 'node:module';

/**
 * PouchDB Server on LevelDB, as it installs. `FOLDER` holds its data, `FLUSH=on` makes each of its writes reach the disk before its answer,
 * which it does not by itself. Prints its address.
 */
const require = createRequire(import.meta.url);
const leveldown = require('leveldown');
const { FOLDER: folder, FLUSH: flush } = process.env;

/** LevelDB whose batches are flushed. */
function flushedLevel(location) {
  const level = leveldown(location);
  const batch = level._batch.bind(level);
  level._batch = (operations, options, done) => batch(operations, { ...options, sync: true }, done);
  return level;
}
Object.assign(flushedLevel, { destroy: leveldown.destroy, repair: leveldown.repair });

const PouchDB = require('pouchdb-core')
  .plugin(require('pouchdb-adapter-leveldb'))
  .plugin(require('pouchdb-adapter-http'))
  .plugin(require('pouchdb-mapreduce'))
  .plugin(require('pouchdb-replication'))
  .defaults({ prefix: `${folder}/`, ...(flush === 'on' ? { db: flushedLevel } : {}) });
const app = require('express')();
app.use(
  require('express-pouchdb')(PouchDB, {
    mode: 'minimumForPouchDB',
    logPath: `${folder}/log.txt`,
    inMemoryConfig: true,
  }),
);
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.on('SIGTERM', () => process.exit(0));
