/** Paths of the documents that list what the public operations may be asked for. They need no key and are no operations. */
export const TOPIC_LIST_PATH = '/topics.json';
export const CADENCE_LIST_PATH = '/cadences.json';
