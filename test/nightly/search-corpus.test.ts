import { beforeAll, describe, expect, test } from 'vitest';
import { openTestSearch, type TestSearch } from '../support/agenda-search.ts';
import { foldCorpus, missedQuestions, readCorpusQuestions } from '../support/search-corpus.ts';

/** Folder of the corpus, which is not in the repository. */
const CORPUS = process.env.LABELS_CORPUS;

describe.skipIf(CORPUS === undefined)('with the labeled corpus (set LABELS_CORPUS to its folder to run these)', () => {
  let search: TestSearch;

  beforeAll(async () => {
    search = await openTestSearch();
    await foldCorpus(search, CORPUS!);
    return () => search.close();
  }, 120_000);

  test.each([
    ['search-corpus', 23],
    ['search-corpus-unseen', 23],
  ] as const)('%s: at least %i of 25 find a good answer among the first three', async (name, enough) => {
    const questions = await readCorpusQuestions(name);
    const missed = await missedQuestions(search, questions);
    expect(questions).toHaveLength(25);
    expect(missed.length, `missed: ${JSON.stringify(missed, null, 1)}`).toBeLessThanOrEqual(questions.length - enough);
  });
});
