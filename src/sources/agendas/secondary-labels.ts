/**
 * Labels of the platforms that only publish recordings (`isSecondary`): the record of a source of another client does not
 * state it in another way.
 */
export const SECONDARY_LABELS: ReadonlySet<string> = new Set(['Swagit']);
