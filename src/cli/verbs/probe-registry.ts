import type { Command } from '@commander-js/extra-typings';
import { sourceKey } from '../../../domain/events/source-events.ts';
import { connectorOf } from '../../sources/added-sources.ts';
import { probeRows } from '../../sources/registry/probe-registry.ts';
import type { RegistryRow } from '../../sources/registry/registry.ts';
import type { SurveyClient } from '../../sources/source.ts';
import type { CliContext } from '../context.ts';
import { withProgress } from '../progress-bar.ts';
import { runs } from '../verb.ts';
import { COUNTY, PLACE, registryRows, ROWS } from './source-registry.ts';

/** Formats a probe as a row of the table. */
const formatProbe = ({ platform, client, jurisdictionSlug, answer }: RegistryRow) => ({
  source: platform,
  client,
  jurisdiction: jurisdictionSlug,
  result: answer?.result,
  bodies: answer?.bodies,
  newestMeeting: answer?.newestMeeting,
  newestAgenda: answer?.newestAgenda,
  agendaForm: answer?.agendaForm,
  reason: answer?.reason,
});

export function addProbeCommand(sources: Command, context: CliContext): void {
  const leaf = sources
    .command('probe')
    .description('probe sources that are not added')
    .command('registry')
    .description('print what each source of the registry publishes, from few requests; needs no installation')
    .option(...COUNTY)
    .option(...PLACE)
    .option(...ROWS);
  runs(context, 'nothing', leaf, async (_, { json = false, county, place, rows: path }) => {
    const rows = await registryRows({ county, place, rows: path });
    const { connectors, clock } = await context.openConnectors();
    const survey: SurveyClient = (source, request) => connectorOf(connectors, source).survey(request, clock);
    const results = await withProgress(context, 'sources', (bar) =>
      probeRows(rows, { survey, clock, signal: context.stopping, progress: bar.update }),
    );
    if (json) return results;
    const clients = Map.groupBy(results, ({ platform, client }) => sourceKey({ source: platform, client }));
    return [...clients.values()].map(([first]) => formatProbe(first!));
  });
}
