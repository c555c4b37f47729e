/** Paths of the documents that list valid parameters of the public operations. They need no key and are not operations. */
export const TOPIC_LIST_PATH = '/topics.json';
export const CADENCE_LIST_PATH = '/cadences.json';
