import { getContainerRuntimeClient } from 'testcontainers';

/** Whether containers can be started here; asked once a test file. Without Docker it answers in milliseconds. */
export const containersRun = async (): Promise<boolean> => {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
};
