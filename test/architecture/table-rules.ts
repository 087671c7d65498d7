import { isTestFile, type SourceTree } from './source-tree.ts';
import type { Violation } from './violation.ts';

const core = 'control-plane/src/';
const schema = `${core}db/schema/`;

/** The folder whose files alone write a table; everything else calls them. One line a table. */
const owners: Record<string, string> = {
  agent_activities: 'people/agent-sessions/',
  agent_sessions: 'people/agent-sessions/',
  alert_counts: 'people/alerts/',
  alert_history: 'people/alerts/',
  alert_rules: 'people/alerts/',
  api_tokens: 'admin/tokens/',
  attempts: 'attempts/',
  audit: 'observe/audit/',
  audit_chain: 'observe/audit/',
  automation_runs: 'people/automations/',
  automation_timers: 'people/automations/',
  blobs: 'runners/blobs/',
  attempt_artifacts: 'attempts/evidence/',
  attempt_checks: 'attempts/checks/',
  checkpoints: 'attempts/checkpoints/',
  config_overlay: 'config/',
  counters: 'observe/events/',
  event_chunks: 'observe/events/',
  facts: 'db/',
  held_workspaces: 'runners/workspaces/',
  issues: 'issues/',
  join_tokens: 'runners/admin/',
  jobs: 'jobs/',
  leader: 'jobs/leadership/',
  local_attachments: 'integrations/local/tracker/',
  local_comments: 'integrations/local/tracker/',
  local_issues: 'integrations/local/tracker/',
  merge_queue: 'pull-requests/merge-queue/',
  reviews: 'pull-requests/reviews/',
  metric_series: 'observe/metrics/',
  notification_channels: 'people/channels/',
  notifications: 'notifications/',
  pull_request_feedback: 'pull-requests/feedback/',
  pull_requests: 'pull-requests/',
  recovery_reports: 'runners/recovery/',
  requests: 'attempts/',
  runners: 'runners/',
  secrets: 'config/secrets/',
  steers: 'attempts/',
  templates: 'attempts/templates/',
  thread_usage: 'usage/',
  transitions: 'issues/',
  upstream_pauses: 'attempts/upstreams/',
  usage_days: 'usage/',
  usage_totals: 'usage/',
  webhook_deliveries: 'inbox/',
  workspaces: 'runners/workspaces/',
};

/** Look after every table: old rows go, and dates from a clock that was wrong are brought back. */
const housekeeping = [`${core}coordinator/sweep-retention.ts`, `${core}coordinator/bound-dates.ts`];

/** Changes of a row that several features put into one batch: the end of an attempt changes its issue. */
const sharedStatements = `${core}db/rows/`;

/** A table has one owner: only files of its folder insert, update or delete its rows. */
export function checkTables({ files }: SourceTree): Violation[] {
  const tables = new Map<string, string>();
  for (const { path, text } of files) {
    if (!path.startsWith(schema)) continue;
    for (const [, constant = '', name = ''] of text.matchAll(
      /export const (\w+) = sqliteTable\(\s*'(\w+)'/g,
    ))
      tables.set(constant, name);
  }
  const names = new Set(tables.values());
  const unowned = [...names].filter((name) => owners[name] === undefined);
  return [
    ...unowned.map((name) => ({
      rule: 'table-owner',
      path: schema,
      message: `the table ${name} has no owner in test/architecture/table-rules.ts`,
    })),
    ...files.flatMap(({ path, text }) => {
      if (!path.startsWith(core) || isTestFile(path) || housekeeping.includes(path)) return [];
      if (path.startsWith(sharedStatements)) return [];
      return writtenTables(text, tables, names)
        .filter((name) => !path.startsWith(`${core}${owners[name]}`))
        .map((name) => ({
          rule: 'table-owner',
          path,
          message: `writes ${name}, which only ${owners[name]} does`,
        }));
    }),
  ];
}

/** Tables that a file changes through drizzle or in SQL. */
function writtenTables(text: string, tables: Map<string, string>, names: Set<string>): string[] {
  const built = [...text.matchAll(/\.(?:insert|update|delete)\(\s*(\w+)\s*\)/g)].flatMap(
    ([, constant = '']) => tables.get(constant) ?? [],
  );
  const sql = /\b(?:insert(?: or \w+)? into|delete from|replace into|update)\s+(\w+)/gi;
  const constants = /\b(?:insert(?: or \w+)? into|delete from|replace into|update)\s+\$\{(\w+)\}/gi;
  const raw = [...text.matchAll(sql)].flatMap(([, name = '']) => (names.has(name) ? name : []));
  const named = [...text.matchAll(constants)].flatMap(([, name = '']) => tables.get(name) ?? []);
  return [...new Set([...built, ...raw, ...named])];
}
