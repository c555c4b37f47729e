import { getContainerRuntimeClient, ImageName } from 'testcontainers';

/** A busy machine starts a broker in more than the minute that testcontainers waits. */
export const CONTAINER_START_MS = 300_000;

/**
 * True if containers can be started here. Each test file checks it once. The check takes milliseconds without Docker.
 */
export async function containersRun(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns why tests in a container of this image cannot run here, for the title of the skipped tests; null if they can.
 * Pulls the image.
 */
export async function imageMissing(image: string): Promise<string | null> {
  if (!(await containersRun())) return 'start Docker to run these';
  const { image: images } = await getContainerRuntimeClient();
  try {
    await images.pull(ImageName.fromString(image));
    return null;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return `the image ${image} cannot be pulled: ${reason}`;
  }
}
