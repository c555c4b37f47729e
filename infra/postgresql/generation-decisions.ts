import type { Decision } from '../../domain/ports/generations.ts';

/** Takes the lease from its owner, whose later folds are not committed. */
const FREED = 'owner = null, lease_until = 0';

const noOtherIsBuilt = `not exists (
  select from civic.generations o where o.projection = g.projection and o.state = 'building' and o.generation <> g.generation)`;

const decision = (set: string, where: string): string =>
  `update civic.generations g set ${set} where generation = $1 and $2::bigint is not null and ${where}`;

/** The change that each decision makes, and its condition; `$1` is the generation, `$2` the time. */
export const DECISIONS: Readonly<Record<Decision, string>> = {
  pause: decision(`operator_paused_at = $2, ${FREED}`, `state = 'building' and operator_paused_at is null`),
  resume: decision('operator_paused_at = null', `state = 'building' and operator_paused_at is not null`),
  cancel: decision(
    `state = 'retired', held = false, accept_differences = false, operator_paused_at = null, paused_reason = null, paused_event = null,
      changed_at = $2, ${FREED}`,
    `state = 'building'`,
  ),
  compare: decision(`comparison = null, ${FREED}`, `state = 'building' and held and operator_paused_at is null`),
  switch: decision(`held = false, ${FREED}`, `state = 'building' and held and operator_paused_at is null`),
  'switch-accepting': decision(
    `state = 'building', held = false, accept_differences = true, paused_reason = null, paused_event = null, changed_at = $2, ${FREED}`,
    `(state = 'refused' or (state = 'building' and paused_reason is null)) and ${noOtherIsBuilt}`,
  ),
  'switch-back': decision(
    `state = 'building', held = false, comparison = null, changed_at = $2, ${FREED}`,
    `state = 'retired' and kept_until >= $2 and ${noOtherIsBuilt}`,
  ),
  drop: decision(`state = 'retired', kept_until = null, changed_at = $2, ${FREED}`, `state in ('retired', 'refused')`),
};
