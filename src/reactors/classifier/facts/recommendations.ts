/** What staff or a commission recommends, in the text's own words. */
const STATED = [
  /\bRecommendation of ([A-Z][\w &]{1,40}): (.+?)(?=\s+Recommendation of|\s+Note:|\s+[A-Z]{1,5}\d{2,4}-\d|$)/g,
  /\((Recommended for (?:Approval|Denial)[^()]{0,120})\)/gi,
];
const LENGTH = 160;

/** Each recommendation as one short sentence without its full stop, in the order of the text; the case numbers behind them are left out. */
export const statedRecommendations = (text: string): string[] => {
  const [labelled, bracketed] = STATED as [RegExp, RegExp];
  const found = [...text.matchAll(labelled)].map((match) => `${match[1]} recommends: ${match[2]}`);
  found.push(...[...text.matchAll(bracketed)].map((match) => match[1] as string));
  return found.map((sentence) =>
    sentence.length > LENGTH ? `${sentence.slice(0, LENGTH).replace(/\s+\S*$/, '')} …` : sentence.replace(/[.\s]+$/, ''),
  );
};
