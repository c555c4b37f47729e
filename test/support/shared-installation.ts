import { startTestDatabase } from './embedded-database.ts';
import { type Environment, type Installation, makeInstallation } from './service.ts';

/**
 * Makes an installation on a new database of the run's server, which goes with it. Its programs start and stop no PostgreSQL: for tests that
 * are about something else.
 */
export async function makeSharedInstallation(name: string, settings: Environment = {}): Promise<Installation> {
  const database = await startTestDatabase();
  const installation = makeInstallation(name, { ...settings, DATABASE_URL: database.url });
  return {
    ...installation,
    async close() {
      await installation.close();
      await database.close();
    },
  };
}
