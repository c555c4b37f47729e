import { getContainerRuntimeClient } from 'testcontainers';

/** Whether containers can be started here; asked once a test file. Without Docker it answers in milliseconds. */
export async function containersRun(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}
