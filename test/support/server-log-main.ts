import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { limitServerLog } from '../../infra/embedded-postgresql/server-log.ts';

/** A service that checks the log of the server once: `node server-log-main.ts DATA_DIR`. */
limitServerLog(dataLayout(process.argv[2]!));
