import { type EffectRule, from, REST } from './effect-rule.ts';

/** Prohibitions, endings and duties. */
export const DUTIES: readonly EffectRule[] = [
  {
    label: 'Restriction stated',
    needs: ['prohibit', 'ban', 'restrict', 'regulating', 'moratorium', 'limit', 'offense'],
    example: 'An ordinance prohibiting the sale of fireworks at night',
    clause: from(
      'prohibit(?:s|ing)?|ban(?:s|ning)?|restrict(?:s|ing)?|regulating|moratorium on|limit(?:s|ing)? the|establishing (?:an offense|restrictions)',
    ),
  },
  {
    label: 'Repeal stated',
    needs: ['repeal', 'rescind', 'eliminate', 'suspen'],
    example: 'An ordinance repealing the curfew for minors',
    clause: from(
      '(?:repealing|rescinding)(?! (?:the )?(?:ordinance|resolution|conflicting|all(?! authorizations)|council)\\b)|to eliminate|suspen(?:sion of|ding)',
    ),
  },
  {
    label: 'Duty stated',
    needs: ['requir', 'mandat', 'qualifications'],
    example: 'A local law requiring owners to register their stores',
    clause: String.raw`(?:(?i:\b(?:requir(?:es?|ing)|mandat(?:es?|ing)) (?!city staff|the city manager))${REST}|(?i:\b(?:providing|expanding|changing|revising|updating|establishing|providing an?) (?:the |an? )?(?:[\w-]+ ){0,3}(?:requirements|qualifications)) ${REST})`,
  },
  {
    label: 'Penalty stated',
    needs: ['a penalty'],
    example: 'An ordinance on noise; a penalty not to exceed $2,000.00',
    clause: from('a penalty not to exceed'),
  },
];

/** Words after a verb that name nothing. */
const NOT_EMPTY = String.raw`(?! (?i:(?:the following|this|these|those|such|all|any|a new (?:part|chapter|article|section|subsection)|(?:\(1\) )?subsection)\b|.{0,20}\bappropriation))`;
const RULE_VERB =
  'add|adopt|align|amend|clarify|create|define|enforce|establish|implement|include|provide|reflect|regulate|revise|update';

/** New rules, and requests of one body to another. */
export const RULES: readonly EffectRule[] = [
  {
    label: 'Rules stated',
    needs: ['amending', 'in relation to'],
    example: 'A local law to amend the code, in relation to the labels of stores',
    clause: [
      String.raw`(?i:\bin relation to) ${REST}`,
      String.raw`(?=(?i:to|by))(?<=(?i:\bamending)\b.{3,400}?)(?i:\b(?:to:? (?:\(1\) )?(?:${RULE_VERB})|by (?:updating|revising|establishing|expanding|changing)))${NOT_EMPTY} ${REST}`,
      String.raw`(?<=(?i:\bamending\b)[^;]{3,300};? \(1\) |(?i:\bamending\b)[^;]{3,300};? \(1\) providing (?:updated )?definitions; \(2\) )(?!providing (?:updated )?definitions)${REST}`,
    ].join('|'),
  },
  {
    label: 'Amendment stated',
    needs: ['amendment', 'revisions to'],
    example: 'An amendment to the policy on parks to add the hours of fields',
    clause: String.raw`(?=[Tt][Oo])(?<=(?i:\b(?:amendments? (?:to|of)|revisions to))\b.{3,400}?)(?i:\bto:? (?:\((?:1|a)\) )?(?:${RULE_VERB}|amend|change|move|remove|use))${NOT_EMPTY} ${REST}`,
  },
  {
    label: 'Rules affected',
    needs: ['amend'],
    example: 'An ordinance amending the code regarding off-street parking of trucks',
    clause: String.raw`(?<=(?i:\bamend).{3,600}?(?i:\b(?:regarding|relat(?:ed|ing) to)) )(?!consideration|amending|(?:the )?following)${REST}|(?=(?i:developing|spacing))(?<=(?i:\bamend).{3,1500}?)(?i:\b(?:developing (?:appropriate )?standards,?|spacing requirements)) ${REST}|(?i:\bamending the )(?=[a-z])(?!code|existing)${REST}|(?i:\bto amend (?:\(1\) )?the (?!code|existing|fiscal))${REST}`,
    onlyWhere: 'nothing_else',
  },
  {
    label: 'Request stated',
    needs: ['calling', 'direct'],
    example: 'A resolution calling on the state to fund schools',
    clause: String.raw`(?i:\bcalling (?:up)?on) ${REST}|(?i:\bdirect(?:ing|s)? the (?:city (?:manager|attorney|administrator)|mayor|administration)(?: and [^;,]{3,60})? to)(?! (?:do|take)\b) ${REST}`,
  },
  {
    label: 'Proposal stated',
    needs: ['would '],
    example: 'This bill would require owners to report leaks',
    clause: String.raw`(?i:\b(?:bill|law|legislation|act|resolution|ordinance|amendment|policy|program|plan|project|measure)s?\b,?(?: that| which)?) would (?:establish|require|prohibit|create|allow|provide|authorize|increase|ensure|extend) ${REST}`,
  },
  {
    label: 'Suit stated',
    needs: ['filing suit'],
    example: 'A resolution on filing suit against the owner of the dump',
    clause: from('filing suit against'),
  },
  {
    label: 'Position stated',
    needs: ['support', 'oppos', 'condemn'],
    example: 'A resolution in support of the bill on rail safety',
    clause: String.raw`(?<=(?i:\b(?:resolution|position))\b.{0,160}?)(?i:\b(?:support (?:for|of)|in support of|to support|oppos(?:ing|ition to)|condemn(?:s|ing))) ${REST}`,
    onlyWhere: 'nothing_else',
  },
];
