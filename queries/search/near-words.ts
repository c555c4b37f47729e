/** A word and the number of records that contain it. */
export interface KnownWord {
  readonly word: string;
  readonly records: number;
}

const MOST = 3;

/** Letters to insert, leave out, replace or swap with their neighbour. */
export function distance(left: string, right: string): number {
  let [twoAbove, above]: [number[], number[]] = [[], Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let least = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        least = Math.min(least, twoAbove[column - 2]! + 1);
      }
      current.push(least);
    }
    [twoAbove, above] = [above, current];
  }
  return above[right.length]!;
}

/** The nearest of the words, at most three: those that take the fewest changes, the commonest first. None where all are too far. */
export function nearestWords(misspelt: string, words: readonly KnownWord[]): readonly string[] {
  const most = misspelt.length < 6 ? 1 : misspelt.length < 10 ? 2 : 3;
  const near = words.map((known) => ({ ...known, far: distance(misspelt, known.word) })).filter(({ far }) => far <= most);
  const nearest = Math.min(...near.map(({ far }) => far));
  return near
    .filter(({ far }) => far === nearest)
    .toSorted((left, right) => right.records - left.records || (left.word < right.word ? -1 : 1))
    .slice(0, MOST)
    .map(({ word }) => word);
}
