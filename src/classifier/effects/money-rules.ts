import { BLANK } from '../operative-text.ts';
import { type EffectRule, from, REST } from './effect-rule.ts';

/** Prices, waivers and offers, and public borrowing. */
export const PRICES: readonly EffectRule[] = [
  {
    label: 'Charge stated',
    needs: ['rate', 'fee', 'tax', 'charge', 'assessment', 'pric', 'calculating'],
    example: 'An ordinance increasing the fee for parking permits in the centre',
    clause: String.raw`(?i:\b(?:lev(?:y|ying) (?:of )?(?:an? )?(?:special )?(?:assessments?|tax)|(?:impos|assess|increas|decreas|chang|amend|eliminat|deny|sett)(?:es?|ing) (?:the |an? |new |various )*(?:[\w-]+ ){0,3}(?:rates?|fees?|tax|taxes|charges?)|increases? (?:to|in|of) (?:the |an? |current )*(?:[\w-]+ ){0,6}(?:rates?|fees?|charges?|pricing|prices)|(?:provide|establish) an? (?:[\w-]+ ){0,2}fee|(?:establishment of [^;]{3,160}? )?for the purposes? of calculating)\b)${REST}`,
  },
  {
    label: 'Rate stated',
    needs: [' per '],
    example: 'A lease at $12.50 per square foot of the floor',
    clause: String.raw`\$\s?\d[\d,.]* (?i:per (?:\$100|hour|month|square foot|acre|ton|(?:[\d,]+ )?gallons?|unit|vehicle|day))\b[^;.${BLANK}]{0,80}`,
  },
  {
    label: 'Incentive stated',
    needs: ['waiv', 'abatement', 'economic development', 'tax credit', 'exemption'],
    example: 'A tax abatement for the plant of the company',
    clause: String.raw`(?i:\btax abatement|\bwaivers? of (?:[\w-]+ ){0,4}fees?|\bfee waivers?|\bwaiv(?:e|ing) (?:[\w-]+ ){0,5}fees?(?: value)?|\beconomic development (?:program )?(?:grant|loan)|\bnew markets tax credit|\b(?:[\w-]+ ){0,2}tax exemption requests|\bexemption of \d+ (?:percent|%)) ${REST}`,
  },
  {
    label: 'Waiver stated',
    needs: ['waiver'],
    example: 'A waiver of the minimum distance of a school',
    clause: from('waivers? (?:to|of|from)(?! (?:indirect|[^;]{0,60}\\bfees?\\b))'),
  },
  {
    label: 'Bids',
    needs: ['advertise', 'solicit', 'rejection', 'procurement process'],
    example: 'Authorize the rejection of all bids for street lamps',
    clause: from(
      String.raw`(?:readvertise(?:ment)?|re-advertise(?:ment)?|advertise|solicit)(?: for)?|rejection of (?:\w+ ){0,5}(?:bids?|proposals?|responses|statements? of qualifications?)|procurement process for`,
    ),
  },
  {
    label: 'Sale stated',
    needs: ['quitclaim', 'sale'],
    example: 'A quitclaim of two lots to the county',
    clause: String.raw`(?i:\b(?:quitclaim of|advertisement for sale|sale by public auction)) ${REST}|(?i:(?<!\bauthorized the )\bsale of)(?=[^;]{0,140}(?i:\b(?:property|properties|land|lots?|parcels?|acres|credits))\b)(?![^;]{0,90}(?i:\b(?:bonds|notes|certificates|alcohol\w*)\b)) ${REST}`,
  },
  {
    label: 'Borrowing stated',
    needs: ['issu', 'funding commitment', 'reimburse itself'],
    example: 'The issuance and sale of revenue bonds of the district',
    clause: String.raw`(?i:\b(?:issuances?(?: and sale)? of|issue))(?=[^;]{0,160}(?i:\b(?:bonds|notes|obligations?|certificates|debt|securities)\b)) ${REST}|(?i:\b(?:notes issued|funding commitment from|to reimburse itself for)) ${REST}`,
  },
];

/** Donations and grants. */
export const SUPPORT: readonly EffectRule[] = [
  {
    label: 'Grant stated',
    needs: ['accept'],
    example: 'Acceptance of the grant of the state for the police laboratory',
    clause: String.raw`(?i:\b(?:acceptance of|accept)(?:,? if awarded,?)?) (?:[^;,]|,(?= )){0,200}?(?i:\bgrants?) ${REST}`,
  },
  {
    label: 'Deposit stated',
    needs: ['receipt'],
    example: 'The receipt and deposit of funds in an amount of $5.00 from the college',
    clause: String.raw`(?i:\breceipt (?:and deposit )?of) [^;$]{0,90}(?:\$[\d,.]+ (?i:(?:for reimbursement )?from)(?! \$)(?! [^;,]{0,90}\b(?:Fund|CMAQ|to)\b)|(?i:\bfrom) [^;$]{3,90}\$\d)${REST}`,
  },
  {
    label: 'Receipt stated',
    needs: ['acceptance'],
    example: 'Acceptance of funds from the association for repairs',
    clause: String.raw`(?i:\bacceptance of(?:,? if awarded,?)?) (?![^;]{0,150}\bgrants?\b)(?=[^;]{0,120}(?i:\b(?:funds|funding|award)\b))${REST}`,
    onlyWhere: 'no_party',
  },
  {
    label: 'Application stated',
    needs: ['application'],
    example: 'Authorize an application for the trail program of the state',
    clause: String.raw`(?i:\bapplications? (?:for|to))(?! and\b| an? (?:ordinance|resolution|specific|special|planned|zoning))(?=[^;]{0,200}(?i:\b(?:grants?|funding|program|loan)\b)) ${REST}`,
    onlyWhere: 'no_party',
  },
  {
    label: 'Assistance stated',
    needs: [
      'to provide',
      'moving expense',
      'grants (',
      'grant (',
      'grants of up',
      'grant of up',
      'grants up',
      'grant up',
      'assistance of up',
      'loan of up',
      'loans of up',
    ],
    example: 'A programme to provide rental assistance to tenants',
    clause: String.raw`(?i:\bto provide|\bmoving expense payments for)(?=[^;]{0,120}(?i:\b(?:assistance|loans?|rent(?:al)?|subsid(?:y|ies)|occupants|reimbursement|support program)\b)) ${REST}|(?i:\b(?:(?:micro)?grants? (?:\(|of up to |up to )|assistance of up to |loans? of up to )\$)${REST}`,
  },
  {
    label: 'Donation stated',
    needs: ['donat'],
    example: 'The donation of three trees from the club to the park',
    clause: from('donations? (?:of|from|in)|donated'),
  },
  {
    label: 'Payment stated',
    needs: ['payment', 'to pay'],
    example: 'An annual payment of $5.00 to the county for the training',
    clause: from(
      String.raw`(?:annual |one-time |lump[- ]sum )?payments? (?:of|in (?:an|the) amount of) \$[\d,.]+|to pay(?=[^;]{0,60}(?:invoice|fee|cost|claim|\$))`,
    ),
    onlyWhere: 'no_party',
  },
];
