import { z } from 'zod';
import { topic } from '../../domain/records/schemas.ts';
import { count, jurisdictionName, jurisdictionSlug, topicSlug } from '../fields.ts';
import { publicSourceStatus } from '../list-public-source-statuses.ts';
import { guidance, tool, truncated } from './tool.ts';
import { COMMON_TOOL_CODES } from './tool-errors.ts';
import { rowsOf, type TruncationRules } from './truncation.ts';

/** Municipalities or counties of the region. */
const peopleOf = (places: string) =>
  z
    .strictObject({
      placesRead: count.describe(`Number of active ${places} with an active source that was read.`),
      places: count.describe(`Number of active ${places} of the region.`),
      peopleRead: count.describe(`Number of people who live in the ${places} with such a source.`),
      people: count.describe(`Number of people who live in all of these ${places}.`),
      years: z.array(z.int()).describe('Years of the population figures.'),
    })
    .describe(`People of the ${places} of the region.`);

const population = z
  .strictObject({ municipalities: peopleOf('municipalities'), counties: peopleOf('counties') })
  .describe(
    'Number of people who live where agendas are read. People of a municipality are people of its county too: never add both.',
  );

const data = z.strictObject({
  jurisdictions: z
    .array(
      z.strictObject({
        jurisdictionSlug,
        jurisdictionName,
        sources: z.array(publicSourceStatus).describe('The sources with the result of their last check.'),
      }),
    )
    .describe('By jurisdiction.'),
  topics: z
    .array(z.strictObject({ topicSlug, publicLabel: topic.shape.publicLabel }))
    .describe('Topics that search_agenda can be narrowed to.'),
  population,
  guidance,
  truncated,
});
type Data = z.output<typeof data>;

const STATUSES =
  `A check time says what was observed then; it promises no uptime, completeness or correctness. healthy: the last check succeeded, though it may have left out rows of the source (lastCheckSkipped) or have published meetings incompletely, such as without a stated time (lastCheckDegraded); stale: no check has
succeeded for 48 hours; failing: the last checks failed; unknown: not checked yet.`.replaceAll('\n', ' ');
const BEYOND = 'get_data_coverage lists what research located beyond these sources.';
export const COVERAGE_GUIDANCE = `${STATUSES} A jurisdiction or body that is not listed is not covered: records of it that were read or imported are found all the same, but finding nothing there says nothing. ${BEYOND}`;
const CUT_GUIDANCE =
  `The list was too long and its end was left out: what is not listed may be covered all the same, and GET
/api/v1/public/source-status lists every source without a key. ${STATUSES} ${BEYOND}`.replaceAll('\n', ' ');

const cutCoverage = (data: Data, jurisdictions: Data['jurisdictions']): Data => ({
  ...data,
  jurisdictions,
  guidance: CUT_GUIDANCE,
  truncated: true,
});

const truncation = (): TruncationRules<Data> => ({
  texts: ['sourceTypeLabel', 'publicLabel'],
  rows: [
    rowsOf({ least: 1, of: ({ jurisdictions }) => jurisdictions, keep: cutCoverage }),
    rowsOf({
      least: 1,
      of: ({ jurisdictions }) => jurisdictions[0]?.sources ?? [],
      keep: (data, sources) => {
        const [first] = data.jurisdictions;
        return cutCoverage(data, first === undefined ? [] : [{ ...first, sources }]);
      },
    }),
    rowsOf({ least: 0, of: ({ topics }) => topics, keep: (data, topics) => ({ ...data, topics, truncated: true }) }),
  ],
});

export const getCoverage = tool({
  name: 'get_coverage',
  title: 'Which sources are covered',
  description: `Lists the public bodies that are covered, by jurisdiction, with each of their sources and what was last observed of it, and
the topics that search_agenda takes as topicSlug, and how many people live where sources were read. search_agenda also finds records of other bodies that were read or imported. Ask this first to learn whether a place is covered, and when its source was last read, before you conclude
anything from an empty search. Takes no argument and costs nothing.`,
  effect: 'reads',
  access: 'free',
  input: z.strictObject({}),
  data,
  errors: COMMON_TOOL_CODES,
  truncation,
});
