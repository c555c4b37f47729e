import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type EmbeddedUser, gone, startUser, temporaryFolder, type UserStart } from './embedded-users.ts';
import { copyPreparedData } from './prepared-data.ts';

/** A folder for each test of a file, with a data directory in it and the users that the test starts. */
export interface EmbeddedFolder {
  folder: string;
  dataDir: string;
  start(role?: UserStart['role'], more?: Partial<UserStart>): EmbeddedUser;
  /** A service that uses the database, with so many committed rows. */
  serviceWithRows(count: number): Promise<EmbeddedUser>;
}

/** Makes the folder before each test and removes it after; a process that is left there fails the test. */
export function useEmbeddedFolder(): EmbeddedFolder {
  let users: EmbeddedUser[] = [];
  const place: EmbeddedFolder = {
    folder: '',
    dataDir: '',
    start(role = 'service', more = {}) {
      const user = startUser({ dataDir: place.dataDir, role, ...more });
      users.push(user);
      return user;
    },
    async serviceWithRows(count) {
      copyPreparedData(place.dataDir);
      const service = place.start();
      await service.next();
      for (let row = 1; row <= count; row += 1) expect(await service.ask('insert')).toEqual({ count: row });
      return service;
    },
  };
  beforeEach(() => {
    users = [];
    place.folder = temporaryFolder();
    place.dataDir = join(place.folder, 'data');
  });
  afterEach(async () => {
    await Promise.all(users.map((user) => user.kill()));
    await gone(place.dataDir, place.folder);
  });
  return place;
}

/** Waits until a user has reported that its server ended and runs again. */
export async function restarted(user: EmbeddedUser): Promise<void> {
  expect((await user.next()).logged).toMatch(/has ended/);
  expect((await user.next()).logged).toMatch(/runs again/);
}
