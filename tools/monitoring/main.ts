import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { ALERTS } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { allMetrics } from './metrics.ts';

const alertRules = (): string =>
  `# Made by \`npm run docs:monitoring\` from tools/monitoring/alerts.ts. Do not edit.\n${stringify(
    {
      groups: [
        {
          name: 'civic-records',
          rules: ALERTS.map(({ name, when, duration, severity, summary, remedy }) => ({
            alert: name,
            expr: when,
            for: duration,
            labels: { severity },
            annotations: { summary, description: `What to do: ${remedy}.` },
          })),
        },
      ],
    },
    { lineWidth: 0 },
  )}`;

const [BEGIN, END] = ['<!-- alerts: made by `npm run docs:monitoring` -->\n', '<!-- end of alerts -->'];

/** docs/operators/metrics.md with the table of alerts between its marks. */
function metricsPage(page: string): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const linked = (text: string): string => text.replaceAll(/\(([a-z-]+\.md)\)$/g, '([$1]($1))');
  const rows = ALERTS.map(
    ({ name, when, duration, severity, summary, remedy }) =>
      `| ${name} | ${severity} | \`${cell(when)}\` for ${duration} | ${cell(summary)} | ${cell(linked(remedy))} |`,
  );
  const table = ['| alert | severity | when | says | do |', '|---|---|---|---|---|', ...rows].join('\n');
  const [before, rest] = page.split(BEGIN);
  const [, after] = rest!.split(END);
  return `${before}${BEGIN}${table}\n${END}${after}`;
}

const CHECKOUT = new URL('../../', import.meta.url);

/** The files that are made from the metrics and alerts, by their names in the checkout. */
export async function monitoringFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    'deploy/prometheus-alerts.yml': alertRules(),
    'deploy/grafana-dashboard.json': `${JSON.stringify(dashboard(await allMetrics()), null, 2)}\n`,
    'docs/operators/metrics.md': metricsPage(readFileSync(new URL('docs/operators/metrics.md', CHECKOUT), 'utf8')),
  };
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await monitoringFiles())) writeFileSync(new URL(name, CHECKOUT), text);
