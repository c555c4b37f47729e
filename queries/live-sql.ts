import { sql } from 'slonik';

/** The condition of `requireLive` as a fragment of slonik's tag. */
export const liveGeneration = (projection: string, generation: number) => sql.fragment`(select civic.require_live(${projection}, ${generation}))`;

/** A generation's table, `civic.<name>`, as an identifier. */
export const table = (name: string) => sql.identifier(name.split('.'));
