import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { legistarHttpReader } from '../../infra/legistar/http-client.ts';
import { openTestCivic } from './civic.ts';
import { askQuestions, FOUND_IN, loadRecordings, readQuestions } from './search-questions.ts';
import { startTestServer } from './test-server.ts';

/**
 * Prints for each question whether a good answer is among the first three: `node search-questions-main.ts REPLAY [SHOWN]`. REPLAY is a program
 * that serves recordings of the Legistar Web API and prints its base URL; SHOWN is a number of titles to print below each question.
 */
const [replay = '', limit = '0'] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const recordings = spawn(process.execPath, [replay], { stdio: ['ignore', 'pipe', 'inherit'] });
const server = await startTestServer();
const civic = await openTestCivic(server.url);
try {
  const [line] = (await once(createInterface(recordings.stdout), 'line')) as [string];
  const baseUrl = /https?:\S+/.exec(line)?.[0] ?? line;
  await loadRecordings(civic, (client) =>
    legistarHttpReader({ baseUrl, client, clock: civic.clock, random: Math.random }),
  );
  for (const name of ['search-phrases', 'search-questions', 'search-inquiries'] as const) {
    const answers = await askQuestions(civic, await readQuestions(name));
    for (const { question, place, data } of answers) {
      say(`${place > 0 && place <= FOUND_IN ? 'good' : 'MISS'} ${String(place).padStart(3)}  ${question}`);
      const rows = data.results.slice(0, Number(limit));
      for (const { matterFile, meetingDate, title } of rows)
        say(`        ${matterFile ?? '-'} ${meetingDate} ${title.slice(0, 150)}`);
      if (Number(limit) > 0) say(`        ${data.guidance.slice(0, 200)}`);
    }
    say(`${name}: ${answers.filter(({ place }) => place > 0 && place <= FOUND_IN).length} of ${answers.length}`);
  }
} finally {
  recordings.kill();
  await civic.close();
  await server.stop();
}
