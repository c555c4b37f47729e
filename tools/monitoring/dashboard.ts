import type { NamedMetric } from './metrics.ts';

/** A graph: its lines as PromQL, each with the label that names it. */
interface Graph {
  readonly title: string;
  readonly unit: 'short' | 's' | 'reqps' | 'bytes' | 'percentunit';
  readonly lines: readonly (readonly [query: string, legend: string])[];
}

const RATE = '[$__rate_interval]';
const quantile = (metric: string, of: string): string =>
  `histogram_quantile(0.95, sum by (le, ${of}) (rate(${metric}_bucket${RATE})))`;

const ROWS: readonly (readonly [title: string, graphs: readonly Graph[]])[] = [
  [
    'Requests',
    [
      {
        title: 'Answers a second, by status',
        unit: 'reqps',
        lines: [[`sum by (status) (rate(civic_http_request_duration_seconds_count${RATE}))`, '{{status}}']],
      },
      {
        title: 'Time of an answer, 95 of 100',
        unit: 's',
        lines: [[quantile('civic_http_request_duration_seconds', 'operation'), '{{operation}}']],
      },
      {
        title: 'Time of a tool call, 95 of 100',
        unit: 's',
        lines: [[quantile('civic_tool_duration_seconds', 'tool'), '{{tool}}']],
      },
      {
        title: 'Refusals a second, by code',
        unit: 'reqps',
        lines: [[`sum by (code) (rate(civic_refusals_total${RATE}))`, '{{code}}']],
      },
      {
        title: 'Records and changes sent in a second',
        unit: 'short',
        lines: [[`sum by (operation) (rate(civic_items_served_total${RATE}))`, '{{operation}}']],
      },
      {
        title: 'Ended connections and hidden failures a second',
        unit: 'short',
        lines: [
          [`sum by (limit) (rate(civic_connections_refused_total${RATE}))`, 'connections: {{limit}}'],
          [`sum by (operation) (rate(civic_soft_failures_total${RATE}))`, 'hidden: {{operation}}'],
        ],
      },
    ],
  ],
  [
    'Log and read models',
    [
      {
        title: 'Events in the log, changes in the feed',
        unit: 'short',
        lines: [
          ['max(civic_log_events)', 'events'],
          ['max(civic_feed_position)', 'changes'],
        ],
      },
      {
        title: 'Time of an append, 95 of 100',
        unit: 's',
        lines: [[quantile('civic_log_append_duration_seconds', 'outcome'), '{{outcome}}']],
      },
      {
        title: 'Lag of the read models',
        unit: 's',
        lines: [['max by (projection) (civic_projection_lag_seconds)', '{{projection}}']],
      },
      {
        title: 'Events folded in a second',
        unit: 'short',
        lines: [['max by (projection) (civic_projection_fold_rate)', '{{projection}}']],
      },
      {
        title: 'Lag of the reactors',
        unit: 's',
        lines: [['max by (reactor) (civic_reactor_lag_seconds)', '{{reactor}}']],
      },
      {
        title: 'Left of rebuilds',
        unit: 's',
        lines: [['max by (projection) (civic_projection_rebuild_remaining_seconds)', '{{projection}}']],
      },
    ],
  ],
  [
    'Sources, reports and payments',
    [
      { title: 'Sources by status', unit: 'short', lines: [['max by (status) (civic_sources)', '{{status}}']] },
      { title: 'Open reports', unit: 'short', lines: [['max by (status) (civic_reports_open)', '{{status}}']] },
      { title: 'Payments of the last day', unit: 'short', lines: [['max by (state) (civic_payments)', '{{state}}']] },
      {
        title: 'Live snapshots and subscriptions',
        unit: 'short',
        lines: [
          ['max(civic_snapshots_live)', 'snapshots'],
          ['max(civic_subscriptions_active)', 'subscriptions'],
        ],
      },
    ],
  ],
  [
    'Processes',
    [
      {
        title: 'Memory',
        unit: 'bytes',
        lines: [
          ['process_resident_memory_bytes * on (instance) group_left (role) civic_build_info', '{{role}} {{instance}}'],
        ],
      },
      {
        title: 'Processor time',
        unit: 'percentunit',
        lines: [
          [
            `rate(process_cpu_seconds_total${RATE}) * on (instance) group_left (role) civic_build_info`,
            '{{role}} {{instance}}',
          ],
        ],
      },
      {
        title: 'Connections to the database',
        unit: 'short',
        lines: [
          ['sum by (pool) (civic_database_connections_busy)', '{{pool}} at work'],
          ['sum by (pool) (civic_database_waiting)', '{{pool}} waiting'],
        ],
      },
      {
        title: 'Delay of the event loop, 99 of 100',
        unit: 's',
        lines: [['max by (instance) (nodejs_eventloop_lag_p99_seconds)', '{{instance}}']],
      },
    ],
  ],
];

/** Grid units of Grafana: a page is 24 wide. */
const [WIDTH, HEIGHT] = [8, 7];

/** A dashboard of Grafana, whose data source is chosen when it is imported. Its graphs explain themselves with the help of their metrics. */
export function dashboard(metrics: readonly NamedMetric[]): object {
  const helpOf = (query: string): string =>
    metrics
      .filter(({ name }) => new RegExp(`\\b${name}(_bucket|_count)?\\b`).test(query))
      .map(({ help }) => help)
      .join(' ');
  const panels: object[] = [];
  let y = 0;
  for (const [title, graphs] of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y += 1;
    for (const [index, { title: name, unit, lines }] of graphs.entries()) {
      const at = { x: (index % 3) * WIDTH, y: y + Math.floor(index / 3) * HEIGHT, w: WIDTH, h: HEIGHT };
      panels.push({
        id: panels.length + 1,
        type: 'timeseries',
        title: name,
        description: [...new Set(lines.map(([query]) => helpOf(query)))].join(' ').trim(),
        datasource: { type: 'prometheus', uid: '${datasource}' },
        gridPos: at,
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        targets: lines.map(([expr, legendFormat], line) => ({
          refId: String.fromCodePoint(65 + line),
          expr,
          legendFormat,
        })),
      });
    }
    y += Math.ceil(graphs.length / 3) * HEIGHT;
  }
  return {
    title: 'Civic Records',
    uid: 'civic-records',
    schemaVersion: 39,
    tags: ['civic-records'],
    timezone: 'utc',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' }] },
    panels,
  };
}
